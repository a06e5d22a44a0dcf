// Equals `encode_batch` of bytebpe/ordinary.py: many texts, or one long one, to ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "parallel.hpp"
#include "text_encoder.hpp"

namespace bytebpe {

struct Span {
    const std::uint8_t* text;
    std::size_t size;
};

// What one thread encodes at a time: neighbouring texts, or a part of a long one.
struct BatchTask {
    std::vector<Span> spans;
    std::vector<Id> ids;              // of all spans, one after the other
    std::vector<std::size_t> counts;  // of ids, for each span
};

// Texts are put together up to about this many bytes.
inline constexpr std::size_t task_size = std::size_t{1} << 18;

inline std::vector<BatchTask> tasks_of(const std::vector<Span>& spans) {
    std::vector<BatchTask> tasks;
    std::size_t filled = task_size;
    for (const Span& span : spans) {
        if (filled >= task_size) {
            tasks.emplace_back();
            filled = 0;
        }
        tasks.back().spans.push_back(span);
        filled += span.size;
    }
    return tasks;
}

// Divides a text where a piece is sure to start: at an ASCII symbol or space after an ASCII
// letter, or at a letter of three bytes no one can tell; so texts without such places stay whole.
inline std::vector<Span> divide(const std::uint8_t* text, std::size_t size, std::size_t part) {
    const auto is_letter = [](std::uint8_t byte) {
        return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    };
    const auto is_start = [](std::uint8_t byte) {
        return byte == ' ' || byte == ',' || byte == '.' || byte == '(' || byte == ')' ||
               byte == ';' || byte == ':' || byte == '-';
    };
    std::vector<Span> spans;
    std::size_t from = 0;
    while (size - from > 2 * part) {
        std::size_t at = from + part;
        while (at < size && !(is_start(text[at]) && is_letter(text[at - 1]))) ++at;
        spans.push_back({text + from, at - from});
        from = at;
    }
    if (from < size) spans.push_back({text + from, size - from});
    return spans;
}

inline void encode_tasks(TextEncoder& encoder, std::vector<BatchTask>& tasks, std::size_t threads) {
    run_tasks(tasks.size(), threads, [&](std::size_t which) {
        BatchTask& task = tasks[which];
        auto work = encoder.borrow();
        for (const Span& span : task.spans) {
            const std::size_t before = work->output.size();
            encoder.encode(span.text, span.size, *work);
            task.counts.push_back(work->output.size() - before);
        }
        task.ids.assign(work->output.begin(), work->output.end());
        encoder.give_back(std::move(work));
    });
}

}  // namespace bytebpe
