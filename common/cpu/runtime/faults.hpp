#pragma once
// Faults of kernel threads turned into a sentence: a stack run over, a wild pointer.

namespace runtime {

// While one exists, its OS thread takes SIGSEGV and SIGBUS on a stack of their own. A fault inside
// a kernel prints what and where to stderr and ends the program with exit status 3: there is no way
// back into code that has faulted. Faults elsewhere go to whoever handled them before.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  void* stack_ = nullptr;
  void* previous_ = nullptr;
};

}  // namespace runtime
