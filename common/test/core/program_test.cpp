// Files that programs write: whole or not there, and nothing but files is replaced.

#include <core/program.hpp>

#include <test/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("core: a file is replaced when all of it is there, and a link is written through") {
  const auto folder = std::filesystem::temp_directory_path() / ("core_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto path = folder / "out.json", link = folder / "link";
  {
    const core::OutputFile file(path.string());
    CHECK(std::filesystem::is_empty(folder));
    file.write("first");
  }
  CHECK(text_of(path) == "first");
  std::filesystem::create_symlink(path, link);
  core::OutputFile(link.string()).write("2nd");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(text_of(path) == "2nd");
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
  CHECK_THROWS_AS(core::OutputFile(folder.string()), core::Refused);
  CHECK_THROWS_AS(core::OutputFile((folder / "none" / "out.json").string()), core::Refused);
  std::filesystem::remove_all(folder);
}
