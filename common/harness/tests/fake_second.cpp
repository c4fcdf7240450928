// A second chapter, which makes a program a ladder. Registered before the first one would be, were
// it not for the order of names.

#include <harness/chapter.hpp>

#include <core/error.hpp>

namespace {

harness::Plan refuse(const gemm::Problem&) {
  throw core::Refused("02_fake: needs what this machine lacks");
}

const harness::Registration registration(harness::Chapter{
    .name = "02_fake",
    .title = "Second fake",
    .idea = "refuses",
    .variants = {{"only", "takes no problem", refuse}},
});

}  // namespace
