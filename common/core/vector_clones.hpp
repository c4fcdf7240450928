#pragma once
// For the few functions in which a run spends its time: compiled for any x86-64 and for AVX2, and
// chosen as the program starts. Not for FMA, which rounds differently from machine to machine.

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CORE_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CORE_VECTOR_CLONES
#endif
