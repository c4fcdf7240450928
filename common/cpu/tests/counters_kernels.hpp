#pragma once
// Small kernels with accesses that can be counted by hand. Compiled for tracing.

// Runs the kernel of that name once.
void run_traced(const char* name);

// The same for kernels of asynchronous words and tensor cores.
void run_traced_async(const char* name);
