#include "program.hpp"

#include "exhibits.hpp"
#include "runners.hpp"

#include <core/error.hpp>
#include <core/program.hpp>
#include <harness/job.hpp>
#include <runtime/settings.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <regex>

namespace {

using namespace gallery;

constexpr std::size_t kColumns = 96;
constexpr int kLaunches = 5;
constexpr int kLargestTimed = 8192;

struct Options {
  std::string name;
  std::string async;
  bool list = false;
  bool markdown = false;
  std::vector<int> time;
  bool counters = false;
  std::string json;
  std::string help;
};

Options parse(int argc, char** argv) {
  Options o;
  CLI::App app("Kernels with one planted bug each, and what the CPU backend says about them.");
  app.add_option("NAME", o.name, "run this exhibit alone and show its whole message");
  app.add_option("--async", o.async,
                 "with NAME: late|early|mix|random:SEED (the first that tells)");
  app.add_flag("--list", o.list, "the exhibits, then stop");
  app.add_flag("--markdown", o.markdown, "the table of common/cpu/README.md");
  app.add_option("--time", o.time, "time the correct kernel's launch at SIZE^3 instead")
      ->type_name("SIZE[,SIZE...]")
      ->delimiter(',');
  app.add_flag("--counters", o.counters, "count what the correct kernels do instead");
  app.add_option("--json", o.json, "with --time or --counters: write a result file")
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
  } catch (const CLI::ParseError& error) {
    throw core::Refused(std::string(error.what()) + " (--help shows the usage)");
  }
  const auto refuse_if = [](bool wrong, const std::string& why) {
    if (wrong) throw core::Refused(why);
  };
  refuse_if(!o.name.empty() + o.list + o.markdown + !o.time.empty() + o.counters > 1,
            "NAME, --list, --markdown, --time and --counters exclude each other");
  refuse_if(!o.async.empty() && o.name.empty(),
            "--async " + o.async + ": needs the NAME of an exhibit");
  if (!o.async.empty()) runtime::parse_policy(o.async);
  refuse_if(!o.json.empty() && o.time.empty() && !o.counters,
            "--json " + o.json + ": needs --time or --counters");
  for (const int size : o.time) {
    refuse_if(size < 8 || size % 8 != 0 || size > kLargestTimed,
              "--time " + std::to_string(size) + ": must be a multiple of 8, 8 to " +
                  std::to_string(kLargestTimed));
  }
  return o;
}

const Exhibit& find(const std::string& name) {
  for (const Exhibit& exhibit : exhibits()) {
    if (exhibit.name == name) return exhibit;
  }
  throw core::Refused("no exhibit is called '" + name + "' (--list shows them)");
}

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
}

std::string heading(const Exhibit& exhibit) {
  return wrapped(exhibit.name + " (" + exhibit.kernel + "): " + exhibit.planted, kColumns);
}

// Under the policy asked for, or the first that tells most.
int show_one(const Exhibit& exhibit, const std::string& async) {
  const Result result = async.empty() ? run_all(exhibit) : Result{&exhibit, {run(exhibit, async)}};
  const Outcome& outcome = result.outcomes[result.best()];
  say(heading(exhibit));
  say("under --async " + (async.empty() ? kPolicies[result.best()] : async) + ":\n");
  say(outcome.ending == Ending::kNamed         ? wrapped(outcome.message, kColumns)
      : outcome.ending == Ending::kWrongResult ? "no error is named, but " + verdict(result)
                                               : "not noticed: all results are right");
  return outcome.ending == Ending::kNotNoticed ? core::kWrongResult : core::kRight;
}

int show_all() {
  std::vector<Result> results;
  int missed = 0, named = 0;
  for (const Exhibit& exhibit : exhibits()) {
    const Result& result = results.emplace_back(run_all(exhibit));
    const Outcome& best = result.outcomes[result.best()];
    say(heading(exhibit));
    say("  " + policies_line(result));
    if (best.ending == Ending::kNamed) {
      const std::string text = std::regex_replace(best.message, std::regex("\n"), "\n  ");
      say(wrapped("  " + text, kColumns) + "\n");
      ++named;
    } else if (best.ending == Ending::kWrongResult) {
      say("  " + verdict(result) + "; no policy names the bug\n");
    } else {
      ++missed;
    }
    std::fflush(stdout);
  }
  std::printf("%zu bugs: %d named, %zu seen as wrong results alone, %d not noticed\n",
              results.size(), named, results.size() - named - missed, missed);
  return missed > 0 ? core::kWrongResult : core::kRight;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown processor";
}

// A result file with mode "launch"; plots/results.py reads it.
nlohmann::ordered_json result_file(const nlohmann::ordered_json& rows) {
  return {
      {"schema", 1},
      {"date", harness::utc_now()},
      {"commit", harness::commit()},
      {"device", {{"name", "CPU backend"}, {"cpu", processor()}, {"threads", runtime::workers()}}},
      {"software", {{"compiler", harness::host_compiler()}}},
      {"method",
       {{"mode", "launch"},
        {"async", runtime::to_string(runtime::policy())},
        {"rounds", kLaunches}}},
      {"chapters",
       {{{"name", "gallery"},
         {"title", "Bug gallery"},
         {"ceiling", "wgmma"},
         {"variants", nlohmann::ordered_json::array()}}}},
      {"rows", rows}};
}

int time_all(const Options& o) {
  std::optional<core::OutputFile> file;
  if (!o.json.empty()) file.emplace(o.json);
  auto rows = nlohmann::ordered_json::array();
  for (const int size : o.time) {
    const std::vector<double> samples = time_hopper(size, kLaunches);
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    const double median = sorted[kLaunches / 2];
    std::printf("%dx%dx%d: %.1f ms, median of %d launches on %d threads\n", size, size, size,
                median, kLaunches, runtime::workers());
    std::fflush(stdout);
    rows.push_back({{"chapter", "gallery"},
                    {"variant", "default"},
                    {"m", size},
                    {"n", size},
                    {"k", size},
                    {"dtype", "bf16"},
                    {"mode", "launch"},
                    {"ms_median", median},
                    {"samples_ms", samples}});
  }
  if (file) file->write(result_file(rows).dump(1) + "\n");
  return core::kRight;
}

int run(int argc, char** argv) {
  const Options o = parse(argc, argv);
  if (!o.help.empty()) return say(o.help), core::kRight;
  if (o.list) {
    for (const Exhibit& e : exhibits()) {
      std::printf("%-24s%-22s%s\n", e.name.c_str(), e.kernel.c_str(), e.planted.c_str());
    }
    return core::kRight;
  }
  if (!o.name.empty()) return show_one(find(o.name), o.async);
  if (!o.time.empty()) return time_all(o);
  if (o.counters) {
    harness::become("_traced", "--counters", {o.json});
  }
  if (!o.markdown) return show_all();
  std::printf("%s", markdown_table(run_all()).c_str());
  return core::kRight;
}

}  // namespace

int gallery::run_program(int argc, char** argv) {
  return core::run_main("gallery", [&] { return ::run(argc, argv); });
}
