// Equals a loop: the same tasks, in any order, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bytebpe {

// Calls `work(task, thread)` for each task below `count`, on at most `threads` threads of which
// this one is the first, number 0.  Threads end with the call, so that a fork finds none; starting
// one takes some 20 microseconds, less than any task worth dividing.
template <class Work>
void run_tasks(std::size_t count, std::size_t threads, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto take = [&](std::size_t thread) {
        try {
            for (std::size_t task; (task = next.fetch_add(1)) < count;) work(task, thread);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex);
            failure = std::current_exception();
            next.store(count);
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) {
        try {
            helpers.emplace_back(take, i);
        } catch (const std::system_error&) {
            break;  // no more threads to be had: those that are there do the work
        }
    }
    take(0);
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace bytebpe
