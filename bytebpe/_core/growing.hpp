// Equals `_ByAutomaton` of bytebpe/growing.py: a text that grows, and which ids are certain.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "dfa_scanner.hpp"
#include "open_piece.hpp"
#include "text_encoder.hpp"
#include "unset_vector.hpp"

namespace bytebpe {

// What texts that grow have in common.
class GrowingTexts {
public:
    GrowingTexts(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges,
                 DfaScanner scanner, TokenBytes tokens)
        : encoder(byte_ids, merges, std::monostate{}, cache_size),
          dfa(std::move(scanner)),
          tokens_(std::move(tokens)) {}

    // Made when the first long piece asks for it.
    const TokenTree& tree() {
        std::call_once(made_, [this] { tree_.emplace(std::move(tokens_)); });
        return *tree_;
    }

    TextEncoder<Id> encoder;
    const DfaScanner dfa;

private:
    static constexpr std::size_t cache_size = std::size_t{1} << 14;

    std::once_flag made_;
    TokenBytes tokens_;
    std::optional<TokenTree> tree_;
};

class GrowingText {
public:
    explicit GrowingText(std::shared_ptr<GrowingTexts> texts) : texts_(std::move(texts)) {
        start_match(0);
    }

    // Lets the text go on, by whole characters and bytes that are none, and returns the ids
    // that have become certain.
    std::vector<Id> feed(const std::uint8_t* text, std::size_t size) {
        text_.resize(size_);
        text_.insert(text_.end(), text, text + size);
        size_ = text_.size();
        text_.resize(size_ + behind);
        // What a line feed is to `$` depends on whether the text ends after it.
        const std::size_t limit = size_ - (size_ > 0 && text_[size_ - 1] == '\n');
        Lent work(texts_->encoder);
        std::vector<Id> ids;
        std::size_t start = 0;
        while (true) {
            const bool had_match = end_ != none;
            read_on(limit);
            if (end_ == none) {
                if (state_ != DfaScanner::dead) break;
                start_match(texts_->dfa.after(text_.data(), begin_, size_));
                continue;
            }
            if (!had_match) {
                close(start, begin_, *work, ids);
                start = begin_;
            }
            if (state_ != DfaScanner::dead) break;
            close(start, end_, *work, ids);
            start = end_;
            if (!beyond_.empty()) {  // it has seen all but what came now
                encode_closed(start, *work, ids);
                return take_over(std::move(ids), text, size);
            }
            start_match(start);
        }
        encode_closed(start, *work, ids);
        settle(start, *work, ids);
        look_beyond(text, size);
        return ids;
    }

    // The ids after the certain ones, were the text to end here, from `from` on.
    std::vector<Id> tail(std::size_t from = 0) {
        const DfaScanner& dfa = texts_->dfa;
        Lent work(texts_->encoder);
        std::vector<Id> ids;
        std::size_t start = 0, begin = begin_;
        bool with_head = head_.has_value();
        bool waits = with_head && end_ == none;  // the head is a piece, if nothing is added
        const auto add = [&](std::size_t end) {
            if (with_head)
                head_->add_ids(text_.data(), end, texts_->tree(), merging(*work), ids);
            else
                encode_piece(start, end, *work, ids);
            with_head = waits = false;
            start = end;
        };
        std::size_t end = dfa.match_end(text_.data(), read_, size_, state_, end_);
        steady_ = 0;
        if (!beyond_.empty() && end == end_) {
            add(end);
            steady_ = ids.size() + beyond_ids_.size();
            if (from >= steady_) return beyond_.front().tail(from - steady_);
            append(ids, beyond_ids_);
            append(ids, beyond_.front().tail());
            return from_on(ids, from);
        }
        while (begin < size_) {
            if (end == none) {
                begin = dfa.after(text_.data(), begin, size_);
            } else {
                if (begin > start || waits) add(begin);
                add(end);
                begin = end;
            }
            if (begin < size_) end = dfa.match_end(text_.data(), begin, size_, dfa.start(), none);
        }
        if (begin > start || waits) add(begin);
        return from_on(ids, from);
    }

    // How many of the first ids of the last tail are known to stand unchanged.
    std::size_t steady() const {
        return steady_ + (steady_ > 0 && !beyond_.empty() ? beyond_.front().steady() : 0);
    }

    // The same, and starts a new text.
    std::vector<Id> finish() {
        std::vector<Id> ids = tail();
        size_ = 0;
        text_.assign(behind, 0);
        head_.reset();
        start_match(0);
        return ids;
    }

private:
    static constexpr std::size_t none = DfaScanner::none;
    static constexpr std::size_t behind = 64;         // bytes that may be read past the text
    static constexpr std::size_t window = 16'384;     // bytes of pieces that are encoded together
    static constexpr std::size_t most_short = 1'024;  // bytes of a head that is merged each time

    using Work = Workspace<Id>;

    // A workspace while it is lent.
    class Lent {
    public:
        explicit Lent(TextEncoder<Id>& encoder) : encoder_(encoder), work_(encoder.borrow()) {}
        ~Lent() { encoder_.give_back(std::move(work_)); }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        Work& operator*() { return *work_; }

    private:
        TextEncoder<Id>& encoder_;
        std::unique_ptr<Work> work_;
    };

    OpenPiece::Merging merging(Work& work) const {
        return {texts_->encoder.merger(), texts_->encoder.isa(), work.merge};
    }

    void start_match(std::size_t begin) {
        begin_ = read_ = begin;
        state_ = texts_->dfa.start();
        end_ = none;
        leave_beyond();
    }

    void leave_beyond() {
        beyond_.clear();
        beyond_ids_.clear();
        steady_ = 0;
    }

    // Reads until the match is known, or there is no more to read.
    void read_on(std::size_t limit) {
        const DfaScanner& dfa = texts_->dfa;
        while (read_ < limit && state_ != DfaScanner::dead) {
            const DfaScanner::Step step = dfa.step(text_.data(), read_, size_, state_);
            if (step.accepts) {
                end_ = read_;
                leave_beyond();
            }
            state_ = step.state;
            read_ += step.size;
        }
    }

    // Adds what is left of the ids of a piece that is certain, or notes where it starts.
    void close(std::size_t start, std::size_t end, Work& work, std::vector<Id>& ids) {
        UnsetVector<std::uint32_t>& places = work.scan.places;
        if (head_) {
            head_->add_ids(text_.data() + start, end - start, texts_->tree(), merging(work), ids);
            head_.reset();
            base_ = end;
            places.clear();
            return;
        }
        if (start == 0) {
            base_ = 0;
            places.clear();
        }
        if (start == end) return;
        places.push_back(static_cast<std::uint32_t>(start - base_));
        if (end - base_ >= window) encode_closed(end, work, ids);
    }

    void encode_closed(std::size_t end, Work& work, std::vector<Id>& ids) {
        UnsetVector<std::uint32_t>& places = work.scan.places;
        if (!places.empty()) {
            texts_->encoder.encode_cut(text_.data() + base_, end - base_, places, work);
            take(work, ids);
        }
        places.clear();
        base_ = end;
    }

    void encode_piece(std::size_t start, std::size_t end, Work& work, std::vector<Id>& ids) const {
        texts_->encoder.encode_piece(text_.data() + start, end - start, work);
        take(work, ids);
    }

    static void take(Work& work, std::vector<Id>& ids) {
        ids.insert(ids.end(), work.output.data(), work.output.data() + work.output.size());
        work.output.clear();
    }

    // Adds the ids that are certain of a long head, and drops the text before the rest.
    void settle(std::size_t start, Work& work, std::vector<Id>& ids) {
        const std::size_t end = end_ == none ? begin_ : end_;
        if (!head_ && end - start > most_short) head_.emplace();
        if (head_) {
            head_->extend(text_.data() + start, end - start, texts_->tree(), merging(work));
            head_->settle(texts_->tree(), ids);
            start = end;
        }
        text_.erase(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(start));
        size_ -= start;
        begin_ = begin_ > start ? begin_ - start : 0;
        read_ -= start;
        if (end_ != none) end_ -= start;
    }

    // Lets what follows the likely end of the match grow by what came now.
    void look_beyond(const std::uint8_t* text, std::size_t size) {
        if (!beyond_.empty()) {
            append(beyond_ids_, beyond_.front().feed(text, size));
        } else if (end_ != none && size_ - end_ > most_short) {
            beyond_.emplace_back(texts_);
            beyond_ids_ = beyond_.front().feed(text_.data() + end_, size_ - end_);
        }
    }

    // Goes on as what follows the match, which has ended.
    std::vector<Id> take_over(std::vector<Id> ids, const std::uint8_t* text, std::size_t size) {
        append(ids, beyond_ids_);
        GrowingText next = std::move(beyond_.front());
        *this = std::move(next);
        append(ids, feed(text, size));
        return ids;
    }

    static std::vector<Id> from_on(const std::vector<Id>& ids, std::size_t from) {
        return {ids.begin() + static_cast<std::ptrdiff_t>(std::min(from, ids.size())), ids.end()};
    }

    static void append(std::vector<Id>& ids, const std::vector<Id>& more) {
        ids.insert(ids.end(), more.begin(), more.end());
    }

    std::shared_ptr<GrowingTexts> texts_;
    std::vector<std::uint8_t> text_ = std::vector<std::uint8_t>(behind);  // what is open
    std::size_t size_ = 0;
    std::optional<OpenPiece> head_;
    std::size_t begin_ = 0, read_ = 0, end_ = none;
    std::uint32_t state_ = 0;
    // A match may stay open for long after the place where it is likely to end.  What follows
    // that place then grows as a text of its own (one or none), and these ids are certain in it.
    std::vector<GrowingText> beyond_;
    std::vector<Id> beyond_ids_;
    std::size_t steady_ = 0;  // of those and the ids before them, so many were shown already
    std::size_t base_ = 0;    // where the first piece starts that is closed and not encoded
};

}  // namespace bytebpe
