// Faults in kernels, which end the program with a sentence. A child process takes the fall.

#include "support.hpp"

#include <runtime/sanitizer.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace {

struct Ending {
  int status = -1;  // exit status, or -1 when killed by a signal
  std::string output;
};

template <class Call>
Ending in_child(const Call& call) {
  std::FILE* output = std::tmpfile();
  REQUIRE(output != nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(fileno(output), STDERR_FILENO);
    call();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Ending ending;
  if (WIFEXITED(status)) ending.status = WEXITSTATUS(status);
  std::rewind(output);
  for (int c; (c = std::fgetc(output)) != EOF;) ending.output += static_cast<char>(c);
  std::fclose(output);
  return ending;
}

__attribute__((noinline)) int dig(int depth) {
  volatile char frame[512];
  frame[depth % 512] = static_cast<char>(depth);
  return depth == 0 ? 0 : dig(depth - 1) + frame[depth % 512];
}

__global__ void recurse(int depth, int* out) {
  __syncthreads();
  if (threadIdx.x == 33) *out = dig(depth);
}

__global__ void read_wild(const int* pointer, int* out) {
  __syncthreads();
  if (threadIdx.x == 2) *out = *pointer;
}

}  // namespace

TEST_CASE("64 KiB of stack are there to be used, and more on request") {
  const KeepSettings keep;
  DeviceArray<int> out(1);
  gpu::launch(recurse, one_block(64), nullptr, 90, out.data());  // 90 frames of 512 bytes and a bit
  runtime::set_stack_bytes(2 * 1024 * 1024);
  gpu::launch(recurse, one_block(64), nullptr, 1500, out.data());
}

TEST_CASE("running over the stack ends the program with a sentence") {
  if (runtime::kAddressSanitizer) return;  // which has its own way of saying it
  const KeepSettings keep;
  runtime::set_workers(1);
  DeviceArray<int> out(1);
  const Ending ending =
      in_child([&] { gpu::launch(recurse, one_block(64), nullptr, 100000, out.data()); });
  CHECK(ending.status == core::kDeviceError);
  CHECK(ending.output == "stack overflow: a kernel thread has " + std::to_string(keep.stack_bytes) +
                             " bytes of stack and wanted more (block (0,0,0), thread 33)\n");
}

TEST_CASE("a wild pointer in a kernel ends the program with a sentence") {
  if (runtime::kAddressSanitizer) return;
  DeviceArray<int> out(1);
  const auto* wild = reinterpret_cast<const int*>(0x40);
  const Ending ending =
      in_child([&] { gpu::launch(read_wild, one_block(64), nullptr, wild, out.data()); });
  CHECK(ending.status == core::kDeviceError);
  CHECK(ending.output == "invalid address 0x40 in a kernel (block (0,0,0), thread 2)\n");
}

TEST_CASE("releasing what was never allocated ends the program with a sentence") {
  static int not_device = 0;
  const Ending ending = in_child([] { gpu::release(&not_device); });
  CHECK(ending.status == core::kDeviceError);
  CHECK(contains(ending.output, "is not a live allocation"));
}
