// The encoder and its scanners as Python sees them.
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "module.hpp"
#include "text_encoder.hpp"

using namespace nb::literals;

namespace bytebpe {
namespace {

struct PyScanner {
    Scanner scanner;
};

// `classes` are first and last code points and classes, three numbers for each range.
PyScanner family_scanner(const std::string& family, const nb::bytes& classes,
                         const nb::list& tokens) {
    const std::vector<std::uint32_t> numbers = numbers_of<std::uint32_t>(classes);
    std::vector<ClassRange> ranges;
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
        if (numbers[i] > numbers[i + 1] || numbers[i + 1] > 0x10FFFF || numbers[i + 2] > white)
            throw nb::value_error("classes: expected ranges of code points");
        ranges.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    }
    std::vector<std::string_view> views;
    for (const nb::handle token : tokens) {
        const Span span = span_of(token);
        views.emplace_back(reinterpret_cast<const char*>(span.text), span.size);
    }
    auto table = std::make_shared<CharTable>(ranges);
    table->cut_for(views);
    const Family which = family == "gpt2"     ? Family::gpt2
                         : family == "cl100k" ? Family::cl100k
                                              : Family::qwen2;
    return {FamilyScanner(which, std::move(table))};
}

PyScanner dfa_scanner(const nb::bytes& pages, const nb::bytes& classes,
                      const nb::bytes& transitions, std::size_t width) {
    return {DfaScanner(numbers_of<std::uint16_t>(pages), numbers_of<std::uint8_t>(classes),
                       numbers_of<std::uint16_t>(transitions), width)};
}

// Where the pieces of a text end, in bytes.
std::vector<std::size_t> split(const PyScanner& scanner, const nb::bytes& text) {
    std::vector<std::size_t> ends;
    const Span span = span_of(text);
    if (const auto* dfa = std::get_if<DfaScanner>(&scanner.scanner))
        dfa->scan(span.text, span.size, [&](std::size_t, std::size_t end) { ends.push_back(end); });
    return ends;
}

// For ids of a width that holds all of them.
template <class Out>
class PyTextEncoder {
    // Encodes a text and hands the workspace with the ids in `output` to `use`.
    template <class Use>
    auto with_ids(nb::handle text, const Use& use) {
        const Span span = span_of(text);
        auto work = encoder_.borrow();
        if (span.size > worth_releasing) {
            const nb::gil_scoped_release release;
            encoder_.encode(span.text, span.size, *work);
        } else {
            encoder_.encode(span.text, span.size, *work);
        }
        auto result = use(*work);
        encoder_.give_back(std::move(work));
        return result;
    }

public:
    PyTextEncoder(const nb::bytes& byte_ids, const nb::bytes& merges, Id highest_id,
                  const PyScanner& scanner, std::size_t cache_size)
        : encoder_(ids_of_bytes(byte_ids), merges_of(merges), scanner.scanner, cache_size),
          ints_(std::size_t{highest_id} + 1) {
        if (highest_id > std::numeric_limits<Out>::max())
            throw nb::value_error("highest_id: too high for this width");
    }

    const char* isa() const { return encoder_.isa().name; }

    nb::object encode(nb::handle text) {
        return with_ids(text, [this](const Workspace<Out>& work) {
            return list_of(work.output.data(), work.output.size());
        });
    }

    nb::object encode_array(nb::handle text) {
        return with_ids(text, [this](const Workspace<Out>& work) {
            return view_of(std::make_unique<std::vector<Out>>(
                work.output.data(), work.output.data() + work.output.size()));
        });
    }

    std::size_t count(nb::handle text) {
        return with_ids(text, [](const Workspace<Out>& work) { return work.output.size(); });
    }

    // The ids of pieces that were split elsewhere.
    nb::object encode_pieces(const nb::list& pieces) {
        auto work = encoder_.borrow();
        for (const nb::handle piece : pieces) {
            const Span span = span_of(piece);
            encoder_.encode_piece(span.text, span.size, *work);
        }
        nb::object list = list_of(work->output.data(), work->output.size());
        encoder_.give_back(std::move(work));
        return list;
    }

    nb::object encode_batch(const nb::list& texts, std::size_t threads) {
        const BatchIds<Out> all = batch(texts, threads);
        nb::list rows;
        for (std::size_t text = 0; text + 1 < all.offsets.size(); ++text)
            rows.append(
                list_of(all.ids.data() + all.offsets[text],
                        static_cast<std::size_t>(all.offsets[text + 1] - all.offsets[text])));
        return rows;
    }

    // All ids one after the other, and where each text starts and the last one ends.
    nb::object encode_batch_arrays(const nb::list& texts, std::size_t threads) {
        BatchIds<Out> all = batch(texts, threads);
        return nb::make_tuple(
            view_of(std::make_unique<std::vector<Out>>(std::move(all.ids))),
            view_of(std::make_unique<std::vector<std::int64_t>>(std::move(all.offsets))));
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

    static std::vector<Merge> merges_of(const nb::bytes& data) {
        const std::vector<Id> numbers = numbers_of<Id>(data);
        std::vector<Merge> merges(numbers.size() / 3);
        for (std::size_t i = 0; i < merges.size(); ++i)
            merges[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
        return merges;
    }

    BatchIds<Out> batch(const nb::list& texts, std::size_t threads) {
        std::vector<Span> spans;
        spans.reserve(texts.size());
        for (const nb::handle text : texts) spans.push_back(span_of(text));
        const nb::gil_scoped_release release;
        return encode_texts(encoder_, spans, threads);
    }

    // The int objects are made once: a list then costs a reference for each id.
    nb::object list_of(const Out* ids, std::size_t count) {
        PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
        if (list == nullptr) throw nb::python_error();
        for (std::size_t i = 0; i < count; ++i) {
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

template <class Out>
void bind_text_encoder(nb::module_& m, const char* name) {
    using Encoder = PyTextEncoder<Out>;
    nb::class_<Encoder>(m, name)
        .def(nb::init<const nb::bytes&, const nb::bytes&, Id, const PyScanner&, std::size_t>(),
             "byte_ids"_a, "merges"_a, "highest_id"_a, "scanner"_a, "cache_size"_a)
        .def_prop_ro("isa", &Encoder::isa)
        .def("encode", &Encoder::encode, "text"_a)
        .def("encode_array", &Encoder::encode_array, "text"_a)
        .def("count", &Encoder::count, "text"_a)
        .def("encode_pieces", &Encoder::encode_pieces, "pieces"_a)
        .def("encode_batch", &Encoder::encode_batch, "texts"_a, "threads"_a)
        .def("encode_batch_arrays", &Encoder::encode_batch_arrays, "texts"_a, "threads"_a)
        .def("cache_info", &Encoder::cache_info)
        .def("cache_clear", &Encoder::cache_clear);
}

}  // namespace

void bind_encoder(nb::module_& m) {
    m.def("runnable_isas", &runnable_isas);
    nb::class_<PyScanner>(m, "Scanner").def(nb::init<>()).def("split", &split, "text"_a);
    m.def("family_scanner", &family_scanner, "family"_a, "classes"_a, "tokens"_a);
    m.def("dfa_scanner", &dfa_scanner, "pages"_a, "classes"_a, "transitions"_a, "width"_a);
    bind_text_encoder<std::uint16_t>(m, "TextEncoder16");
    bind_text_encoder<std::uint32_t>(m, "TextEncoder32");
}

}  // namespace bytebpe
