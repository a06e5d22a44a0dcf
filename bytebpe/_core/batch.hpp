// Equals `encode` and `encode_batch_arrays` of bytebpe/ordinary.py: texts to ids, special tokens
// among them, and many texts on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "special_rule.hpp"
#include "text_encoder.hpp"
#include "text_span.hpp"
#include "transcode.hpp"
#include "unset_vector.hpp"

namespace bytebpe {

template <class Out>
void add_special(Id id, Workspace<Out>& work) {
    *work.output.end_with_room(1) = static_cast<Out>(id);
    work.output.add(1);
}

// Encodes a text and adds the ids to the workspace's output; false where the rule refuses it, or
// UTF-8 cannot write it.
template <class Out>
bool encode_text(const TextEncoder<Out>& encoder, const CodePoints& points, const SpecialRule& rule,
                 Workspace<Out>& work) {
    work.utf8.clear();
    const std::optional<Span> text = utf8_of(points, encoder.isa(), work.utf8);
    if (!text || rule.refuses(*text)) return false;
    rule.divide(
        *text, [&](const Span& part) { encoder.encode(part.text, part.size, work); },
        [&](Id id) { add_special(id, work); });
    return true;
}

// The ids of all texts one after the other, and where each starts and the last one ends.
template <class Out>
struct BatchIds {
    UnsetVector<Out> ids;
    UnsetVector<std::int64_t> offsets;
};

// A whole text, or a part of a long one: ordinary text, in UTF-8, or a special token.
struct BatchPart {
    enum class Kind { text, ordinary, special };
    Kind kind;
    std::size_t text;   // which of the texts it is of
    CodePoints points;  // none for a special token
    Id id;              // of a special token
    std::size_t count;  // of ids, once encoded
};

// What one thread encodes at a time: neighbouring texts, or a part of a long one.
struct BatchTask {
    std::vector<BatchPart> parts;
    std::size_t thread, begin, end;  // where its ids are, once encoded
};

// Texts are put together, or divided, to about this many bytes.
inline constexpr std::size_t task_size = std::size_t{1} << 18;

// Puts parts of texts together to tasks.
class BatchTasks {
public:
    void add(const BatchPart& part) {
        if (tasks.empty() || filled_ >= task_size) {
            tasks.emplace_back();
            filled_ = 0;
        }
        tasks.back().parts.push_back(part);
        filled_ += part.points.count;
    }

    // Adds a long text: divided at special tokens, and then where a piece is sure to start.
    void divide(const Span& span, std::size_t text, const SpecialRule& rule,
                const FamilyScanner& scanner) {
        const auto ordinary = [&](Span rest) {
            while (rest.size > 0) {
                const std::size_t size = rest.size > 2 * task_size
                                             ? scanner.sure_start(rest.text, rest.size, task_size)
                                             : rest.size;
                add({BatchPart::Kind::ordinary, text, {rest.text, size, 0}, 0, 0});
                rest = {rest.text + size, rest.size - size};
            }
        };
        rule.divide(span, ordinary,
                    [&](Id id) { add({BatchPart::Kind::special, text, {nullptr, 0, 0}, id, 0}); });
    }

    std::vector<BatchTask> tasks;

private:
    std::size_t filled_ = 0;
};

// Takes the ids out of the workspaces, in the order of the texts.
template <class Out>
BatchIds<Out> put_in_order(const std::vector<BatchTask>& tasks,
                           const std::vector<std::unique_ptr<Workspace<Out>>>& works,
                           std::size_t texts) {
    BatchIds<Out> batch;
    batch.offsets.assign(texts + 1, 0);
    std::vector<std::size_t> starts{0};
    for (const BatchTask& task : tasks) {
        starts.push_back(starts.back() + task.end - task.begin);
        for (const BatchPart& part : task.parts)
            batch.offsets[part.text + 1] += static_cast<std::int64_t>(part.count);
    }
    batch.ids.resize(starts.back());
    run_tasks(tasks.size(), works.size(), [&](std::size_t which, std::size_t) {
        const BatchTask& task = tasks[which];
        const Out* ids = works[task.thread]->output.data();
        std::copy(ids + task.begin, ids + task.end, batch.ids.data() + starts[which]);
    });
    for (std::size_t text = 0; text < texts; ++text) batch.offsets[text + 1] += batch.offsets[text];
    return batch;
}

// Nothing where the rule refuses a text.
template <class Out>
std::optional<BatchIds<Out>> encode_texts(TextEncoder<Out>& encoder,
                                          const std::vector<CodePoints>& texts,
                                          const SpecialRule& rule, std::size_t threads) {
    BatchTasks put_together;
    const FamilyScanner* scanner = threads > 1 ? encoder.family() : nullptr;
    std::deque<Buffer<std::uint8_t>> long_texts;
    for (std::size_t text = 0; text < texts.size(); ++text) {
        if (scanner == nullptr || texts[text].count <= 2 * task_size) {
            put_together.add({BatchPart::Kind::text, text, texts[text], 0, 0});
            continue;
        }
        const std::optional<Span> span =
            utf8_of(texts[text], encoder.isa(), long_texts.emplace_back());
        if (!span || rule.refuses(*span)) return {};
        put_together.divide(*span, text, rule, *scanner);
    }
    std::vector<BatchTask>& tasks = put_together.tasks;
    // Each thread has a workspace, in which the ids of all its tasks come to lie.
    std::vector<std::unique_ptr<Workspace<Out>>> works(std::min(threads, tasks.size()));
    std::atomic<bool> refused{false};
    run_tasks(tasks.size(), works.size(), [&](std::size_t which, std::size_t thread) {
        if (works[thread] == nullptr) works[thread] = encoder.borrow(works.size());
        Workspace<Out>& work = *works[thread];
        BatchTask& task = tasks[which];
        task.thread = thread;
        task.begin = work.output.size();
        for (BatchPart& part : task.parts) {
            const std::size_t before = work.output.size();
            if (part.kind == BatchPart::Kind::special)
                add_special(part.id, work);
            else if (part.kind == BatchPart::Kind::ordinary)
                encoder.encode(static_cast<const std::uint8_t*>(part.points.units),
                               part.points.count, work);
            else if (!encode_text(encoder, part.points, rule, work))
                refused = true;
            if (refused) break;
            part.count = work.output.size() - before;
        }
        task.end = work.output.size();
    });
    std::optional<BatchIds<Out>> batch;
    if (!refused) batch = put_in_order(tasks, works, texts.size());
    // The first thread's last: a single one takes up where it left off.
    for (auto work = works.rbegin(); work != works.rend(); ++work)
        if (*work != nullptr) encoder.give_back(std::move(*work));
    return batch;
}

}  // namespace bytebpe
