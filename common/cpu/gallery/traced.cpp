// bin/gallery_traced [FILE], which `gallery --counters` becomes: the kernels without a bug,
// compiled so that every load and store is seen; their counters, into the result file too.

#include "runners.hpp"

#include <core/error.hpp>
#include <core/program.hpp>
#include <harness/results.hpp>
#include <runtime/counters.hpp>
#include <runtime/settings.hpp>

#include <cstdio>
#include <optional>

using namespace gallery;

static int count_all(const std::string& json) {
  std::optional<core::OutputFile> file;
  if (!json.empty()) file.emplace(json);
  const std::vector<CorrectRun> runs = counted_runs();
  harness::Chapter chapter{.name = "gallery",
                           .title = "Bug gallery",
                           .idea = "small kernels without a bug",
                           .ceiling = harness::Ceiling::kWgmma};
  for (const CorrectRun& run : runs) chapter.variants.push_back({run.name, run.summary, {}});
  harness::Results results;
  results.device.name = "CPU backend";
  results.software = {{"compiler", harness::host_compiler()}};
  results.asked.counters = true;
  results.asked.async = runtime::to_string(runtime::policy());
  results.chapters = {&chapter};
  std::vector<std::pair<std::string, harness::Counters>> counted;
  for (const CorrectRun& run : runs) {
    runtime::reset_counters();
    const std::size_t wrong = run.run(run.sizes);
    if (wrong > 0) {
      std::fprintf(stderr, "gallery: %s: %zu results are wrong\n", run.name.c_str(), wrong);
      return core::kWrongResult;
    }
    harness::Row row;
    row.chapter = chapter.name;
    row.variant = run.name;
    row.shape = {run.sizes.m, run.sizes.n, run.sizes.k};
    row.mode = results.mode();
    row.rel_err = 0;
    row.counters = runtime::read_counters();
    counted.emplace_back(run.name + " " + row.shape.text(), row.counters);
    results.rows.push_back(std::move(row));
  }
  std::printf("CPU backend, bf16, results verified, one launch:\n\n%s",
              harness::counter_table(counted).c_str());
  if (file) file->write(harness::to_json(results, harness::utc_now()));
  return core::kRight;
}

int main(int argc, char** argv) {
  return core::run_main("gallery", [&] { return count_all(argc > 1 ? argv[1] : ""); });
}
