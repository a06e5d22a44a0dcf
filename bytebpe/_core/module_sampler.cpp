// The sampler of BPE-dropout as Python sees it.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dfa_scanner.hpp"
#include "dropout.hpp"
#include "module.hpp"
#include "module_vocab.hpp"

using namespace nb::literals;

namespace bytebpe {
namespace {

class PySampler {
public:
    PySampler(const nb::bytes& byte_ids, const nb::bytes& merges, const nb::tuple& dfa)
        : sampler_(byte_ids_of(byte_ids), all_merges(merges)), dfa_(scanner_of(dfa)) {}

    // The ids, and the state of the generator after them.
    nb::tuple sample(nb::handle text, double dropout, std::uint64_t state) {
        const Span span = span_of(text);
        SplitMix64 random(state);
        std::vector<Id> ids;
        dfa_.scan(span.text, span.size, [&](std::size_t begin, std::size_t end) {
            sampler_.sample(span.text + begin, end - begin, dropout, random, ids);
        });
        return nb::make_tuple(list_of(ids), random.state());
    }

private:
    Sampler sampler_;
    DfaScanner dfa_;
};

}  // namespace

void bind_sampler(nb::module_& m) {
    nb::class_<PySampler>(m, "Sampler")
        .def(nb::init<const nb::bytes&, const nb::bytes&, const nb::tuple&>(), "byte_ids"_a,
             "merges"_a, "dfa"_a)
        .def("sample", &PySampler::sample, "text"_a, "dropout"_a, "state"_a);
}

}  // namespace bytebpe
