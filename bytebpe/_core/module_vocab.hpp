// What the bindings of growing texts and of the sampler share: parts of a vocabulary and a pattern.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dfa_scanner.hpp"
#include "module.hpp"
#include "pair_table.hpp"

namespace bytebpe {

inline std::array<Id, 256> byte_ids_of(const nb::bytes& data) {
    const std::vector<Id> given = numbers_of<Id>(data);
    std::array<Id, 256> ids{};
    if (given.size() != ids.size()) throw nb::value_error("expected 256 ids of bytes");
    std::copy(given.begin(), given.end(), ids.begin());
    return ids;
}

inline std::vector<Merge> all_merges(const nb::bytes& data) {
    const std::vector<Id> flat = numbers_of<Id>(data);
    if (flat.size() % 3 != 0) throw nb::value_error("expected three ids for each merge");
    std::vector<Merge> merges;
    for (std::size_t at = 0; at < flat.size(); at += 3)
        merges.push_back({flat[at], flat[at + 1], flat[at + 2]});
    return merges;
}

// From pages, classes, transitions and width.
inline DfaScanner scanner_of(const nb::tuple& dfa) {
    return DfaScanner(numbers_of<std::uint16_t>(nb::cast<nb::bytes>(dfa[0])),
                      numbers_of<std::uint8_t>(nb::cast<nb::bytes>(dfa[1])),
                      numbers_of<std::uint16_t>(nb::cast<nb::bytes>(dfa[2])),
                      nb::cast<std::size_t>(dfa[3]));
}

inline nb::list list_of(const std::vector<Id>& ids) {
    nb::list list;
    for (const Id id : ids) list.append(id);
    return list;
}

}  // namespace bytebpe
