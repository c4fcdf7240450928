#include "program.hpp"

#include <test/catch.hpp>

#include <nlohmann/json.hpp>

namespace {

Ended fakes(const std::string& arguments) {
  return run(PROGRAMS "/harness_fakes_cpu " + arguments);
}
Ended fake(const std::string& arguments) {
  return fakes("--chapter 01_fake " + arguments);
}

}  // namespace

TEST_CASE("what a chapter's program prints, and its exit status") {
  const auto [arguments, status, out, err] =
      GENERATE(table<std::string, int, std::string, std::string>({
          {"--check --size 33", 0, "01_fake right 33 bf16: ok, rel_err", ""},
          {"--check --shape 5x6x7,8x9x1 --dtype fp16", 0, "8x9x1 fp16: ok", ""},
          {"", 0, "integers exact", ""},
          {"--async random:3 --size 16", 0, "ok", ""},
          {"--bench --size 16", 0, "not timed", ""},
          {"--ablation --check --size 16", 0, "01_fake slowly 16 bf16: ok", ""},
          {"--check --size 33 --variant wrong", 1, "WRONG with random operands", ""},
          {"--check --size 33 --variant stray", 1, "guard behind the matrix", ""},
          {"--check --size 33 --variant all", 3, "01_fake stray 33 bf16: WRONG", "on fire"},
          {"--counters --size 16 --variant wrong", 1, "01_fake wrong: WRONG", ""},
          {"--counters --size 16 --leave-out --variant refuses", 0, "refuses: left out: never", ""},
          {"--list", 0, "show            prints a line and finds an error (shown, not timed)", ""},
          {"--variant show --backend cpu --async random:3", 1, "shown\n", ""},
          {"--bench --size 0", 2, "", "no speed"},
          {"--variant none", 2, "", "none: choose from all, right, wrong, stray, refuses, breaks,"},
          {"--layout nt", 2, "", "01_fake: has no layout nt; "},
          {"--epilogue bias_relu", 2, "", "01_fake: has no epilogue bias_relu; "},
          {"--c-dtype fp32", 2, "", "01_fake: has no fp32 C for bf16 operands; "},
          {"--tune", 2, "", "only --counters measures"},
          {"--counters --json /no/such/folder/x.json", 2, "", "/no/such/folder/x.json"},
          {"--size 2147418112 --check", 2, "", "A, B and C take"},
          {"--json ''", 2, "", "needs a file name"},
          {"--trace ''", 2, "", "needs a file name"},
          {"--trace /no/such/folder/x.json", 2, "", "/no/such/folder/x.json: cannot be written"},
          {"--trace never_written.json", 2, "", "01_fake right has nothing to trace"},
          {"--trace never_written.json --variant all", 2, "", "takes one variant of one chapter"},
          {"--trace never_written.json --variant show", 2, "", "takes no --trace"},
          {"--check --size 33 --variant refuses", 2, "", "01_fake: never taken"},
          {"--variant show --check", 2, "", "takes no --check"},
          {"--size -4", 2, "", "--size, --shape: -4 is not N or MxNxK"},
          {"--async random:x", 2, "", "'random:x': expected late, early"},
          {"--check --rounds 3", 2, "", "--rounds"},
          {"--counters --backend cuda", 2, "", "--counters"},
          {"--variant all --variant x", 2, "", "--variant"},
      }));
  const Ended ended = fake(arguments);
  CAPTURE(arguments, ended.out, ended.err);
  CHECK((ended.status == status && ended.says(out) && ended.complains(err)));
  if (status == 2) CHECK((ended.refused() && ended.err.starts_with("harness_fakes_")));
}

TEST_CASE("a ladder goes on without a chapter that refuses, unless that was called by its name") {
  const Ended both = fakes("--check --size 9");
  CHECK(both.status == 0);
  CHECK(both.says("01_fake right 9 bf16: ok"));
  CHECK(both.complains("never taken"));
  CHECK(both.complains("fake_beside: there is no program "));
  CHECK(fakes("--check --size 9 --chapter 02_fake").refused());
  CHECK(fakes("--chapter none").complains("none: choose from 01_fake, 02_fake"));
  CHECK(fakes("--chapter fake_beside").complains("--chapter fake_beside: there is no program"));
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
  const auto ladder = [](const std::string& arguments, int status = 0) {
    const std::string program = (folder.path / "ladder_cpu ").string();
    return run("STATUS=" + std::to_string(status) + " " + program + arguments);
  };
  const Ended ended = ladder("--check --size 9 --async late");
  CHECK(ended.out.find("01_fake right 9 bf16: ok") < ended.out.find("beside:"));
  CHECK(ended.says("beside: --size=9 --check=true --async=late --leave-out=true\n"));
  CHECK(ladder("--list").says("beside: --list=true\n"));
  CHECK_FALSE(ladder("--check --size 9 --variant right").says("beside"));
  CHECK(ladder("--check --size 9 --chapter 01_fake --chapter fake_beside", 2).status == 2);
  CHECK(ladder("--check --size 9", 1).status == 1);
  CHECK(ladder("--backend cuda --chapter 01_fake").refused());  // there is no such program
  const fs::path file = folder.path / "beside.json";
  ladder("--counters --size 16 --chapter 01_fake --chapter fake_beside --json " + file.string());
  const auto json = nlohmann::json::parse(contents(file));
  REQUIRE(json["rows"].size() == 2);
  CHECK(json["rows"][0]["counters"].is_object());
  CHECK(json["rows"][1]["chapter"] == "fake_beside");
  CHECK(json["chapters"][1]["name"] == "fake_beside");
}

#if HAS_CUDA
TEST_CASE("the CUDA program becomes the CPU one: where there is no GPU, and when asked to") {
  const std::string blind = "CUDA_VISIBLE_DEVICES= " PROGRAMS "/harness_fakes --chapter 01_fake ";
  const Ended instead = run(blind), shown = run(blind + "--variant show");
  CHECK((instead.status == 0 && instead.says("01_fake right 256 bf16: ok")));
  CHECK(instead.complains("no CUDA device"));
  CHECK(instead.complains("running on the CPU backend at size 256"));
  CHECK((shown.out == "shown\n" && !shown.complains("size")));
  CHECK(run(blind + "--backend cuda").status == 3);
  CHECK(run(blind + "--backend cpu --check --size 9").err.empty());
}
#endif
