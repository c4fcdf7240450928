#pragma once
// A file that is whole or not there, however the program ends.

#include <string>

namespace core {

// A file that will be written when the work is done. It is written beside its place and then moved
// there, so that what is found under the name is always whole.
class OutputFile {
 public:
  // `option`: what gave the name, for complaints. Throws core::Refused, before any work is done,
  // when the file could not be written later.
  explicit OutputFile(std::string path, std::string option = "--json");

  // Throws core::Refused when the disk filled up meanwhile.
  void write(const std::string& text) const;

 private:
  [[noreturn]] void refuse(int error) const;

  std::string path_, option_;
  std::string written_;  // beside the path, or the path itself
};

}  // namespace core
