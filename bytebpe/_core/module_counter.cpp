// The counter of pieces as Python sees it.
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "module_scanner.hpp"
#include "module_trainer.hpp"
#include "piece_counter.hpp"
#include "transcode.hpp"
#include "utf8_check.hpp"

using namespace nb::literals;

namespace bytebpe {
namespace {

class PyPieceCounter {
public:
    template <class AScanner>
    PyPieceCounter(AScanner&& scanner, const nb::list& specials)
        : counter_(std::make_unique<PieceCounter::AnyScanner>(std::forward<AScanner>(scanner)),
                   views_of(specials)) {}

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
            if (!add_read(item, long_size)) {
                left.append(item);
                break;
            }
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
        Buffer<std::uint8_t> room;
        const std::optional<Span> text = text_in(item, room);
        if (!text) return false;
        {
            const nb::gil_scoped_release release;
            Pulse pulse(heed_signals);
            counter_.count_long({*text, bytes_}, threads, pulse);
        }
        passed(1, text->size);
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
        read_ = Buffer<std::uint8_t>();
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
    // The UTF-8 of a text, behind what `room` holds if need be; nothing if it cannot be counted
    // here.
    std::optional<Span> text_in(const nb::object& item, Buffer<std::uint8_t>& room) const {
        if (const std::optional<CodePoints> points = text_of(item))
            return utf8_of(*points, best_isa(), room);
        if (!PyBytes_Check(item.ptr())) return {};
        const Span bytes = span_of(item);
        if (counter_.needs_utf8() && !is_utf8(bytes)) return {};
        return bytes;
    }

    // Copies a text behind those that were read; false if it is none to be copied.
    bool add_read(const nb::object& item, std::size_t long_size) {
        const std::optional<CodePoints> points = text_of(item);
        if (points && points->count >= long_size) return false;
        const std::optional<Span> text = text_in(item, read_);
        if (!text || text->size >= long_size) return false;
        std::uint8_t* end = read_.end_with_room(text->size);
        if (text->size > 0 && text->text != end) std::memcpy(end, text->text, text->size);
        read_.add(text->size);
        ends_.push_back(read_.size());
        return true;
    }

    static nb::tuple tuple_of(const PieceCounter::Dropped& dropped) {
        return nb::make_tuple(dropped.pieces, dropped.count);
    }

    PieceCounter counter_;
    Buffer<std::uint8_t> read_;      // texts, one after the other
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
        [](const std::string& family, const nb::bytes& classes, const nb::list& specials) {
            const Family known = family_of(family);
            return PyPieceCounter(FamilyScanner(known, char_table(known, classes)), specials);
        },
        "family"_a, "classes"_a, "specials"_a);
    m.def(
        "dfa_counter",
        [](const nb::bytes& pages, const nb::bytes& classes, const nb::bytes& transitions,
           std::size_t width, const nb::list& specials) {
            return PyPieceCounter(dfa_of(pages, classes, transitions, width), specials);
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
