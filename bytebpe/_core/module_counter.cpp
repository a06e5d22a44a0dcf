// The counter of pieces as Python sees it.
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "module_trainer.hpp"
#include "piece_counter.hpp"
#include "utf8_check.hpp"

using namespace nb::literals;

namespace bytebpe {
namespace {

class PyPieceCounter {
public:
    template <class AScanner>
    PyPieceCounter(AScanner&& scanner, std::vector<std::string> specials)
        : counter_(std::make_unique<PieceCounter::AnyScanner>(std::move(scanner)),
                   std::move(specials)) {}

    // Copies texts until they come to `room` bytes.  Returns whether more may come, and in a list
    // the text that ended the reading, if it is one for `count_long`.
    nb::tuple read(nb::handle texts, std::size_t room, std::size_t long_size) {
        read_.clear();
        ends_.clear();
        nb::list left;
        while (read_.size() < room) {
            PyObject* next = PyIter_Next(texts.ptr());
            if (next == nullptr) {
                if (PyErr_Occurred() != nullptr) throw nb::python_error();
                return nb::make_tuple(false, left);
            }
            const nb::object item = nb::steal(next);
            Span text{};
            if (!is_text(item, text) || text.size >= long_size) {
                left.append(item);
                break;
            }
            read_.insert(read_.end(), text.text, text.text + text.size);
            ends_.push_back(read_.size());
        }
        return nb::make_tuple(true, left);
    }

    // Counts the pieces of the texts that were read.
    void count(std::size_t threads) {
        std::vector<PieceCounter::Text> texts;
        std::size_t start = 0;
        for (const std::size_t end : ends_) {
            texts.push_back({{read_.data() + start, end - start}, bytes_ + start});
            start = end;
        }
        ends_.clear();
        {
            const nb::gil_scoped_release release;
            counter_.count(texts, threads);
        }
        passed(texts.size(), start);
    }

    // Counts the pieces of a long text; false for one that cannot be counted here.  An error, as
    // a signal may raise, leaves it uncounted.
    bool count_long(const nb::object& item, std::size_t threads) {
        Span text{};
        if (!is_text(item, text)) return false;
        {
            const nb::gil_scoped_release release;
            Pulse pulse(heed_signals);
            counter_.count_long({text, bytes_}, threads, pulse);
        }
        passed(1, text.size);
        return true;
    }

    // Counts the pieces of a text of so many bytes that was split elsewhere.
    void add_pieces(const nb::list& pieces, std::size_t size) {
        std::uint64_t position = bytes_;
        for (const nb::handle piece : pieces) {
            const Span span = span_of(piece);
            counter_.add(span, 1, position);
            position += span.size;
        }
        passed(1, size);
    }

    // Counts a piece so often, as one that follows all that was seen.
    void add_counted(const nb::bytes& piece, std::int64_t count) {
        counter_.add(span_of(piece), count, bytes_ + ++added_);
    }

    // Says that the stream went on by so many texts of so many bytes.
    void passed(std::uint64_t texts, std::uint64_t bytes) {
        texts_ += texts;
        bytes_ += bytes;
        added_ = 0;
    }

    std::uint64_t texts() const { return texts_; }
    std::uint64_t size() const { return bytes_; }

    std::int64_t total() {
        const PieceTable& table = counter_.table();
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < table.size(); ++i) sum += table[i].count;
        return sum;
    }

    std::size_t pieces() { return counter_.table().size(); }

    // Pieces and their counts in the order in which they first appeared.
    nb::list items(std::size_t start, std::size_t most) {
        const PieceTable& table = counter_.table();
        if (start == 0) order_ = table.in_order();
        nb::list rows;
        for (std::size_t i = start; i < order_.size() && i - start < most; ++i) {
            const PieceTable::Entry& entry = table[order_[i]];
            const Span piece = PieceTable::piece(entry);
            rows.append(nb::make_tuple(
                nb::bytes(reinterpret_cast<const char*>(piece.text), piece.size), entry.count));
        }
        return rows;
    }

    // The same as text: lines of a count, a tab and the piece, each byte as its proxy in UTF-8.
    nb::str lines(std::size_t start, std::size_t most, const std::vector<std::string>& proxies) {
        if (proxies.size() != 256) throw nb::value_error("proxies: expected 256 strings");
        const PieceTable& table = counter_.table();
        if (start == 0) order_ = table.in_order();
        std::string text;
        for (std::size_t i = start; i < order_.size() && i - start < most; ++i) {
            const PieceTable::Entry& entry = table[order_[i]];
            const Span piece = PieceTable::piece(entry);
            text += std::to_string(entry.count) += '\t';
            for (std::size_t at = 0; at < piece.size; ++at) text += proxies[piece.text[at]];
            text += '\n';
        }
        return nb::str(text.data(), text.size());
    }

    nb::tuple keep_most(std::size_t limit, std::size_t kept) {
        return tuple_of(counter_.keep_most(limit, kept));
    }
    nb::tuple drop_rare(std::int64_t least) { return tuple_of(counter_.drop_rare(least)); }

    std::unique_ptr<AnyTrainer> trainer(const nb::bytes& byte_symbols,
                                        const TrainerOptions& options) {
        read_ = {};
        PieceRows rows{counter_.rest(), {}, numbers_of<std::uint32_t>(byte_symbols)};
        if (rows.symbols.size() != 256) throw nb::value_error("byte_symbols: expected 256 numbers");
        const nb::gil_scoped_release release;
        if (options.first) {
            rows.order = rows.table.in_order();
        } else {
            rows.order.resize(rows.table.size());
            std::iota(rows.order.begin(), rows.order.end(), 0U);
        }
        return make_trainer(rows, options);
    }

private:
    // Whether an item is a text that can be counted here, and its bytes.
    bool is_text(const nb::object& item, Span& text) const {
        if (PyBytes_Check(item.ptr())) {
            text = span_of(item);
            return !counter_.needs_utf8() || is_utf8(text);
        }
        if (!PyUnicode_Check(item.ptr())) return false;
        try {
            text = span_of(item);
        } catch (nb::python_error& error) {  // a lone surrogate
            return false;
        }
        return true;
    }

    static nb::tuple tuple_of(const PieceCounter::Dropped& dropped) {
        return nb::make_tuple(dropped.pieces, dropped.count);
    }

    PieceCounter counter_;
    std::vector<std::uint8_t> read_;
    std::vector<std::size_t> ends_;  // of the texts in `read_`
    std::uint64_t texts_ = 0, bytes_ = 0;
    std::uint64_t added_ = 0;  // pieces counted since the last text
    std::vector<std::uint32_t> order_;
};

}  // namespace

void bind_counter(nb::module_& m) {
    nb::class_<PyPieceCounter>(m, "PieceCounter")
        .def("read", &PyPieceCounter::read, "texts"_a, "room"_a, "long_size"_a)
        .def("count", &PyPieceCounter::count, "threads"_a)
        .def("count_long", &PyPieceCounter::count_long, "text"_a.none(), "threads"_a)
        .def("add_pieces", &PyPieceCounter::add_pieces, "pieces"_a, "size"_a)
        .def("add_counted", &PyPieceCounter::add_counted, "piece"_a, "count"_a)
        .def("passed", &PyPieceCounter::passed, "texts"_a, "size"_a)
        .def_prop_ro("texts", &PyPieceCounter::texts)
        .def_prop_ro("size", &PyPieceCounter::size)
        .def("total", &PyPieceCounter::total)
        .def("__len__", &PyPieceCounter::pieces)
        .def("items", &PyPieceCounter::items, "start"_a, "most"_a)
        .def("lines", &PyPieceCounter::lines, "start"_a, "most"_a, "proxies"_a)
        .def("keep_most", &PyPieceCounter::keep_most, "limit"_a, "kept"_a)
        .def("drop_rare", &PyPieceCounter::drop_rare, "least"_a);
    m.def(
        "family_counter",
        [](const std::string& family, std::shared_ptr<CharClasses> classes,
           std::vector<std::string> specials) {
            const Family which = family == "gpt2"     ? Family::gpt2
                                 : family == "cl100k" ? Family::cl100k
                                                      : Family::qwen2;
            return PyPieceCounter(FamilyScanner(which, std::move(classes), no_cut()),
                                  std::move(specials));
        },
        "family"_a, "classes"_a, "specials"_a);
    m.def(
        "dfa_counter",
        [](const nb::bytes& pages, const nb::bytes& classes, const nb::bytes& transitions,
           std::size_t width, std::vector<std::string> specials) {
            return PyPieceCounter(
                DfaScanner(numbers_of<std::uint16_t>(pages), numbers_of<std::uint8_t>(classes),
                           numbers_of<std::uint16_t>(transitions), width),
                std::move(specials));
        },
        "pages"_a, "classes"_a, "transitions"_a, "width"_a, "specials"_a);
    m.def(
        "piece_trainer",
        [](PyPieceCounter& counter, const nb::bytes& byte_symbols, std::uint32_t new_symbol,
           std::uint64_t max_merges, std::int64_t min_frequency, std::uint64_t max_width,
           bool first) {
            return PyTrainer(counter.trainer(
                byte_symbols, {new_symbol, max_merges, min_frequency, max_width, first}));
        },
        "counter"_a, "byte_symbols"_a, "new_symbol"_a, "max_merges"_a, "min_frequency"_a,
        "max_width"_a, "first"_a);
}

}  // namespace bytebpe
