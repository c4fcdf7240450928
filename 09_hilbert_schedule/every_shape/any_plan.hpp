#pragma once
// A plan of any tiling and EpilogueOp, for who compiles no kernel.

#include <gpu/host.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace every_shape {

// Where a problem's operands are; bias may be null: zeros.
struct Addresses {
  const void* a;
  const void* b;
  void* c;
  const void* bias;
};

// Made of a Plan (plan.cuh), which it shares with its copies. Nothing changes it, so several
// threads may run it at once.
class AnyPlan {
 public:
  template <class P>
  AnyPlan(P plan) : held_(std::make_shared<const Of<P>>(std::move(plan))) {}

  std::size_t workspace_bytes() const { return held_->workspace_bytes(); }
  // Launches it: with the operands that it was made for, or with those at `at`, aligned as they.
  void run(gpu::Stream stream, void* workspace = nullptr, const Addresses* at = nullptr) const {
    held_->run(stream, workspace, at);
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual std::size_t workspace_bytes() const = 0;
    virtual void run(gpu::Stream stream, void* workspace, const Addresses* at) const = 0;
  };
  template <class P>
  struct Of final : Held {
    P plan;

    explicit Of(P from) : plan(std::move(from)) {}
    std::size_t workspace_bytes() const override { return plan.workspace_bytes(); }
    void run(gpu::Stream stream, void* workspace, const Addresses* at) const override {
      if (at == nullptr) return plan.run(stream, workspace);
      P moved = plan;
      moved.move_to(*at);
      moved.run(stream, workspace);
    }
  };
  std::shared_ptr<const Held> held_;
};

}  // namespace every_shape
