// What the bindings share: Python objects to values of the core, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pair_table.hpp"
#include "text_span.hpp"
#include "unset_vector.hpp"

namespace nb = nanobind;

namespace bytebpe {

// One file each, called by module.cpp.
void bind_encoder(nb::module_& m);
void bind_ranks(nb::module_& m);
void bind_decoder(nb::module_& m);
void bind_growing(nb::module_& m);
void bind_sampler(nb::module_& m);
void bind_trainer(nb::module_& m);
void bind_counter(nb::module_& m);

// Raises what the handler of a signal raises; to be called without the interpreter lock.
void heed_signals();

// Below this many bytes other threads wait less than it takes to let them in.
inline constexpr std::size_t worth_releasing = 4096;

// UTF-8 of a str, or the bytes themselves; the object keeps them.
inline Span span_of(nb::handle text) {
    if (PyBytes_Check(text.ptr()))
        return {reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(text.ptr())),
                static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr()))};
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) throw nb::python_error();
    return {reinterpret_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size)};
}

// The code points of a str, which keeps them; nothing for what is none.
inline std::optional<CodePoints> text_of(nb::handle text) {
    PyObject* object = text.ptr();
    if (!PyUnicode_Check(object)) return {};
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(object) != 0) throw nb::python_error();
#endif
    const auto count = static_cast<std::size_t>(PyUnicode_GET_LENGTH(object));
    const unsigned width = PyUnicode_IS_ASCII(object) ? 0U : PyUnicode_KIND(object);
    return CodePoints{PyUnicode_DATA(object), count, width};
}

template <class Number>
std::vector<Number> numbers_of(const nb::bytes& data) {
    std::vector<Number> numbers(data.size() / sizeof(Number));
    if (!numbers.empty())
        std::memcpy(numbers.data(), data.c_str(), numbers.size() * sizeof(Number));
    return numbers;
}

// Three numbers for each merge.
inline std::vector<Merge> merges_of(const nb::bytes& data) {
    const std::vector<Id> numbers = numbers_of<Id>(data);
    std::vector<Merge> merges(numbers.size() / 3);
    for (std::size_t i = 0; i < merges.size(); ++i)
        merges[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
    return merges;
}

// Numbers that a memoryview shows by the buffer protocol, and keeps alive.  A type as CPython
// itself makes them: one of nanobind takes as long to make as a short text to encode.
template <class Number>
struct NumberArray {
    PyObject_HEAD UnsetVector<Number> numbers;
    Py_ssize_t count, width;

    // Made once, by `bind_number_array`, and kept until the process ends.
    static inline PyTypeObject* type = nullptr;

    static PyObject* make(UnsetVector<Number> all) {
        auto* array = PyObject_New(NumberArray, type);
        if (array == nullptr) throw nb::python_error();
        new (&array->numbers) UnsetVector<Number>(std::move(all));
        array->count = static_cast<Py_ssize_t>(array->numbers.size());
        array->width = sizeof(Number);
        return reinterpret_cast<PyObject*>(array);
    }

    static void destroy(PyObject* self) {
        using Numbers = UnsetVector<Number>;
        reinterpret_cast<NumberArray*>(self)->numbers.~Numbers();
        PyObject_Free(self);
        Py_DECREF(type);
    }

    static int show(PyObject* self, Py_buffer* view, int) {
        auto* array = reinterpret_cast<NumberArray*>(self);
        static char format[] = {sizeof(Number) == 2 ? 'H' : sizeof(Number) == 4 ? 'I' : 'q', '\0'};
        static Number none{};
        view->buf = array->count == 0 ? &none : array->numbers.data();
        view->obj = Py_NewRef(self);
        view->len = array->count * array->width;
        view->itemsize = array->width;
        view->readonly = 0;
        view->ndim = 1;
        view->format = format;
        view->shape = &array->count;
        view->strides = &array->width;
        view->suboffsets = nullptr;
        view->internal = nullptr;
        return 0;
    }
};

template <class Number>
void bind_number_array(nb::module_& m, const char* name) {
    using Array = NumberArray<Number>;
    static const std::string full_name = std::string("bytebpe._native.") + name;
    static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&Array::destroy)},
                                  {Py_bf_getbuffer, reinterpret_cast<void*>(&Array::show)},
                                  {0, nullptr}};
    static PyType_Spec spec{full_name.c_str(), sizeof(Array), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    Array::type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (Array::type == nullptr) throw nb::python_error();
    m.attr(name) = nb::borrow(reinterpret_cast<PyObject*>(Array::type));
}

// A memoryview of numbers, which it owns.
template <class Number>
nb::object view_of(UnsetVector<Number> numbers) {
    const nb::object array = nb::steal(NumberArray<Number>::make(std::move(numbers)));
    PyObject* view = PyMemoryView_FromObject(array.ptr());
    if (view == nullptr) throw nb::python_error();
    return nb::steal(view);
}

}  // namespace bytebpe
