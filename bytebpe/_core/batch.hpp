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
template <class Out>
struct BatchIds {
    std::vector<Out> ids;
    std::vector<std::int64_t> offsets;
};

// What one thread encodes at a time: neighbouring texts, or a part of a long one.
template <class Out>
struct BatchTask {
    struct Part {
        Span span;
        std::size_t text;   // which of the texts it belongs to
        std::size_t count;  // of ids, once encoded
    };
    std::vector<Part> parts;
    std::vector<Out> ids;
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

template <class Out>
std::vector<BatchTask<Out>> tasks_of(const std::vector<Span>& texts, bool may_divide) {
    std::vector<BatchTask<Out>> tasks;
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

template <class Out>
BatchIds<Out> encode_texts(TextEncoder<Out>& encoder, const std::vector<Span>& texts,
                           std::size_t threads) {
    std::vector<BatchTask<Out>> tasks =
        tasks_of<Out>(texts, threads > 1 && encoder.splits_by_family());
    run_tasks(tasks.size(), threads, [&](std::size_t which) {
        BatchTask<Out>& task = tasks[which];
        auto work = encoder.borrow();
        for (typename BatchTask<Out>::Part& part : task.parts) {
            const std::size_t before = work->output.size();
            encoder.encode(part.span.text, part.span.size, *work);
            part.count = work->output.size() - before;
        }
        task.ids.assign(work->output.data(), work->output.data() + work->output.size());
        encoder.give_back(std::move(work));
    });
    BatchIds<Out> batch;
    std::size_t total = 0;
    for (const BatchTask<Out>& task : tasks) total += task.ids.size();
    batch.ids.reserve(total);
    batch.offsets.assign(texts.size() + 1, 0);
    for (BatchTask<Out>& task : tasks) {
        batch.ids.insert(batch.ids.end(), task.ids.begin(), task.ids.end());
        task.ids = {};
        for (const typename BatchTask<Out>::Part& part : task.parts)
            batch.offsets[part.text + 1] += static_cast<std::int64_t>(part.count);
    }
    for (std::size_t text = 0; text < texts.size(); ++text)
        batch.offsets[text + 1] += batch.offsets[text];
    return batch;
}

}  // namespace bytebpe
