#include "isa.hpp"

#include <cstdlib>
#include <cstring>

#include "isa_portable.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BYTEBPE_X86 1
#if defined(__GNUC__) && !defined(__clang__)
// The compiler's own headers warn of themselves when they are inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "isa_avx2.hpp"
#include "isa_avx512.hpp"
#endif

namespace bytebpe {
namespace {

std::vector<const Isa*> runnable() {
    std::vector<const Isa*> found;
#ifdef BYTEBPE_X86
    __builtin_cpu_init();
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2"))
        found.push_back(&avx512::isa);
    if (has_avx2) found.push_back(&avx2::isa);
#endif
    found.push_back(&portable::isa);
    return found;
}

}  // namespace

const Isa& best_isa() {
    const std::vector<const Isa*> found = runnable();
    if (const char* wanted = std::getenv("BYTEBPE_ISA"))
        for (const Isa* isa : found)
            if (std::strcmp(isa->name, wanted) == 0) return *isa;
    return *found.front();
}

std::vector<std::string> runnable_isas() {
    std::vector<std::string> names;
    for (const Isa* isa : runnable()) names.emplace_back(isa->name);
    return names;
}

}  // namespace bytebpe
