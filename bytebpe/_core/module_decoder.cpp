// The decoder as Python sees it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "decoder.hpp"
#include "module.hpp"

using namespace nb::literals;

namespace bytebpe {
namespace {

// The numbers in a buffer; empty where it holds none that the core reads.
class NumberView {
public:
    explicit NumberView(nb::handle object) {
        if (!has_numbers(object) || PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
            PyErr_Clear();
            return;
        }
        open_ = true;
        if (view_.ndim != 1 || view_.format == nullptr || std::strlen(view_.format) != 1) return;
        if (reinterpret_cast<std::uintptr_t>(view_.buf) %
                static_cast<std::uintptr_t>(view_.itemsize) !=
            0)
            return;
        if (std::strchr("bhilq", view_.format[0]) != nullptr) kind_ = 'i';
        if (std::strchr("BHILQ", view_.format[0]) != nullptr) kind_ = 'u';
    }
    ~NumberView() {
        if (open_) PyBuffer_Release(&view_);
    }
    NumberView(const NumberView&) = delete;
    NumberView& operator=(const NumberView&) = delete;

    // Calls `use(numbers, count)` with the type of the numbers; nothing if there are none.
    template <class Use>
    auto visit(const Use& use) const -> std::optional<decltype(use((const int*)nullptr, 0))> {
        const bool has_sign = kind_ == 'i';
        if (kind_ == 0) return {};
        if (view_.itemsize == 1) return has_sign ? with<std::int8_t>(use) : with<std::uint8_t>(use);
        if (view_.itemsize == 2)
            return has_sign ? with<std::int16_t>(use) : with<std::uint16_t>(use);
        if (view_.itemsize == 4)
            return has_sign ? with<std::int32_t>(use) : with<std::uint32_t>(use);
        return has_sign ? with<std::int64_t>(use) : with<std::uint64_t>(use);
    }

private:
    static constexpr int flags = PyBUF_FORMAT | PyBUF_ND;

    // Types whose items are the numbers in their buffer; of others nobody knows, and a
    // subclass may have items of its own.
    static bool has_numbers(nb::handle object) {
        // Only a type made in C has a dot in its name here.
        const std::string_view type = Py_TYPE(object.ptr())->tp_name;
        return PyMemoryView_Check(object.ptr()) || PyByteArray_CheckExact(object.ptr()) ||
               type == "numpy.ndarray" || type == "array.array";
    }

    template <class Number, class Use>
    auto with(const Use& use) const {
        const auto size = static_cast<std::size_t>(view_.len) / sizeof(Number);
        return use(static_cast<const Number*>(view_.buf), size);
    }

    Py_buffer view_{};
    bool open_ = false;
    char kind_ = 0;
};

// Adds tokens, as many as there are ids.
TokenTable with(TokenTable table, const nb::bytes& ids, const nb::list& tokens) {
    const std::vector<Id> numbers = numbers_of<Id>(ids);
    if (numbers.size() != tokens.size()) throw nb::value_error("expected a token for each id");
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Span token = span_of(tokens[i]);
        table.set(numbers[i], {reinterpret_cast<const char*>(token.text), token.size});
    }
    return table;
}

template <class Number>
auto each_of(const Number* numbers) {
    return [numbers](std::size_t i) { return static_cast<std::uint64_t>(numbers[i]); };
}

class PyDecoder {
public:
    PyDecoder(TokenTable tokens, const nb::bytes& special_ids, const nb::list& special_tokens)
        : decoder_(with(std::move(tokens), special_ids, special_tokens)) {}

    // Each of these returns None for what the reference has to look at: ids in other shapes,
    // ids that are no tokens, and what is no id at all.

    nb::object decode_bytes(nb::handle ids) const {
        CheckedIds checked;
        if (!read(ids, checked)) return nb::none();
        PyObject* data = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(checked.bytes));
        if (data == nullptr) throw nb::python_error();
        write(checked, PyBytes_AS_STRING(data));
        return nb::steal(data);
    }

    nb::object decode(nb::handle ids, nb::handle errors) const {
        CheckedIds checked;
        const char* policy = policy_of(errors);
        if (policy == nullptr || !read(ids, checked)) return nb::none();
        if (checked.ascii) {
            nb::object text = ascii_text(checked.bytes);
            write(checked, reinterpret_cast<char*>(PyUnicode_1BYTE_DATA(text.ptr())));
            return text;
        }
        const std::unique_ptr<char[]> bytes(new char[checked.bytes]);
        write(checked, bytes.get());
        return text_of(bytes.get(), checked.bytes, policy);
    }

    nb::object decode_batch(const nb::list& batch, nb::handle errors, std::size_t threads) const {
        const auto read_row = [&](std::size_t row, CheckedIds& to) { return read(batch[row], to); };
        return texts_of(batch.size(), read_row, errors, threads);
    }

    // The rows of a batch that lie one after the other.
    nb::object decode_flat(nb::handle ids, nb::handle offsets, nb::handle errors,
                           std::size_t threads) const {
        const NumberView numbers(ids), ends(offsets);
        const auto with_ends = [&](const auto* end, std::size_t ends_count) {
            return numbers.visit([&](const auto* id, std::size_t count) -> nb::object {
                const auto place = [&](std::size_t i) { return static_cast<std::size_t>(end[i]); };
                for (std::size_t i = 0; i < ends_count; ++i)
                    if (place(i) > (i + 1 < ends_count ? place(i + 1) : count)) return nb::none();
                const auto read_row = [&](std::size_t row, CheckedIds& to) {
                    const std::size_t start = place(row), stop = place(row + 1);
                    if (start > stop || stop > count) return false;
                    return decoder_.add(stop - start, each_of(id + start), to);
                };
                return texts_of(ends_count > 0 ? ends_count - 1 : 0, read_row, errors, threads);
            });
        };
        return ends.visit(with_ends).value_or(std::nullopt).value_or(nb::none());
    }

private:
    // The ids are copied: where other threads run, an array may change at any time.
    bool read(nb::handle ids, CheckedIds& to) const {
        if (PyList_CheckExact(ids.ptr()) || PyTuple_CheckExact(ids.ptr())) {
            PyObject* const* items = PySequence_Fast_ITEMS(ids.ptr());
            const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(ids.ptr()));
            return decoder_.add(count, [items](std::size_t i) { return number_of(items[i]); }, to);
        }
        const NumberView view(ids);
        return view
            .visit([&](const auto* numbers, std::size_t count) {
                return decoder_.add(count, each_of(numbers), to);
            })
            .value_or(false);
    }

    // An int as 64 bits; what is none, and what has no place there, as a number that is no id.
    static std::uint64_t number_of(PyObject* item) {
        if (!PyLong_Check(item)) return UINT64_MAX;
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(item, &overflow);
        return overflow == 0 ? static_cast<std::uint64_t>(number) : UINT64_MAX;
    }

    void write(const CheckedIds& ids, char* to) const {
        if (ids.bytes > worth_releasing) {
            const nb::gil_scoped_release release;
            decoder_.write(ids.ids.data(), ids.ids.size(), to, ids.bytes);
        } else {
            decoder_.write(ids.ids.data(), ids.ids.size(), to, ids.bytes);
        }
    }

    // Reads and writes some rows at a time, so that what lies between stays at hand.
    template <class ReadRow>
    nb::object texts_of(std::size_t count, const ReadRow& read_row, nb::handle errors,
                        std::size_t threads) const {
        const char* policy = policy_of(errors);
        if (policy == nullptr) return nb::none();
        nb::list texts;
        CheckedRows rows;
        std::vector<char> bytes;
        for (std::size_t row = 0; row < count;) {
            rows.clear();
            for (; row < count && rows.all.ids.size() / threads < task_ids; ++row) {
                if (!read_row(row, rows.all)) return nb::none();
                rows.end_row();
            }
            if (bytes.size() < rows.all.bytes) bytes.resize(rows.all.bytes);
            {
                const nb::gil_scoped_release release;
                write_rows(decoder_, rows, bytes.data(), threads);
            }
            append_texts(rows, bytes.data(), policy, texts);
        }
        return texts;
    }

    static void append_texts(const CheckedRows& rows, const char* bytes, const char* policy,
                             nb::list& texts) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const char* start = bytes + rows.byte_starts[row];
            const std::size_t size = rows.byte_starts[row + 1] - rows.byte_starts[row];
            if (rows.ascii[row]) {
                const nb::object text = ascii_text(size);
                std::copy_n(start, size, reinterpret_cast<char*>(PyUnicode_1BYTE_DATA(text.ptr())));
                texts.append(text);
            } else {
                texts.append(text_of(start, size, policy));
            }
        }
    }

    // The name of a way to treat errors; null for what is none.
    static const char* policy_of(nb::handle errors) {
        Py_ssize_t size = 0;
        const char* name =
            PyUnicode_Check(errors.ptr()) ? PyUnicode_AsUTF8AndSize(errors.ptr(), &size) : nullptr;
        PyErr_Clear();
        const bool whole = name != nullptr && std::strlen(name) == static_cast<std::size_t>(size);
        return whole ? name : nullptr;
    }

    static nb::object text_of(const char* bytes, std::size_t size, const char* policy) {
        PyObject* text = PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(size), policy);
        if (text == nullptr) throw nb::python_error();
        return nb::steal(text);
    }

    // A str of so many characters of ASCII, to be filled.
    static nb::object ascii_text(std::size_t size) {
        PyObject* text = PyUnicode_New(static_cast<Py_ssize_t>(size), 0x7F);
        if (text == nullptr) throw nb::python_error();
        return nb::steal(text);
    }

    Decoder decoder_;
};

}  // namespace

void bind_decoder(nb::module_& m) {
    nb::class_<TokenTable>(m, "Tokens")
        .def(
            "__init__",
            [](TokenTable* self, const nb::bytes& ids, const nb::list& tokens) {
                new (self) TokenTable(with({}, ids, tokens));
            },
            "ids"_a, "tokens"_a)
        .def_static(
            "in_order",
            [](const nb::bytes& order, const nb::bytes& merges) {
                return TokenTable::in_order({order.c_str(), order.size()}, merges_of(merges));
            },
            "order"_a, "merges"_a);
    nb::class_<PyDecoder>(m, "Decoder")
        .def(nb::init<TokenTable, const nb::bytes&, const nb::list&>(), "tokens"_a, "special_ids"_a,
             "special_tokens"_a)
        .def("decode_bytes", &PyDecoder::decode_bytes, "ids"_a.none())
        .def("decode", &PyDecoder::decode, "ids"_a.none(), "errors"_a.none())
        .def("decode_batch", &PyDecoder::decode_batch, "rows"_a, "errors"_a.none(), "threads"_a)
        .def("decode_flat", &PyDecoder::decode_flat, "ids"_a, "offsets"_a, "errors"_a.none(),
             "threads"_a);
}

}  // namespace bytebpe
