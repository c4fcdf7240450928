#pragma once
// Barriers in shared memory that count arrivals of threads and bytes of TMA copies (PTX mbarrier,
// compute capability 9.0).
//
// A phase completes when the arrivals that init() asked for have come and no expected byte is
// missing; the next phase then begins by itself, with the same count. Phases are told apart by
// parity: the first is 0, the next 1, then 0 again. A fresh barrier passes a wait for parity 1,
// which is how the first pass around a ring of empty stages starts. A wait must not be more than
// one phase behind: two phases late it looks as if nothing had happened.

#include <core/modes.hpp>
#include <gpu/address.hpp>

#include <cstdint>

namespace gpu {

using core::Scope;

// All functions are calls by one thread for itself; nothing is collective. Arrivals release and
// waits acquire: what a thread wrote before its arrival is seen after their wait by the threads in
// `scope`, those of the block, or of the cluster if both sides say so. The block is what PTX means
// when an instruction names no scope.
struct alignas(8) Mbarrier {
  std::uint64_t word;

  using Token = std::uint64_t;

  // PTX mbarrier.init: 1 to 2^20 - 1 arrivals complete a phase. One thread, once; then
  // fence_mbarrier_init() by that thread and a barrier of the block (with other blocks arriving: of
  // the cluster) before anybody else touches it.
  __device__ void init(unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(detail::shared_address(this)),
                 "r"(arrivals)
                 : "memory");
  }

  // PTX mbarrier.arrive: one arrival. The token names the phase arrived at, for wait_token(). One
  // arrival too many in a phase is undefined.
  __device__ Token arrive(Scope scope = Scope::kBlock) {
    Token token;
    if (scope == Scope::kCluster) {
      asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 %0, [%1];"
                   : "=l"(token)
                   : "r"(detail::shared_address(this))
                   : "memory");
    } else {
      asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
                   : "=l"(token)
                   : "r"(detail::shared_address(this))
                   : "memory");
    }
    return token;
  }

  // PTX mbarrier.arrive.expect_tx: `bytes` more are to come in this phase, and one arrival. The
  // phase stays open until TMA has delivered as many: with too large a number for ever, with too
  // small a one it completes before the data is there.
  __device__ Token arrive_and_expect(unsigned bytes, Scope scope = Scope::kBlock) {
    Token token;
    if (scope == Scope::kCluster) {
      asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 %0, [%1], %2;"
                   : "=l"(token)
                   : "r"(detail::shared_address(this)), "r"(bytes)
                   : "memory");
    } else {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                   : "=l"(token)
                   : "r"(detail::shared_address(this)), "r"(bytes)
                   : "memory");
    }
    return token;
  }

  // PTX mbarrier.expect_tx: `bytes` more are to come in this phase; no arrival. It must come before
  // the phase's last arrival.
  __device__ void expect(unsigned bytes) {
    asm volatile("mbarrier.expect_tx.shared::cta.b64 [%0], %1;" ::"r"(detail::shared_address(this)),
                 "r"(bytes)
                 : "memory");
  }

  // PTX mapa and mbarrier.arrive.shared::cluster: one arrival at the same barrier of block `rank`
  // of the cluster, which may be this one. That block must have initialised it and must not have
  // exited. Says "I am done reading"; only at cluster scope does it make ordinary writes visible to
  // the other block.
  __device__ void arrive_remote(unsigned rank, Scope scope = Scope::kBlock) {
    std::uint32_t remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote)
                 : "r"(detail::shared_address(this)), "r"(rank));
    if (scope == Scope::kCluster) {
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote)
                   : "memory");
    } else {
      asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
    }
  }

  // PTX mbarrier.try_wait.parity, repeated until the phase of that parity (0 or 1) has completed.
  // With the wrong parity it passes one phase early or hangs.
  __device__ void wait(unsigned parity, Scope scope = Scope::kBlock) {
    if (scope == Scope::kCluster) {
      asm volatile(
          "{\n"
          ".reg .pred done;\n"
          "again:\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
          "@!done bra again;\n"
          "}\n" ::"r"(detail::shared_address(this)),
          "r"(parity)
          : "memory");
    } else {
      asm volatile(
          "{\n"
          ".reg .pred done;\n"
          "again:\n"
          "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
          "@!done bra again;\n"
          "}\n" ::"r"(detail::shared_address(this)),
          "r"(parity)
          : "memory");
    }
  }

  // PTX mbarrier.test_wait.parity, at block scope: has the phase of that parity completed?
  __device__ bool test(unsigned parity) {
    int done;
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.s32 %0, 1, 0, done;\n"
        "}\n"
        : "=r"(done)
        : "r"(detail::shared_address(this)), "r"(parity)
        : "memory");
    return done != 0;
  }

  // wait(), unless test() has said that it has; arrive() and arrive_remote(), of the threads that
  // say so. With a branch in C++ instead ptxas would assume that threads part there, and would keep
  // what comes later in fewer uniform registers.
  __device__ void wait_unless(bool complete, unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "setp.ne.s32 done, %2, 0;\n"
        "@done bra over;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "over:\n"
        "}\n" ::"r"(detail::shared_address(this)),
        "r"(parity), "r"(static_cast<int>(complete))
        : "memory");
  }

  __device__ void arrive_if(bool arrives) {
    asm volatile(
        "{\n"
        ".reg .pred arrives;\n"
        "setp.ne.s32 arrives, %1, 0;\n"
        "@arrives mbarrier.arrive.shared::cta.b64 _, [%0];\n"
        "}\n" ::"r"(detail::shared_address(this)),
        "r"(static_cast<int>(arrives))
        : "memory");
  }
  __device__ void arrive_remote_if(bool arrives, unsigned rank) {
    asm volatile(
        "{\n"
        ".reg .pred arrives;\n"
        ".reg .b32 remote;\n"
        "setp.ne.s32 arrives, %1, 0;\n"
        "mapa.shared::cluster.u32 remote, %0, %2;\n"
        "@arrives mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
        "}\n" ::"r"(detail::shared_address(this)),
        "r"(static_cast<int>(arrives)), "r"(rank)
        : "memory");
  }

  // PTX mbarrier.try_wait, repeated until the phase that `token` names has completed, at block
  // scope. The token must come from this barrier, from its present phase or the one before.
  __device__ void wait_token(Token token) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}\n" ::"r"(detail::shared_address(this)),
        "l"(token)
        : "memory");
  }

  // PTX mbarrier.inval: the eight bytes may be used for something else. One thread, when nobody
  // waits or arrives any more.
  __device__ void invalidate() {
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(detail::shared_address(this))
                 : "memory");
  }
};

// PTX fence.mbarrier_init.release.cluster: makes init() by this thread visible to the async proxy
// and to the cluster. Called by the initialising thread; a barrier of the block or cluster follows.
__device__ inline void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

}  // namespace gpu
