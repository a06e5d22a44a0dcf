// Equals `PieceCounter` of bytebpe/counting.py: texts to piece counts, on several threads.
//
// Each thread counts into a table of its own.  What is asked for at the end, the sum of the
// counts and the least of the first places, does not depend on which thread counted what.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "parallel.hpp"
#include "piece_table.hpp"
#include "pulse.hpp"
#include "special_finder.hpp"
#include "text_windows.hpp"

namespace bytebpe {

class PieceCounter {
public:
    using AnyScanner = std::variant<FamilyScanner, DfaScanner>;

    // A text, or a stretch of one, and where it lies in the stream of all texts.
    struct Text {
        Span span;
        std::uint64_t position;
    };

    struct Dropped {
        std::size_t pieces = 0;
        std::int64_t count = 0;
    };

    PieceCounter(std::unique_ptr<const AnyScanner> scanner,
                 const std::vector<std::string_view>& specials)
        : scanner_(std::move(scanner)), specials_(specials), isa_(best_isa()) {}

    // Whether texts must be UTF-8.
    bool needs_utf8() const { return std::holds_alternative<FamilyScanner>(*scanner_); }

    // Counts the pieces of some texts.
    void count(const std::vector<Text>& texts, std::size_t threads) {
        count_into(texts, threads, workers_, nullptr);
        std::size_t sum = 0;
        for (const auto& worker : workers_) sum += worker->table.size();
        // Tables of threads have many pieces in common; so they never come to more than about
        // twice what they hold together.
        if (sum > 2 * table_.size() + (1 << 20)) gather();
    }

    // Counts the pieces of one long text, or none of them if a signal raises an error.
    void count_long(const Text& text, std::size_t threads, Pulse& pulse) {
        Workers workers;
        count_into({text}, threads, workers, &pulse);
        for (auto& worker : workers) workers_.push_back(std::move(worker));
        gather();
    }

    // Counts one piece so often.
    void add(Span piece, std::int64_t count, std::uint64_t position) {
        table_.add(piece, count, position);
    }

    // All pieces in one table.
    const PieceTable& table() {
        gather();
        return table_;
    }

    // The same, with everything else given back that was only needed to count.
    const PieceTable& rest() {
        gather();
        workers_.clear();
        table_.rest();
        return table_;
    }

    // If there are more pieces than `limit`, keeps those that occurred most, of equals those seen
    // first.
    Dropped keep_most(std::size_t limit, std::size_t kept) {
        std::size_t sum = table_.size();
        for (const auto& worker : workers_) sum += worker->table.size();
        if (sum <= limit) return {};
        gather();
        if (table_.size() <= limit) return {};
        std::vector<std::uint32_t> numbers = table_.in_order();
        std::stable_sort(numbers.begin(), numbers.end(), [this](std::uint32_t a, std::uint32_t b) {
            return table_[a].count > table_[b].count;
        });
        numbers.resize(kept);
        return keep(numbers);
    }

    // Drops the pieces that occurred less often.
    Dropped drop_rare(std::int64_t least) {
        gather();
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t number = 0; number < table_.size(); ++number)
            if (table_[number].count >= least) numbers.push_back(number);
        return keep(numbers);
    }

private:
    struct Worker {
        WindowScratch scratch;
        PieceTable table;
    };
    using Workers = std::vector<std::unique_ptr<Worker>>;

    static constexpr std::size_t task_bytes = std::size_t{1} << 17;

    void count_into(const std::vector<Text>& texts, std::size_t threads, Workers& workers,
                    Pulse* pulse) const {
        std::vector<Text> stretches;
        for (const Text& text : texts) cut(text, stretches);
        std::vector<std::size_t> tasks{0};  // where each begins and the last one ends
        std::size_t filled = 0;
        for (std::size_t i = 0; i < stretches.size(); ++i) {
            filled += stretches[i].span.size;
            if (filled < task_bytes && i + 1 < stretches.size()) continue;
            tasks.push_back(i + 1);
            filled = 0;
        }
        const auto caller = std::this_thread::get_id();
        std::mutex mutex;
        run_tasks(tasks.size() - 1, threads, [&](std::size_t task, std::size_t) {
            Pulse* mine = std::this_thread::get_id() == caller ? pulse : nullptr;
            auto worker = borrow(workers, mutex);
            for (std::size_t i = tasks[task]; i < tasks[task + 1]; ++i)
                count_text(stretches[i], *worker, mine);
            const std::lock_guard<std::mutex> lock(mutex);
            workers.push_back(std::move(worker));
        });
    }

    static std::unique_ptr<Worker> borrow(Workers& workers, std::mutex& mutex) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (workers.empty()) return std::make_unique<Worker>();
        auto worker = std::move(workers.back());
        workers.pop_back();
        return worker;
    }

    // Cuts special tokens out of a text, and divides what is long of the rest.
    void cut(const Text& text, std::vector<Text>& parts) const {
        const Span span = text.span;
        std::size_t from = 0;
        const auto take = [&](std::size_t end) {
            if (end > from) divide({{span.text + from, end - from}, text.position + from}, parts);
        };
        while (const auto found = specials_.find(span.text, span.size, from)) {
            take(found->start);
            from = found->end;
        }
        take(span.size);
    }

    // Divides a long text at places where a piece is sure to start.
    void divide(Text text, std::vector<Text>& parts) const {
        const auto* family = std::get_if<FamilyScanner>(scanner_.get());
        while (family != nullptr && text.span.size > 2 * task_bytes) {
            const std::size_t size = family->sure_start(text.span.text, text.span.size, task_bytes);
            parts.push_back({{text.span.text, size}, text.position});
            text = {{text.span.text + size, text.span.size - size}, text.position + size};
        }
        parts.push_back(text);
    }

    void count_text(const Text& text, Worker& worker, Pulse* pulse) const {
        std::visit(
            [&](const auto& scanner) {
                each_window(scanner, text.span, isa_, worker.scratch,
                            [&](const std::uint8_t* window, const std::uint32_t* places,
                                std::size_t count, std::size_t at) {
                                worker.table.add(window, places, count, text.position + at, isa_);
                                if (pulse != nullptr) pulse->tick(count);
                            });
            },
            *scanner_);
    }

    // Puts all tables into one.
    void gather() {
        for (auto& worker : workers_) {
            if (table_.size() == 0)
                std::swap(table_, worker->table);
            else
                table_.add(worker->table);
            worker->table = PieceTable();
        }
    }

    // Keeps the entries of these numbers.
    Dropped keep(std::vector<std::uint32_t>& numbers) {
        Dropped dropped{table_.size() - numbers.size(), 0};
        if (dropped.pieces == 0) return dropped;
        std::sort(numbers.begin(), numbers.end());
        PieceTable kept;
        for (const std::uint32_t number : numbers) {
            const PieceTable::Entry& entry = table_[number];
            kept.add(PieceTable::piece(entry), entry.count, entry.first);
            dropped.count -= entry.count;
        }
        for (std::size_t number = 0; number < table_.size(); ++number)
            dropped.count += table_[number].count;
        std::swap(table_, kept);
        return dropped;
    }

    std::unique_ptr<const AnyScanner> scanner_;
    SpecialFinder specials_;
    const Isa& isa_;
    Workers workers_;
    PieceTable table_;
};

// Pieces as rows of symbols for the trainer, a symbol for each byte.
struct PieceRows {
    const PieceTable& table;
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> symbols;  // of the 256 bytes

    std::size_t size() const { return order.size(); }
    Span piece(std::size_t row) const { return PieceTable::piece(table[order[row]]); }
    std::size_t length(std::size_t row) const { return piece(row).size; }
    std::int64_t count(std::size_t row) const { return table[order[row]].count; }

    template <class Symbol>
    void write(std::size_t row, Symbol* cells) const {
        const Span bytes = piece(row);
        for (std::size_t i = 0; i < bytes.size; ++i)
            cells[i] = static_cast<Symbol>(symbols[bytes.text[i]]);
    }
};

}  // namespace bytebpe
