#pragma once
// How much work the memory system has with one warp-wide load or store. Pure functions of
// addresses.

#include <cstdint>

namespace runtime {

// The lanes of a warp at one load or store instruction; all active lanes access `bytes` each.
struct Request {
  std::uint64_t address[32];
  std::uint32_t active = 0;  // by lane
  std::uint32_t bytes = 0;
};

// Distinct 32-byte sectors that the active lanes touch: ncu's l1tex__t_sectors for this request.
unsigned global_sectors(const Request& request);

enum class Direction { kLoad, kStore };

// Passes through the 32 banks of 4 bytes: ncu's l1tex__data_pipe_lsu_wavefronts. Accesses of up to
// 4 bytes are served in one phase of 32 lanes, of 8 bytes in two of 16, of 16 bytes in four of 8. A
// phase takes as many wavefronts as the busiest bank holds different words; lanes at the same word
// share it.
//
// Loads of 8 and 16 bytes have a discount: when every active lane has the address of the lane whose
// number differs in bit 0, or every one that of the lane which differs in bit 1, phases hold twice
// as many lanes. (Undocumented; read off the counters of an H200, for loads and for stores.)
unsigned shared_wavefronts(const Request& request, Direction direction);

// Of the eight rows of 16 bytes that make one matrix of ldmatrix or stmatrix: as many wavefronts as
// different rows share one eighth of the banks.
unsigned matrix_wavefronts(const std::uint64_t (&rows)[8]);

}  // namespace runtime
