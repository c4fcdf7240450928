#include "fuzz.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <set>

namespace fuzz {
namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}
bool chance(Random& random, int percent) {
  return below(random, 100) < static_cast<std::size_t>(percent);
}

// A character that has a meaning to a parser, or any byte. No slash: a path that was mutated must
// stay in the folder that was made for this.
char character(Random& random) {
  constexpr std::string_view kTelling = "0123456789,x:;-+=_()<>[]{}\"'\\. \t\n\x1b\x7f%$*#o";
  if (chance(random, 80)) return kTelling[below(random, kTelling.size())];
  const char any = static_cast<char>(1 + below(random, 255));
  return any == '/' ? '|' : any;
}

void mutate(std::string& text, Random& random) {
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) {
    const std::size_t at = below(random, text.size() + 1);
    switch (below(random, 5)) {
      case 0:
        text.insert(at, 1, character(random));
        break;
      case 1:
        if (at < text.size()) text[at] = character(random);
        break;
      case 2:
        text.erase(at, 1 + below(random, 3));
        break;
      case 3:  // a part of it again
        text.insert(at, text.substr(below(random, text.size() + 1), 1 + below(random, 8)));
        break;
      default:
        text.insert(
            at, std::string(1 + below(random, chance(random, 5) ? 5000 : 20), character(random)));
    }
  }
}

std::string value_of(const Flag& flag, Random& random) {
  std::string value = flag.values[below(random, flag.values.size())];
  if (chance(random, 10)) value += "," + flag.values[below(random, flag.values.size())];
  if (value.find('/') == std::string::npos && chance(random, 30)) mutate(value, random);
  return value;
}

Arguments make_input(const Target& target, Random& random) {
  Arguments out;
  for (std::size_t words = below(random, 6); words > 0; --words) {
    const Flag& flag = target.flags[below(random, target.flags.size())];
    std::string name = flag.name;
    if (!name.empty() && chance(random, 4)) mutate(name, random);
    const bool forgets = chance(random, 4), invents = chance(random, 2);
    const bool valued = flag.values.empty() ? invents : !forgets;
    const Flag& source = flag.values.empty() ? target.flags.front() : flag;
    const std::string value = valued && !source.values.empty() ? value_of(source, random) : "";
    if (name.empty()) {
      out.push_back(value);
    } else if (valued && chance(random, 20)) {
      out.push_back(name + "=" + value);
    } else {
      out.push_back(name);
      if (valued) out.push_back(value);
    }
  }
  return out;
}

// What a process writes to standard output or error, in memory, also after its end.
class Caught {
 public:
  explicit Caught(int stream) : stream_(stream), memory_(memfd_create("caught", MFD_CLOEXEC)) {}
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;

  // From now on, in this process.
  void begin() const {
    if (memory_ < 0 || dup2(memory_, stream_) < 0) std::_Exit(2);
  }
  std::string take() {
    const off_t size = lseek(memory_, 0, SEEK_END);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (pread(memory_, text.data(), text.size(), 0) != size) text = "(unreadable)";
    if (ftruncate(memory_, 0) != 0 || lseek(memory_, 0, SEEK_SET) != 0) std::_Exit(2);
    return text;
  }

 private:
  int stream_, memory_;
};

struct Ended {
  int status;
  std::string out, err;
};

bool is_text(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\n') || c == 0x7f;
  });
}

// What is wrong with the files that a run left in the present folder; they are gone afterwards.
std::string broken_file() {
  std::string broken;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    const std::string name = entry.path().filename();
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const bool whole = text.ends_with("}\n") || text.ends_with("</svg>\n");
    if (name.find(".tmp") != std::string::npos) broken = "left behind: " + name;
    if (!whole) broken = "not a whole file: " + name;
    std::filesystem::remove_all(entry.path());
  }
  return broken;
}

// The rule that was broken; empty if none was.
std::string broken_rule(const Target& target, const Ended& ended) {
  if (ended.status != 0 && ended.status != 2) return "status " + std::to_string(ended.status);
  if (!is_text(ended.out) || !is_text(ended.err)) return "control characters in what is printed";
  std::set<std::string> lines;
  for (std::size_t at = 0; at < ended.err.size();) {
    const std::size_t end = ended.err.find('\n', at);
    if (end == std::string::npos) return "standard error does not end with a line";
    if (ended.err.compare(at, target.name.size() + 2, target.name + ": ") != 0) {
      return "a line on standard error without the program's name";
    }
    if (!lines.insert(ended.err.substr(at, end - at)).second) return "the same line twice";
    at = end + 1;
  }
  return ended.status == 2 && lines.empty() ? "status 2 without a word" : broken_file();
}

std::string quoted(const Target& target, const Arguments& arguments) {
  std::string line = target.name;
  for (const std::string& argument : arguments) {
    line += " $'";
    for (const char c : argument) {
      char hex[8];
      std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
      const bool plain = c >= ' ' && c < 0x7f && c != '\'' && c != '\\';
      line += plain ? std::string(1, c) : std::string(hex);
    }
    line += "'";
  }
  return line;
}

std::uint64_t number(const char* text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != '\0') {
    std::fprintf(stderr, "usage: fuzz_NAME [COUNT [SEED [FIRST]]]\n");
    std::exit(2);
  }
  return value;
}

// What the parent may still read when the child is gone.
struct Shared {
  std::uint64_t input, right, refused, left_out;
  char complaint[1 << 16];
};

struct Inputs {
  std::uint64_t count, seed, first;

  Arguments at(std::uint64_t input, const Target& target) const {
    std::seed_seq sequence{seed, input >> 32, input & 0xffffffff};
    Random random(sequence);
    return make_input(target, random);
  }
};

void run_inputs(const Target& target, const Inputs& inputs, Caught& out, Caught& err,
                Shared& shared) {
  out.begin();
  err.begin();
  for (std::uint64_t i = inputs.first; i < inputs.first + inputs.count; ++i) {
    shared.input = i;
    const Arguments arguments = inputs.at(i, target);
    if (target.long_run(arguments)) {
      ++shared.left_out;
      continue;
    }
    std::vector<char*> words{const_cast<char*>(target.name.c_str())};
    for (const std::string& argument : arguments) {
      words.push_back(const_cast<char*>(argument.c_str()));
    }
    words.push_back(nullptr);
    const int status = target.run(static_cast<int>(words.size()) - 1, words.data());
    std::cout.flush();
    std::fflush(nullptr);
    const Ended ended{status, out.take(), err.take()};
    ++(status == 0 ? shared.right : shared.refused);
    const std::string rule = broken_rule(target, ended);
    if (rule.empty()) continue;
    const std::string complaint = rule + "\n" + ended.out + ended.err;
    std::strncpy(shared.complaint, complaint.c_str(), sizeof shared.complaint - 1);
    return;
  }
}

}  // namespace

int fuzz_main(int argc, char** argv, const Target& target) {
  const Inputs inputs = {.count = argc > 1 ? number(argv[1]) : 1000,
                         .seed = argc > 2 ? number(argv[2]) : 1,
                         .first = argc > 3 ? number(argv[3]) : 0};
  const auto folder = std::filesystem::temp_directory_path() / ("fuzz_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  Shared& shared = *static_cast<Shared*>(memory);
  Caught out(STDOUT_FILENO), err(STDERR_FILENO);
  const pid_t child = fork();
  if (child == 0) {
    run_inputs(target, inputs, out, err, shared);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);

  std::string complaint = shared.complaint;
  if (child < 0 || status != 0) {
    complaint = "died with wait status " + std::to_string(status) + "\n" + out.take() + err.take();
  }
  const std::string counted = std::to_string(shared.right + shared.refused) + " inputs of seed " +
                              std::to_string(inputs.seed) + ": " + std::to_string(shared.right) +
                              " served, " + std::to_string(shared.refused) + " refused; " +
                              std::to_string(shared.left_out) + " left out as long";
  if (complaint.empty()) {
    std::printf("%s: %s\n", target.name.c_str(), counted.c_str());
    return 0;
  }
  std::fprintf(stderr, "%s: %s\ninput %llu: %s\n%s\n", target.name.c_str(), counted.c_str(),
               static_cast<unsigned long long>(shared.input),
               quoted(target, inputs.at(shared.input, target)).c_str(), complaint.c_str());
  return 1;
}

}  // namespace fuzz
