// Equals nothing in the reference, where Python itself looks for signals between two steps.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace bytebpe {

// Calls back about ten times a second while long work goes on.  The call may throw, which ends
// the work where it stands.
class Pulse {
public:
    explicit Pulse(std::function<void()> beat) : beat_(std::move(beat)) {}

    // Says that so many small steps are done.  The clock is read once in many steps.
    void tick(std::size_t steps = 1) {
        steps_ += steps;
        if (steps_ < between) return;
        steps_ = 0;
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        beat_();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t between = 1 << 14;

    std::function<void()> beat_;
    std::size_t steps_ = 0;
    Clock::time_point last_ = Clock::now();
};

}  // namespace bytebpe
