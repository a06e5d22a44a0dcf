// What the bindings share: Python objects to values of the core, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "text_span.hpp"

namespace nb = nanobind;

namespace bytebpe {

// One file each, called by module.cpp.
void bind_encoder(nb::module_& m);
void bind_decoder(nb::module_& m);
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
    std::memcpy(numbers.data(), data.c_str(), numbers.size() * sizeof(Number));
    return numbers;
}

// An array for Python that owns its numbers.
template <class Number>
nb::object view_of(std::unique_ptr<std::vector<Number>> numbers) {
    Number* data = numbers->data();
    const std::size_t count = numbers->size();
    const nb::capsule owner(numbers.release(), [](void* owned) noexcept {
        delete static_cast<std::vector<Number>*>(owned);
    });
    return nb::cast(nb::ndarray<nb::memview, Number, nb::ndim<1>>(data, {count}, owner));
}

}  // namespace bytebpe
