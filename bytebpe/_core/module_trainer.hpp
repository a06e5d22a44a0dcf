// What the bindings of the trainer and of the counter share.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "module.hpp"
#include "trainer.hpp"

namespace bytebpe {

class PyTrainer {
public:
    explicit PyTrainer(std::unique_ptr<AnyTrainer> trainer) : trainer_(std::move(trainer)) {}

    // Learns up to so many more merges; whether there may be more.  Signals are heeded meanwhile;
    // once one has raised an error, this trainer is of no more use.
    const char* learn(std::uint64_t merges) {
        if (trainer_ == nullptr) throw nb::value_error("this trainer was interrupted");
        Stop stop = Stop::none;
        auto trainer = std::move(trainer_);
        {
            const nb::gil_scoped_release release;
            Pulse pulse(heed_signals);
            stop = trainer->learn(merges, pulse);
        }
        trainer_ = std::move(trainer);
        switch (stop) {
            case Stop::max_merges:
                return "max_merges";
            case Stop::min_frequency:
                return "min_frequency";
            case Stop::max_width:
                return "max_width";
            case Stop::no_pairs:
                return "no_pairs";
            default:
                return nullptr;
        }
    }

    std::size_t size() const { return trainer().learned().size(); }

    // The merges from one on: left, right and count of each.
    nb::list learned(std::size_t from) const {
        nb::list rows;
        const std::vector<LearnedMerge>& learned = trainer().learned();
        for (std::size_t i = from; i < learned.size(); ++i)
            rows.append(nb::make_tuple(learned[i].left, learned[i].right, learned[i].count));
        return rows;
    }

    std::uint64_t visits() const { return trainer().visits(); }
    std::uint64_t recounts() const { return trainer().recounts(); }

private:
    const AnyTrainer& trainer() const {
        if (trainer_ == nullptr) throw nb::value_error("this trainer was interrupted");
        return *trainer_;
    }

    std::unique_ptr<AnyTrainer> trainer_;
};

}  // namespace bytebpe
