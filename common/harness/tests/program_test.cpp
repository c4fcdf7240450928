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

const fs::path& folder() {
  static const fs::path path = [] {
    const fs::path made =
        fs::temp_directory_path() / ("harness_program_" + std::to_string(::getpid()));
    fs::create_directories(made);
    std::atexit([] { fs::remove_all(folder()); });
    return made;
  }();
  return path;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Ended run(const std::string& command) {
  const fs::path out = folder() / "out", err = folder() / "err";
  const std::string line = command + " >" + out.string() + " 2>" + err.string() + " </dev/null";
  const int status = std::system(line.c_str());
  Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out), contents(err)};
  INFO(command << "\n" << ended.out << ended.err);
  return ended;
}

Ended fake(const std::string& arguments) {
  return run(PROGRAMS "/harness_fake_cpu " + arguments);
}
Ended ladder(const std::string& arguments) {
  return run(PROGRAMS "/harness_fakes_cpu " + arguments);
}

}  // namespace

TEST_CASE("a right result: status 0") {
  const Ended ended = fake("--check --size 33");
  CHECK(ended.status == 0);
  CHECK(ended.says("01_fake right 33 bf16: ok, rel_err"));
  CHECK(ended.says("integers exact"));
  CHECK(ended.err.empty());
  CHECK(fake("--check --shape 5x6x7,8x9x1 --dtype fp16").status == 0);
  CHECK(fake("").status == 0);
}

TEST_CASE("a wrong result: status 1, and what is wrong") {
  const Ended wrong = fake("--check --size 33 --variant wrong");
  CHECK(wrong.status == 1);
  CHECK(wrong.says("WRONG with random operands"));
  CHECK(wrong.says("32"));  // the row and column of the entry
  CHECK(fake("--check --size 33 --variant nan").status == 1);
  const Ended stray = fake("--check --size 33 --variant stray");
  CHECK(stray.status == 1);
  CHECK(stray.says("guard behind the matrix overwritten"));
}

TEST_CASE("a refused problem: status 2; a failing device: status 3") {
  const Ended refused = fake("--check --size 33 --variant refuses");
  CHECK(refused.refused_in_one_line());
  CHECK(refused.complains("01_fake: shape 33x33x33: never taken"));
  const Ended broken = fake("--check --size 33 --variant breaks");
  CHECK(broken.status == 3);
  CHECK(broken.complains("harness_fake_cpu: fake device: on fire"));
}

TEST_CASE("bad input: one clear line and status 2") {
  for (const char* arguments : {"--size -4",
                                "--size banana",
                                "--shape 10x10",
                                "--bench --size 0",
                                "--no-such-flag",
                                "banana",
                                "--size 99999999999999999999",
                                "--shape 4x4x99999999999999999999",
                                "--mode burst --mode sustained --bench",
                                "--variant none",
                                "--chapter none",
                                "--layout nt",
                                "--epilogue bias_relu",
                                "--split 2",
                                "--tune",
                                "--ablation",
                                "--size 4 --shape 4x4x4",
                                "--dtype fp64",
                                "--rounds 0",
                                "--size",
                                "--json",
                                "--counters --json /no/such/folder/x.json",
                                "--counters --json /tmp",
                                "--json x.json",
                                "--size 2147418112 --check",
                                "--backend cuda",
                                "--async never",
                                "--size ''"}) {
    CAPTURE(arguments);
    const Ended ended = fake(arguments);
    CHECK(ended.refused_in_one_line());
    CHECK(ended.complains("harness_fake_cpu: "));
  }
}

TEST_CASE("a problem that fits into memory, but not with all that checking keeps, is refused") {
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  const auto n = static_cast<long>(0.3 * memory / 2 / (1 << 20));  // C takes 3/10 of it
  const Ended ended = fake("--check --shape 1048576x" + std::to_string(n) + "x1");
  CHECK(ended.refused_in_one_line());
  CHECK(ended.complains("and all that is kept of them"));
  CHECK(ended.complains("this machine has"));
}

TEST_CASE("a demonstration runs alone, and its exit status is the program's") {
  const Ended ended = fake("--variant show");
  CHECK(ended.status == 0);
  CHECK(ended.out == "shown\n");
  CHECK(ended.err.empty());
  CHECK(fake("--variant show_wrong").status == 1);
  CHECK(fake("--variant show --backend cpu --async random:3").status == 0);
  CHECK(ladder("--variant show --chapter 01_fake").out == "shown\n");
  CHECK(fake("--list").says("show        prints a line (shown, not timed)"));
  CHECK_FALSE(fake("--check --size 9 --variant right").says("shown"));
  for (const char* arguments :
       {"--check", "--bench", "--counters", "--bench --json x.json", "--size 9", "--dtype fp16",
        "--bench --mode burst", "--rounds 3", "--layout nt", "--epilogue bias_relu", "--split 2",
        "--variant right", "--variant show_wrong"}) {
    CAPTURE(arguments);
    const Ended refused = fake(std::string("--variant show ") + arguments);
    CHECK(refused.refused_in_one_line());
    CHECK(refused.complains("harness_fake_cpu: --variant show: shows something, and takes no "));
  }
}

TEST_CASE("the CPU backend is not timed and says so") {
  const Ended ended = fake("--bench --size 16");
  CHECK(ended.status == 0);
  CHECK(ended.says("not timed"));
  CHECK(fake("--async random:3 --size 16").status == 0);
}

TEST_CASE("a ladder: chapters in the order of their names; what one refuses is reported") {
  const Ended list = ladder("--list");
  CHECK(list.out.find("01_fake") < list.out.find("02_fake"));
  CHECK(ladder("--check --size 9 --chapter 01_fake").status == 0);
  const Ended both = ladder("--check --size 9");
  CHECK(both.says("01_fake right 9 bf16: ok"));
  CHECK(both.complains("02_fake: needs what this machine lacks"));
  CHECK(both.status == 0);  // a ladder goes on without the chapter
  CHECK(ladder("--check --size 9 --chapter 02_fake").status == 2);  // unless it was called by name
}

namespace {

// Copies of a ladder's programs with a companion beside them, which says what it was started with,
// writes what it measured, and ends with $STATUS.
struct WithCompanion {
  fs::path at = folder() / "beside";

  WithCompanion() {
    fs::create_directories(at);
    for (const std::string backend : {"_cpu", "_traced"}) {
      fs::copy_file(PROGRAMS "/harness_fakes" + backend, at / ("ladder" + backend),
                    fs::copy_options::overwrite_existing);
      const fs::path script = at / ("fake_beside" + backend);
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
  }
  Ended run(const std::string& arguments, int status = 0) const {
    return ::run("STATUS=" + std::to_string(status) + " " + (at / "ladder_cpu ").string() +
                 arguments);
  }
};

}  // namespace

TEST_CASE("a companion is started with what the ladder was given, after it") {
  const WithCompanion with;
  const Ended ended = with.run("--check --size 9 --async late");
  CHECK(ended.out.find("01_fake right 9 bf16: ok") < ended.out.find("beside:"));
  CHECK(ended.says("beside: --check --size 9 --async late --leave-out\n"));
  CHECK(with.run("--list").says("beside: --list\n"));
  CHECK(ladder("--check --size 9 --variant right").err.find("fake_beside") == std::string::npos);
  CHECK(ladder("--check --size 9").complains("fake_beside: there is no program "));
}

TEST_CASE("a companion's exit status and rows are the ladder's, too") {
  const WithCompanion with;
  CHECK(with.run("--check --size 9 --chapter 01_fake --chapter fake_beside", 2).status == 2);
  CHECK(with.run("--check --size 9", 1).status == 1);
  const fs::path file = folder() / "beside.json";
  CHECK(with.run("--counters --size 16 --chapter 01_fake --chapter fake_beside --json " +
                 file.string())
            .status == 0);
  const auto json = nlohmann::json::parse(contents(file));
  REQUIRE(json["rows"].size() == 2);
  CHECK(json["rows"][0]["chapter"] == "01_fake");
  CHECK(json["rows"][1]["chapter"] == "fake_beside");
  CHECK(json["chapters"][1]["name"] == "fake_beside");
}

TEST_CASE("counters: counted by the traced program, kept in a result file") {
  const fs::path file = folder() / "counters.json";
  const Ended ended = ladder("--counters --size 16 --variant right --json " + file.string());
  CHECK(ended.status == 0);
  CHECK(ended.says("01_fake"));
  REQUIRE(fs::exists(file));
  const auto json = nlohmann::json::parse(contents(file));
  CHECK(json["schema"] == 1);
  CHECK(json["device"]["name"] == "CPU backend");
  CHECK(json["method"]["mode"] == "counters");
  REQUIRE(json["rows"].size() == 1);
  CHECK(json["rows"][0]["chapter"] == "01_fake");
  CHECK(json["rows"][0]["variant"] == "default");
  CHECK(json["rows"][0]["counters"].is_object());
}

TEST_CASE("counters where there is no traced program") {
  const Ended ended = fake("--counters --size 16");
  CHECK(ended.refused_in_one_line());
  CHECK(ended.complains("--counters: there is no program"));
}

#if HAS_CUDA
TEST_CASE("the CUDA program turns to its siblings when it must") {
  const std::string program = PROGRAMS "/harness_fakes ";
  CHECK(run(program + "--backend cpu --check --size 9 --chapter 01_fake").status == 0);
  CHECK(run(program + "--size -4").refused_in_one_line());
  CHECK(run(program + "--list").status == 0);

  const std::string blind = "CUDA_VISIBLE_DEVICES= " + program;
  const Ended instead = run(blind + "--chapter 01_fake");
  CHECK(instead.status == 0);
  CHECK(instead.complains("no CUDA device"));
  CHECK(instead.complains("running on the CPU backend at size 256"));
  CHECK(instead.says("01_fake right 256 bf16: ok"));
  const Ended shown = run(blind + "--variant show");
  CHECK(shown.status == 0);
  CHECK(shown.out == "shown\n");
  CHECK(shown.complains("no CUDA device"));
  CHECK_FALSE(shown.complains("size"));
  const Ended insisted = run(blind + "--backend cuda");
  CHECK(insisted.status == 3);
  CHECK(insisted.complains("no CUDA device"));
}
#endif
