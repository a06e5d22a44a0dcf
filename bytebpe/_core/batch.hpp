// Equals `encode_batch_arrays` of bytebpe/ordinary.py: many texts to ids, on several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "text_encoder.hpp"
#include "text_span.hpp"

namespace bytebpe {

// The ids of all texts one after the other, and where each starts and the last one ends.
struct BatchIds {
    std::vector<Id> ids;
    std::vector<std::int64_t> offsets;
};

// What one thread encodes at a time: neighbouring texts, or a part of a long one.
struct BatchTask {
    struct Part {
        Span span;
        std::size_t text;   // which of the texts it belongs to
        std::size_t count;  // of ids, once encoded
    };
    std::vector<Part> parts;
    std::vector<Id> ids;
};

// Texts are put together, or divided, to about this many bytes.
inline constexpr std::size_t task_size = std::size_t{1} << 18;

// The first place from `at` on where a piece of any family is sure to start: at an ASCII space
// or symbol that follows an ASCII letter.
inline std::size_t sure_start(const Span& span, std::size_t at) {
    const auto is_letter = [](std::uint8_t byte) {
        return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
    };
    const auto starts = [](std::uint8_t byte) {
        return byte == ' ' || byte == ',' || byte == '.' || byte == '(' || byte == ';';
    };
    while (at < span.size && !(starts(span.text[at]) && is_letter(span.text[at - 1]))) ++at;
    return at;
}

inline std::vector<BatchTask> tasks_of(const std::vector<Span>& texts, bool may_divide) {
    std::vector<BatchTask> tasks;
    std::size_t filled = task_size;
    for (std::size_t text = 0; text < texts.size(); ++text)
        for (std::size_t from = 0; from < texts[text].size;) {
            const Span rest{texts[text].text + from, texts[text].size - from};
            const bool divides = may_divide && rest.size > 2 * task_size;
            const std::size_t size = divides ? sure_start(rest, task_size) : rest.size;
            if (filled >= task_size) {
                tasks.emplace_back();
                filled = 0;
            }
            tasks.back().parts.push_back({{rest.text, size}, text, 0});
            filled += size;
            from += size;
        }
    return tasks;
}

inline BatchIds encode_texts(TextEncoder& encoder, const std::vector<Span>& texts,
                             std::size_t threads) {
    std::vector<BatchTask> tasks = tasks_of(texts, threads > 1 && encoder.splits_by_family());
    run_tasks(tasks.size(), threads, [&](std::size_t which) {
        BatchTask& task = tasks[which];
        auto work = encoder.borrow();
        for (BatchTask::Part& part : task.parts) {
            const std::size_t before = work->output.size();
            encoder.encode(part.span.text, part.span.size, *work);
            part.count = work->output.size() - before;
        }
        task.ids.assign(work->output.begin(), work->output.end());
        encoder.give_back(std::move(work));
    });
    BatchIds batch;
    std::size_t total = 0;
    for (const BatchTask& task : tasks) total += task.ids.size();
    batch.ids.reserve(total);
    batch.offsets.assign(texts.size() + 1, 0);
    for (BatchTask& task : tasks) {
        batch.ids.insert(batch.ids.end(), task.ids.begin(), task.ids.end());
        task.ids = {};
        for (const BatchTask::Part& part : task.parts)
            batch.offsets[part.text + 1] += static_cast<std::int64_t>(part.count);
    }
    for (std::size_t text = 0; text < texts.size(); ++text)
        batch.offsets[text + 1] += batch.offsets[text];
    return batch;
}

}  // namespace bytebpe
