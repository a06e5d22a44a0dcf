// The trainer as Python sees it.
#include "module_trainer.hpp"

#include <memory>
#include <utility>
#include <vector>

using namespace nb::literals;

namespace bytebpe {
namespace {

// Rows of symbols, one after the other.
struct RowArrays {
    std::vector<std::uint32_t> symbols;
    std::vector<std::uint64_t> ends;
    std::vector<Count> counts;

    std::size_t size() const { return counts.size(); }
    std::size_t start(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
    std::size_t length(std::size_t row) const { return ends[row] - start(row); }
    Count count(std::size_t row) const { return counts[row]; }

    template <class Symbol>
    void write(std::size_t row, Symbol* cells) const {
        std::transform(symbols.begin() + static_cast<std::ptrdiff_t>(start(row)),
                       symbols.begin() + static_cast<std::ptrdiff_t>(ends[row]), cells,
                       [](std::uint32_t symbol) { return static_cast<Symbol>(symbol); });
    }

    void check(std::uint32_t new_symbol) const {
        if (ends.size() != counts.size() || (ends.empty() ? 0 : ends.back()) != symbols.size() ||
            !std::is_sorted(ends.begin(), ends.end()))
            throw nb::value_error("the rows do not fit together");
        for (const std::uint32_t symbol : symbols)
            if (symbol >= new_symbol) throw nb::value_error("a symbol is not below new_symbol");
        for (const Count count : counts)
            if (count < 1) throw nb::value_error("a row counts less than once");
    }
};

}  // namespace

void heed_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_trainer(nb::module_& m) {
    nb::class_<PyTrainer>(m, "Trainer")
        .def(
            "__init__",
            [](PyTrainer* self, const nb::bytes& symbols, const nb::bytes& ends,
               const nb::bytes& counts, std::uint32_t new_symbol, std::uint64_t max_merges,
               Count min_frequency, std::uint64_t max_width, bool first) {
                const RowArrays rows{numbers_of<std::uint32_t>(symbols),
                                     numbers_of<std::uint64_t>(ends), numbers_of<Count>(counts)};
                rows.check(new_symbol);
                new (self) PyTrainer(
                    make_trainer(rows, {new_symbol, max_merges, min_frequency, max_width, first}));
            },
            "symbols"_a, "ends"_a, "counts"_a, "new_symbol"_a, "max_merges"_a, "min_frequency"_a,
            "max_width"_a, "first"_a)
        .def("learn", &PyTrainer::learn, "merges"_a)
        .def("__len__", &PyTrainer::size)
        .def("learned", &PyTrainer::learned, "start"_a = 0)
        .def_prop_ro("visits", &PyTrainer::visits)
        .def_prop_ro("recounts", &PyTrainer::recounts);
}

}  // namespace bytebpe
