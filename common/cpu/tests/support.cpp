#include "support.hpp"

#include "../gallery/runners.hpp"

#include <runtime/report.hpp>

void check_everything_works() {
  using gallery::Bug;
  CHECK(gallery::run_hopper<Bug::kNone, 2, bf16>({128, 128, 64}) == 0);
  CHECK(gallery::run_ampere<Bug::kNone, bf16>({64, 64, 32}) == 0);
}

TEST_CASE("everything asynchronous, under every policy and number of workers") {
  const KeepSettings keep;
  for (const int workers : {1, 2, 4}) {
    under_every_policy([&] {
      runtime::set_workers(workers);
      check_everything_works();
    });
  }
}

void fails(gpu::LaunchShape shape, std::initializer_list<const char*> words,
           void (*kernel)(const Global)) {
  const std::string folder = std::string(__FILE__, std::string(__FILE__).rfind('/') + 1);
  under_every_policy([&] {
    const DeviceArray<float> values(std::vector<float>(32 * 32, 2.0f));
    const DeviceArray<int> number(std::vector<int>{0});
    const Global global{values.data(), number.data(), map_of(values.data(), 32, 32, 32, 32)};
    const std::string error = device_error_of([&] { gpu::launch(kernel, shape, nullptr, global); });
    CAPTURE(error);
    const std::size_t file = error.find("tests/") + 6, colon = error.find(':', file);
    REQUIRE(colon != std::string::npos);
    const std::string path = folder + error.substr(file, colon - file);
    const auto line = static_cast<unsigned>(std::stoul(error.substr(colon + 1)));
    CHECK(contains(runtime::source_line({path.c_str(), line}, 200), "// fails"));
    for (const char* word : words) {
      CAPTURE(word);
      CHECK(contains(error, word));
    }
  });
  check_everything_works();
}
