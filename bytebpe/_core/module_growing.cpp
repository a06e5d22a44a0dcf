// Texts that grow as Python sees them.
#include <memory>
#include <utility>
#include <vector>

#include "growing.hpp"
#include "module.hpp"
#include "module_vocab.hpp"

using namespace nb::literals;

namespace bytebpe {
namespace {

// The bytes of a str; a lone surrogate in it stands for a byte that is not UTF-8.
nb::bytes bytes_of(const nb::str& text) {
    PyObject* bytes = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
    if (bytes == nullptr) throw nb::python_error();
    return nb::steal<nb::bytes>(bytes);
}

std::shared_ptr<GrowingTexts> make(const nb::bytes& byte_ids, const nb::bytes& merges,
                                   const nb::list& tokens, const nb::bytes& ids,
                                   const nb::tuple& dfa) {
    TokenBytes known{numbers_of<Id>(ids), {}, {0}};
    if (known.ids.size() != tokens.size()) throw nb::value_error("expected an id for each token");
    for (const nb::handle token : tokens) {
        const Span span = span_of(token);
        known.bytes.insert(known.bytes.end(), span.text, span.text + span.size);
        known.starts.push_back(known.bytes.size());
    }
    return std::make_shared<GrowingTexts>(byte_ids_of(byte_ids), all_merges(merges),
                                          scanner_of(dfa), std::move(known));
}

nb::list feed(GrowingText& self, const nb::str& text) {
    const nb::bytes bytes = bytes_of(text);
    const Span span = span_of(bytes);
    return list_of(self.feed(span.text, span.size));  // not without the lock: it has state
}

}  // namespace

void bind_growing(nb::module_& m) {
    nb::class_<GrowingTexts>(m, "GrowingTexts")
        .def(nb::new_(&make), "byte_ids"_a, "merges"_a, "tokens"_a, "ids"_a, "dfa"_a)
        .def("new",
             [](std::shared_ptr<GrowingTexts> self) { return GrowingText(std::move(self)); });
    nb::class_<GrowingText>(m, "GrowingText")
        .def("feed", &feed, "text"_a)
        .def(
            "tail", [](GrowingText& self, std::size_t start) { return list_of(self.tail(start)); },
            "start"_a = 0)
        .def("steady", &GrowingText::steady)
        .def("finish", [](GrowingText& self) { return list_of(self.finish()); })
        .def("copy", [](const GrowingText& self) { return GrowingText(self); });
}

}  // namespace bytebpe
