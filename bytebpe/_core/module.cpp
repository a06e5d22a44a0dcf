// The face of the core to Python: conversions, and nothing else.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <tuple>

#include "merge.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using bytebpe::Id;

NB_MODULE(_native, m) {
    nb::class_<bytebpe::Merger>(m, "MergeTable")
        .def(
            "__init__",
            [](bytebpe::Merger* self, const std::array<Id, 256>& byte_ids,
               const std::vector<std::tuple<Id, Id, Id>>& merges) {
                std::vector<bytebpe::Merge> table;
                table.reserve(merges.size());
                for (const auto& [left, right, made] : merges) table.push_back({left, right, made});
                new (self) bytebpe::Merger(byte_ids, table);
            },
            "byte_ids"_a, "merges"_a)
        .def(
            "merge",
            [](const bytebpe::Merger& self, const nb::bytes& piece) {
                return self.merge(std::string_view(piece.c_str(), piece.size()));
            },
            "piece"_a);
}
