// Whole programs, run as a user runs them.

#include <test/catch.hpp>

#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string out, err;

  bool says(const std::string& part) const { return out.find(part) != std::string::npos; }
  bool complains(const std::string& part) const { return err.find(part) != std::string::npos; }
  // Refused as every bad input must be: status 2, one line on standard error, nothing else.
  bool refused_in_one_line() const {
    return status == 2 && std::count(err.begin(), err.end(), '\n') == 1 && out.empty();
  }
};

struct Folder {
  fs::path path = fs::temp_directory_path() / ("harness_program_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};
const Folder folder;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Ended run(const std::string& command) {
  const fs::path out = folder.path / "out", err = folder.path / "err";
  const std::string line = command + " >" + out.string() + " 2>" + err.string() + " </dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
}

// harness_fake holds one chapter, harness_fakes two: a ladder.
Ended fake(const std::string& arguments) {
  return run(PROGRAMS "/harness_fake_cpu " + arguments);
}

}  // namespace

TEST_CASE("what a program prints, and its exit status") {
  struct Row {
    const char* command;
    int status;
    const char *out, *err;
  };
  const Row row = GENERATE(values<Row>({
    {"fake_cpu --check --size 33", 0, "01_fake right 33 bf16: ok, rel_err", ""},
        {"fake_cpu --check --shape 5x6x7,8x9x1 --dtype fp16", 0, "8x9x1 fp16: ok", ""},
        {"fake_cpu", 0, "integers exact", ""}, {"fake_cpu --async random:3 --size 16", 0, "ok", ""},
        {"fake_cpu --bench --size 16", 0, "not timed", ""},
        {"fake_cpu --check --size 33 --variant wrong", 1, "WRONG with random operands", ""},
        {"fake_cpu --check --size 33 --variant nan", 1, "WRONG", ""},
        {"fake_cpu --check --size 33 --variant stray", 1, "guard behind the matrix", ""},
        {"fake_cpu --check --size 33 --variant breaks", 3, "", "fake device: on fire"},
        {"fake_cpu --list", 0, "show        prints a line (shown, not timed)", ""},
        {"fake_cpu --variant show", 0, "shown\n", ""},
        {"fake_cpu --variant show --backend cpu --async random:3", 0, "shown\n", ""},
        {"fake_cpu --variant show_wrong", 1, "", ""},
        {"fakes_cpu --variant show --chapter 01_fake", 0, "shown\n", ""},
        {"fakes_cpu --check --size 9 --chapter 01_fake", 0, "01_fake right 9 bf16: ok", ""},
        // A ladder goes on without a chapter that refuses, unless that was called by its name.
        {"fakes_cpu --check --size 9", 0, "01_fake", "02_fake: needs what this machine lacks"},
        {"fakes_cpu --check --size 9 --chapter 02_fake", 2, "", "needs what this machine lacks"},
        {"fakes_cpu --check --size 9", 0, "", "fake_beside: there is no program "},
#if HAS_CUDA
        {"fakes --backend cpu --check --size 9 --chapter 01_fake", 0, "ok", ""},
        {"fakes --size -4", 2, "", "--size"}, {"fakes --list", 0, "02_fake", ""},
#endif
  }));
  CAPTURE(row.command);
  const Ended ended = run(std::string(PROGRAMS "/harness_") + row.command);
  CAPTURE(ended.out, ended.err);
  CHECK(ended.status == row.status);
  CHECK(ended.says(row.out));
  CHECK(ended.complains(row.err));
}

TEST_CASE("bad input: one clear line and status 2") {
  const char* const arguments =
      GENERATE(values<const char*>({"--size -4",
                                    "--size 99999999999999999999",
                                    "--bench --size 0",
                                    "--no-such-flag",
                                    "banana",
                                    "--variant none",
                                    "--chapter none",
                                    "--layout nt",
                                    "--epilogue bias_relu",
                                    "--split 2",
                                    "--tune",
                                    "--ablation",
                                    "--counters",  // there is no traced program of this one
                                    "--counters --json /no/such/folder/x.json",
                                    "--counters --json /tmp",
                                    "--json x.json",
                                    "--size 2147418112 --check",
                                    "--backend cuda",
                                    "--size ''",
                                    "--check --size 33 --variant refuses",
                                    "--variant show --check",
                                    "--variant show --size 9",
                                    "--variant show --bench --json x.json",
                                    "--variant show --variant right"}));
  CAPTURE(arguments);
  const Ended ended = fake(arguments);
  CHECK(ended.refused_in_one_line());
  CHECK((ended.complains("harness_fake_cpu: ")));
}

TEST_CASE("a problem that fits into memory, but not with all that checking keeps, is refused") {
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  const auto n = static_cast<long>(0.3 * memory / 2 / (1 << 20));  // C takes 3/10 of it
  const Ended ended = fake("--check --shape 1048576x" + std::to_string(n) + "x1");
  CHECK(ended.refused_in_one_line());
  CHECK(ended.complains("and all that is kept of them"));
}

TEST_CASE("bench's neighbour: started after it, with its command line; its status and rows count") {
  // A copy of the ladder with a neighbour that says what it was started with, writes what it
  // measured, and ends with $STATUS.
  for (const std::string backend : {"_cpu", "_traced"}) {
    fs::copy_file(PROGRAMS "/harness_fakes" + backend, folder.path / ("ladder" + backend));
    const fs::path script = folder.path / ("fake_beside" + backend);
    std::ofstream(script) << R"(#!/bin/sh
echo "beside: $*"
for word in "$@"; do
  case $word in --json=*) cat >"${word#--json=}" <<'END'
{"schema": 1, "chapters": [{"name": "fake_beside"}],
 "rows": [{"chapter": "fake_beside", "variant": "default"}, {"chapter": "cublas"}]}
END
  esac
done
exit ${STATUS:-0}
)";
    fs::permissions(script, fs::perms::owner_all);
  }
  const auto with = [&](int status, const std::string& arguments) {
    return run("STATUS=" + std::to_string(status) + " " + (folder.path / "ladder_cpu ").string() +
               arguments);
  };
  const Ended ended = with(0, "--check --size 9 --async late");
  CHECK(ended.out.find("01_fake right 9 bf16: ok") < ended.out.find("beside:"));
  CHECK(ended.says("beside: --check --size 9 --async late --leave-out\n"));
  CHECK(with(0, "--list").says("beside: --list\n"));
  CHECK_FALSE(with(0, "--check --size 9 --variant right").says("beside"));
  CHECK(with(2, "--check --size 9 --chapter 01_fake --chapter fake_beside").status == 2);
  CHECK(with(1, "--check --size 9").status == 1);
  const fs::path file = folder.path / "beside.json";
  CHECK(with(0,
             "--counters --size 16 --chapter 01_fake --chapter fake_beside --json " + file.string())
            .status == 0);
  const auto json = nlohmann::json::parse(contents(file));
  REQUIRE(json["rows"].size() == 2);
  CHECK(json["rows"][0]["chapter"] == "01_fake");
  CHECK(json["rows"][0]["counters"].is_object());
  CHECK(json["rows"][1]["chapter"] == "fake_beside");
  CHECK(json["chapters"][1]["name"] == "fake_beside");
}

#if HAS_CUDA
TEST_CASE("the CUDA program becomes the CPU one where there is no GPU") {
  const std::string blind = "CUDA_VISIBLE_DEVICES= " PROGRAMS "/harness_fakes ";
  const Ended instead = run(blind + "--chapter 01_fake");
  CHECK(instead.status == 0);
  CHECK(instead.complains("no CUDA device"));
  CHECK(instead.complains("running on the CPU backend at size 256"));
  CHECK(instead.says("01_fake right 256 bf16: ok"));
  const Ended shown = run(blind + "--variant show");
  CHECK(shown.out == "shown\n");
  CHECK_FALSE(shown.complains("size"));
  CHECK(run(blind + "--backend cuda").status == 3);
}
#endif
