// Equals nothing in the reference: asks for memory before it is read.
#pragma once

namespace bytebpe {

inline void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

// The same of what will be written, too.
inline void prefetch_to_write(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address, 1);
#else
    (void)address;
#endif
}

}  // namespace bytebpe
