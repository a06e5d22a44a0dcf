// The decoder as Python sees it.
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
        const std::string_view type = Py_TYPE(object.ptr())->tp_name;
        return type == "memoryview" || type == "numpy.ndarray" || type == "array.array" ||
               type == "bytearray";
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

template <class Number>
auto each_of(const Number* numbers) {
    return [numbers](std::size_t i) { return static_cast<std::uint64_t>(numbers[i]); };
}

class PyDecoder {
public:
    PyDecoder(const nb::bytes& ids, const nb::list& tokens)
        : decoder_(table_of(numbers_of<Id>(ids), tokens)) {}

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
        CheckedRows rows;
        for (const nb::handle row : batch) {
            if (!read(row, rows.all)) return nb::none();
            rows.end_row();
        }
        return texts_of(rows, errors, threads);
    }

    // The rows of a batch that lie one after the other; `offsets` must have been checked.
    nb::object decode_flat(nb::handle ids, nb::handle offsets, nb::handle errors,
                           std::size_t threads) const {
        const NumberView numbers(ids), ends(offsets);
        CheckedRows rows;
        const auto read_all = [&](const auto* id, std::size_t count) {
            return ends.visit([&](const auto* end, std::size_t ends_count) {
                if (ends_count > 0 && static_cast<std::size_t>(end[0]) > count) return false;
                rows.all.ids.reserve(count);
                for (std::size_t row = 0; row + 1 < ends_count; ++row) {
                    const auto start = static_cast<std::size_t>(end[row]);
                    const auto stop = static_cast<std::size_t>(end[row + 1]);
                    if (start > stop || stop > count) return false;
                    if (!decoder_.add(stop - start, each_of(id + start), rows.all)) return false;
                    rows.end_row();
                }
                return true;
            });
        };
        if (!numbers.visit(read_all).value_or(std::nullopt).value_or(false)) return nb::none();
        return texts_of(rows, errors, threads);
    }

private:
    static TokenTable table_of(const std::vector<Id>& ids, const nb::list& tokens) {
        if (ids.size() != tokens.size()) throw nb::value_error("expected a token for each id");
        Id highest = 0;
        for (const Id id : ids) highest = std::max(highest, id);
        TokenTable table(std::size_t{highest} + 1);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const Span token = span_of(tokens[i]);
            table.set(ids[i], {reinterpret_cast<const char*>(token.text), token.size});
        }
        return table;
    }

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

    nb::object texts_of(const CheckedRows& rows, nb::handle errors, std::size_t threads) const {
        const char* policy = policy_of(errors);
        if (policy == nullptr) return nb::none();
        const std::unique_ptr<char[]> bytes(new char[rows.all.bytes]);
        {
            const nb::gil_scoped_release release;
            write_rows(decoder_, rows, bytes.get(), threads);
        }
        nb::list texts;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const char* start = bytes.get() + rows.byte_starts[row];
            const std::size_t size = rows.byte_starts[row + 1] - rows.byte_starts[row];
            if (rows.ascii[row]) {
                const nb::object text = ascii_text(size);
                std::memcpy(PyUnicode_1BYTE_DATA(text.ptr()), start, size);
                texts.append(text);
            } else {
                texts.append(text_of(start, size, policy));
            }
        }
        return texts;
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
    nb::class_<PyDecoder>(m, "Decoder")
        .def(nb::init<const nb::bytes&, const nb::list&>(), "ids"_a, "tokens"_a)
        .def("decode_bytes", &PyDecoder::decode_bytes, "ids"_a.none())
        .def("decode", &PyDecoder::decode, "ids"_a.none(), "errors"_a.none())
        .def("decode_batch", &PyDecoder::decode_batch, "rows"_a, "errors"_a.none(), "threads"_a)
        .def("decode_flat", &PyDecoder::decode_flat, "ids"_a, "offsets"_a, "errors"_a.none(),
             "threads"_a);
}

}  // namespace bytebpe
