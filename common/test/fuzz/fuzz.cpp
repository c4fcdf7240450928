#include "fuzz.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <random>
#include <regex>
#include <sstream>

namespace fuzz {
namespace {

Arguments split(const std::string& text) {
  Arguments out;
  std::istringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, '|');) out.push_back(piece);
  return out;
}

const Arguments kWords = split(
    "|0|1|-1|7|8|16|8,16|24|2147418112|2147483648|9223372036854775807|99999999999999999999|8x8x8|"
    "9x7x13|8x8|0x8x8|1x1x2147418112|late|mix|random:3|random:x|identity|bias_relu|run.json|out."
    "svg|"
    "/dev/null|/dev/full|/no/such/folder/run.json|.|--|-x|--no-such");

using Flag = std::pair<std::string, Arguments>;  // its values; none where it takes none

struct Progress {
  std::uint64_t input, served, refused, left_out;
};

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}
template <class List>
const auto& one_of(Random& random, const List& list) {
  return list[below(random, std::size(list))];
}

// With characters that have a meaning to a parser, or any bytes. No slash: a path that was mutated
// must stay in the folder that was made for this.
void mutate(std::string& text, Random& random) {
  constexpr std::string_view kTelling = "0123456789,x:;-+=_()<>[]{}\"'\\. \t\n\x1b\x7f%$*#o";
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) {
    char c = one_of(random, kTelling);
    if (below(random, 100) < 20) c = static_cast<char>(1 + below(random, 255));
    std::string piece(below(random, below(random, 100) < 2 ? 5000 : 3), c == '/' ? '|' : c);
    if (below(random, 100) < 20)
      piece = text.substr(below(random, text.size() + 1), below(random, 9));
    text.replace(below(random, text.size() + 1), below(random, 3), piece);
  }
}

Arguments make_input(const std::vector<Flag>& flags, std::uint64_t seed, std::uint64_t input) {
  std::seed_seq sequence{seed, input >> 32, input & 0xffffffff};
  Random random(sequence);
  Arguments out;
  for (std::size_t words = below(random, 6); words > 0; --words) {
    auto [name, values] = one_of(random, flags);
    if (!name.empty() && below(random, 100) < 4) mutate(name, random);
    if (!name.empty()) out.push_back(name);
    if (values.empty() || below(random, 100) < 3) continue;
    std::string value = one_of(random, values);
    if (below(random, 100) < 10) value += "," + one_of(random, values);
    if (value.find('/') == std::string::npos && below(random, 100) < 30) mutate(value, random);
    const bool joined = !name.empty() && below(random, 100) < 20;
    joined ? void(out.back() += "=" + value) : out.push_back(value);
  }
  return out;
}

// What is written to standard output or error, in memory, also after a process' end.
struct Caught {
  int stream, memory = memfd_create("caught", MFD_CLOEXEC);

  void begin() const {
    if (dup2(memory, stream) < 0) std::_Exit(3);
  }
  std::string take() const {
    std::string text(static_cast<std::size_t>(lseek(memory, 0, SEEK_END)), '\0');
    const ssize_t got = pread(memory, text.data(), text.size(), 0);
    if (got < 0 || ftruncate(memory, 0) != 0 || lseek(memory, 0, SEEK_SET) != 0) std::_Exit(3);
    return text;
  }
};

int run(const Target& target, Arguments arguments) {
  arguments.insert(arguments.begin(), target.name);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const int status = target.run(static_cast<int>(words.size()) - 1, words.data());
  std::cout.flush();
  std::fflush(nullptr);
  return status;
}

// Those that the help names, with the values that it lists or any words; and words alone.
std::vector<Flag> flags_of(const Target& target, const std::string& help) {
  Arguments words = kWords;
  for (int i = 0; i < 3; ++i) {  // about half and half
    words.insert(words.end(), target.words.begin(), target.words.end());
  }
  std::vector<Flag> flags = {{"", words}};
  const std::regex line(R"(\n +(?:-h,)?(--[\w-]+)( ([^ :]+))?(?= ))");
  for (std::sregex_iterator match(help.begin(), help.end(), line), end; match != end; ++match) {
    const Arguments values = split((*match)[3]);
    flags.emplace_back((*match)[1], values.size() == 1 ? words : values);  // one stands for any
  }
  return flags;
}

// The rule that was broken; empty if none was. Files that the run left here are gone afterwards.
std::string broken_rule(const Target& target, int status, const std::string& out,
                        const std::string& err) {
  std::string broken;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const bool whole = text.ends_with("}\n") || text.ends_with("</svg>\n");
    if (!whole) broken = "not a whole file: " + entry.path().string();
    std::filesystem::remove_all(entry.path());
  }
  if (status != 0 && status != 2) return "status " + std::to_string(status);
  if (status == 2 && err.empty()) return "status 2 without a word";
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(target.name + ": ")) return "a line without the program's name";
  }
  const auto control = [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; };
  const std::string all = out + err;
  return std::any_of(all.begin(), all.end(), control) ? "control characters" : broken;
}

}  // namespace

int fuzz_main(int argc, char** argv, const Target& target) {
  const std::uint64_t count = std::stoull(argc > 1 ? argv[1] : "1000");
  const std::uint64_t seed = std::stoull(argc > 2 ? argv[2] : "1");
  const auto folder = std::filesystem::temp_directory_path() / ("fuzz_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  Progress& progress = *static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const Caught out{STDOUT_FILENO}, err{STDERR_FILENO};
  const int terminal = dup(STDOUT_FILENO);
  out.begin();
  run(target, {"--help"});
  const std::vector<Flag> flags = flags_of(target, out.take());
  dup2(terminal, STDOUT_FILENO);

  if (fork() == 0) {
    out.begin();
    err.begin();
    for (; progress.input < count; ++progress.input) {
      const Arguments arguments = make_input(flags, seed, progress.input);
      if (target.long_run(arguments)) {
        ++progress.left_out;
        continue;
      }
      const int status = run(target, arguments);
      ++(status == 0 ? progress.served : progress.refused);
      const std::string printed = out.take(), said = err.take();
      const std::string broken = broken_rule(target, status, printed, said);
      if (broken.empty()) continue;
      std::cerr << broken << "\n" << printed << said << std::flush;
      std::_Exit(1);
    }
    std::_Exit(0);
  }
  int status = 0;
  wait(&status);
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
  const auto [last, served, refused, left_out] = progress;
  std::cout << target.name << ": " << served + refused << " inputs of seed " << seed << ": "
            << served << " served, " << refused << " refused; " << left_out
            << " left out as long\n";
  if (status == 0) return 0;
  std::cout << "wait status " << status << " at input " << last << ":";
  for (const std::string& word : make_input(flags, seed, last))
    std::cout << " " << std::quoted(word);
  std::cout << "\n" << out.take() << err.take();
  return 1;
}

}  // namespace fuzz
