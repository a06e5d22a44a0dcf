// The encoder and its scanners as Python sees them.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "module_scanner.hpp"
#include "prefetch.hpp"
#include "text_encoder.hpp"
#include "token_table.hpp"

using namespace nb::literals;

namespace bytebpe {
namespace {

struct PyScanner {
    Scanner scanner;
};

// Cuts pieces further where no token reaches across, unless there are no tokens.
PyScanner family_scanner(const std::string& family, const nb::bytes& classes,
                         const TokenTable* tokens) {
    const Family known = family_of(family);
    auto table = char_table(known, classes);
    if (tokens != nullptr) {
        std::vector<std::string_view> views;
        for (Id id = 0; id < tokens->size(); ++id) views.push_back((*tokens)[id]);
        table->cut_for(views);
    }
    return {FamilyScanner(known, std::move(table))};
}

PyScanner dfa_scanner(const nb::bytes& pages, const nb::bytes& classes,
                      const nb::bytes& transitions, std::size_t width) {
    return {dfa_of(pages, classes, transitions, width)};
}

// Where the pieces of a text end, in bytes.
std::vector<std::size_t> split(const PyScanner& scanner, const nb::bytes& text) {
    std::vector<std::size_t> ends;
    const Span span = span_of(text);
    if (const auto* dfa = std::get_if<DfaScanner>(&scanner.scanner))
        dfa->scan(span.text, span.size, [&](std::size_t, std::size_t end) { ends.push_back(end); });
    return ends;
}

SpecialRule rule_of(const nb::list& refused, const nb::list& allowed, const nb::bytes& ids) {
    return {views_of(refused), views_of(allowed), numbers_of<Id>(ids)};
}

// For ids of a width that holds all of them.  What takes a rule for special tokens returns None
// for a text with which the rule of the reference finds fault.
template <class Out>
class PyTextEncoder {
    // Hands the workspace with what `encode` left in `output` to `use`, unless it returned false.
    template <class Encode, class Use>
    nb::object with_ids(std::size_t size, const Encode& encode, const Use& use) {
        auto work = encoder_.borrow();
        bool encoded = false;
        if (size > worth_releasing) {
            const nb::gil_scoped_release release;
            encoded = encode(*work);
        } else {
            encoded = encode(*work);
        }
        nb::object result = encoded ? use(*work) : nb::none();
        encoder_.give_back(std::move(work));
        return result;
    }

    template <class Use>
    nb::object with_ids(nb::handle text, const SpecialRule& rule, const Use& use) {
        const std::optional<CodePoints> points = text_of(text);
        if (!points) return nb::none();
        return with_ids(
            points->count,
            [&](Workspace<Out>& work) { return encode_text(encoder_, *points, rule, work); }, use);
    }

public:
    PyTextEncoder(const nb::bytes& byte_ids, const nb::bytes& merges, Id highest_id,
                  const PyScanner& scanner, std::size_t cache_size)
        : encoder_(ids_of_bytes(byte_ids), merges_of(merges), scanner.scanner, cache_size),
          ints_(std::size_t{highest_id} + 1) {
        if (highest_id > std::numeric_limits<Out>::max())
            throw nb::value_error("highest_id: too high for this width");
    }

    void keep_whole(const nb::dict& tokens) {
        for (const auto [token, id] : tokens) {
            const Span span = span_of(token);
            encoder_.keep_whole(span.text, span.size, nb::cast<Id>(id));
        }
    }

    const char* isa() const { return encoder_.isa().name; }

    nb::object encode(nb::handle text, const SpecialRule& rule) {
        return with_ids(text, rule,
                        [this](const Workspace<Out>& work) { return list_of(work.output); });
    }

    nb::object encode_array(nb::handle text, const SpecialRule& rule) {
        return with_ids(text, rule, [](const Workspace<Out>& work) {
            return view_of(
                UnsetVector<Out>(work.output.data(), work.output.data() + work.output.size()));
        });
    }

    nb::object count(nb::handle text, const SpecialRule& rule) {
        const std::optional<CodePoints> points = text_of(text);
        if (!points) return nb::none();
        const auto encode = [&](Workspace<Out>& work) {
            work.output.only_count();
            return encode_text(encoder_, *points, rule, work);
        };
        return with_ids(points->count, encode, [](const Workspace<Out>& work) -> nb::object {
            return nb::int_(work.output.added());
        });
    }

    nb::object encode_bytes(const nb::bytes& data) {
        const Span span = span_of(data);
        const auto encode = [&](Workspace<Out>& work) {
            encoder_.encode(span.text, span.size, work);
            return true;
        };
        return with_ids(span.size, encode,
                        [this](const Workspace<Out>& work) { return list_of(work.output); });
    }

    // The ids of pieces that were split elsewhere.
    nb::object encode_pieces(const nb::list& pieces) {
        auto work = encoder_.borrow();
        for (const nb::handle piece : pieces) {
            const Span span = span_of(piece);
            encoder_.encode_piece(span.text, span.size, *work);
        }
        nb::object list = list_of(work->output);
        encoder_.give_back(std::move(work));
        return list;
    }

    nb::object encode_batch(const nb::list& texts, std::size_t threads, const SpecialRule& rule) {
        const std::optional<BatchIds<Out>> all = batch(texts, threads, rule);
        if (!all) return nb::none();
        nb::list rows;
        for (std::size_t text = 0; text + 1 < all->offsets.size(); ++text)
            rows.append(
                list_of(all->ids.data() + all->offsets[text],
                        static_cast<std::size_t>(all->offsets[text + 1] - all->offsets[text])));
        return rows;
    }

    // All ids one after the other, and where each text starts and the last one ends.
    nb::object encode_batch_arrays(const nb::list& texts, std::size_t threads,
                                   const SpecialRule& rule) {
        std::optional<BatchIds<Out>> all = batch(texts, threads, rule);
        if (!all) return nb::none();
        return nb::make_tuple(view_of(std::move(all->ids)), view_of(std::move(all->offsets)));
    }

    // Hits, misses and pieces held.
    nb::object cache_info() {
        const auto info = encoder_.cache_info();
        return nb::make_tuple(info.hits, info.misses, info.used);
    }

    void cache_clear() { encoder_.cache_clear(); }

private:
    static std::array<Id, 256> ids_of_bytes(const nb::bytes& data) {
        const std::vector<Id> numbers = numbers_of<Id>(data);
        if (numbers.size() != 256) throw nb::value_error("byte_ids: expected 256 numbers");
        std::array<Id, 256> ids{};
        std::copy(numbers.begin(), numbers.end(), ids.begin());
        return ids;
    }

    std::optional<BatchIds<Out>> batch(const nb::list& texts, std::size_t threads,
                                       const SpecialRule& rule) {
        std::vector<CodePoints> all;
        all.reserve(texts.size());
        for (const nb::handle text : texts) {
            const std::optional<CodePoints> points = text_of(text);
            if (!points) return {};
            all.push_back(*points);
        }
        const nb::gil_scoped_release release;
        return encode_texts(encoder_, all, rule, threads);
    }

    nb::object list_of(const Buffer<Out>& ids) { return list_of(ids.data(), ids.size()); }

    // The int objects are made once: a list then costs a reference for each id.  They lie all over
    // the memory, so each is asked for a few ids ahead.
    nb::object list_of(const Out* ids, std::size_t count) {
        PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
        if (list == nullptr) throw nb::python_error();
        constexpr std::size_t ahead = 16;
        for (std::size_t i = 0; i < count; ++i) {
            if (i + ahead < count) prefetch_to_write(ints_[ids[i + ahead]].ptr());
            nb::object& number = ints_[ids[i]];
            if (!number.is_valid()) number = nb::int_(ids[i]);
            PyObject* shared = number.ptr();
            Py_INCREF(shared);
            PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), shared);
        }
        return nb::steal(list);
    }

    TextEncoder<Out> encoder_;
    std::vector<nb::object> ints_;
};

// Encodes a text as CPython calls its own functions; `bound` holds an encoder and a rule.
template <class Encoder, nb::object (Encoder::*encode)(nb::handle, const SpecialRule&)>
PyObject* encode_bound(PyObject* bound, PyObject* text) {
    try {
        auto* encoder = nb::inst_ptr<Encoder>(PyTuple_GET_ITEM(bound, 0));
        const auto* rule = nb::inst_ptr<SpecialRule>(PyTuple_GET_ITEM(bound, 1));
        return (encoder->*encode)(text, *rule).release().ptr();
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

// A way to encode by one rule.  For a short text a call through nanobind costs as much as to
// encode it.
template <class Encoder, nb::object (Encoder::*encode)(nb::handle, const SpecialRule&)>
nb::object encoding(nb::handle_t<Encoder> encoder, nb::handle_t<SpecialRule> rule) {
    static PyMethodDef definition{"encode", &encode_bound<Encoder, encode>, METH_O, nullptr};
    PyObject* function = PyCFunction_New(&definition, nb::make_tuple(encoder, rule).ptr());
    if (function == nullptr) throw nb::python_error();
    return nb::steal(function);
}

template <class Out>
void bind_text_encoder(nb::module_& m, const char* name) {
    using Encoder = PyTextEncoder<Out>;
    const auto type =
        nb::class_<Encoder>(m, name)
            .def(nb::init<const nb::bytes&, const nb::bytes&, Id, const PyScanner&, std::size_t>(),
                 "byte_ids"_a, "merges"_a, "highest_id"_a, "scanner"_a, "cache_size"_a)
            .def_prop_ro("isa", &Encoder::isa)
            .def("keep_whole", &Encoder::keep_whole, "tokens"_a)
            .def("encoding", &encoding<Encoder, &Encoder::encode>, "rule"_a)
            .def("array_encoding", &encoding<Encoder, &Encoder::encode_array>, "rule"_a)
            .def("encode", &Encoder::encode, "text"_a.none(), "rule"_a)
            .def("encode_array", &Encoder::encode_array, "text"_a.none(), "rule"_a)
            .def("count", &Encoder::count, "text"_a.none(), "rule"_a)
            .def("encode_bytes", &Encoder::encode_bytes, "data"_a)
            .def("encode_pieces", &Encoder::encode_pieces, "pieces"_a)
            .def("encode_batch", &Encoder::encode_batch, "texts"_a, "threads"_a, "rule"_a)
            .def("encode_batch_arrays", &Encoder::encode_batch_arrays, "texts"_a, "threads"_a,
                 "rule"_a)
            .def("cache_info", &Encoder::cache_info)
            .def("cache_clear", &Encoder::cache_clear);
}

}  // namespace

void bind_encoder(nb::module_& m) {
    bind_number_array<std::uint16_t>(m, "NumberArray16");
    bind_number_array<std::uint32_t>(m, "NumberArray32");
    bind_number_array<std::int64_t>(m, "NumberArray64");
    m.def("runnable_isas", &runnable_isas);
    nb::class_<PyScanner>(m, "Scanner").def(nb::init<>()).def("split", &split, "text"_a);
    m.def("family_scanner", &family_scanner, "family"_a, "classes"_a, "tokens"_a.none());
    m.def("dfa_scanner", &dfa_scanner, "pages"_a, "classes"_a, "transitions"_a, "width"_a);
    nb::class_<SpecialRule>(m, "Rule")
        .def(
            "__init__",
            [](SpecialRule* self, const nb::list& refused, const nb::list& allowed,
               const nb::bytes& ids) { new (self) SpecialRule(rule_of(refused, allowed, ids)); },
            "refused"_a, "allowed"_a, "ids"_a)
        .def(
            "steps",
            [](const SpecialRule& rule, const nb::str& text) { return rule.steps(span_of(text)); },
            "text"_a);
    bind_text_encoder<std::uint16_t>(m, "TextEncoder16");
    bind_text_encoder<std::uint32_t>(m, "TextEncoder32");
}

}  // namespace bytebpe
