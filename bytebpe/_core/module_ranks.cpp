// Ranks to parts as Python sees it.
#include <string_view>
#include <vector>

#include "module.hpp"
#include "ranks.hpp"

using namespace nb::literals;

namespace bytebpe {

void bind_ranks(nb::module_& m) {
    m.def(
        "left_sizes",
        [](const nb::list& tokens) {
            std::vector<std::string_view> views;
            views.reserve(tokens.size());
            for (const nb::handle token : tokens) {
                const Span span = span_of(token);
                views.emplace_back(reinterpret_cast<const char*>(span.text), span.size);
            }
            return view_of(left_sizes(views));
        },
        "tokens"_a);
}

}  // namespace bytebpe
