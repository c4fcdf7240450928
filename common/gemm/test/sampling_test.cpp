// Samples: enough, everywhere, at every edge, always the same.

#include <gemm/sampling.hpp>

#include <test/catch.hpp>

#include <algorithm>
#include <set>

namespace {

using gemm::Entry;

bool has_row(const std::vector<Entry>& entries, std::int64_t row) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.row == row; });
}
bool has_col(const std::vector<Entry>& entries, std::int64_t col) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& e) { return e.col == col; });
}
bool has(const std::vector<Entry>& entries, Entry entry) {
  return std::binary_search(entries.begin(), entries.end(), entry);
}

}  // namespace

TEST_CASE("a sample covers every tile and edge") {
  const std::pair<std::int64_t, std::int64_t> shapes[] = {
      {1000, 1000}, {4096, 4096}, {129, 5000}, {5000, 65}, {1, 100000}, {100000, 1}, {8191, 300}};
  for (const auto& [m, n] : shapes) {
    INFO(m << " x " << n);
    const std::vector<Entry> entries = gemm::sample_entries(m, n, 128, 128, 4096, 1);
    CHECK(static_cast<std::int64_t>(entries.size()) >= 4096);
    CHECK(entries.size() < 40000);
    CHECK(std::is_sorted(entries.begin(), entries.end()));
    CHECK(std::adjacent_find(entries.begin(), entries.end()) == entries.end());
    std::set<Entry> tiles;
    bool inside = true;
    for (const Entry& e : entries) {
      inside = inside && e.row >= 0 && e.row < m && e.col >= 0 && e.col < n;
      tiles.insert({e.row / 128, e.col / 128});
    }
    CHECK(inside);
    CHECK(static_cast<std::int64_t>(tiles.size()) == ((m + 127) / 128) * ((n + 127) / 128));
    for (const Entry& corner : {Entry{0, 0}, {0, n - 1}, {m - 1, 0}, {m - 1, n - 1}}) {
      CHECK(has(entries, corner));
    }
    for (std::int64_t boundary = 64; boundary < m; boundary += 64) {
      CHECK(has_row(entries, boundary - 1));
      CHECK(has_row(entries, boundary));
      if (boundary + 1 < m) CHECK(has_row(entries, boundary + 1));
      CHECK(has(entries, {boundary, n - 1}));
    }
    for (std::int64_t boundary = 64; boundary < n; boundary += 64) {
      CHECK(has_col(entries, boundary - 1));
      CHECK(has_col(entries, boundary));
      if (boundary + 1 < n) CHECK(has_col(entries, boundary + 1));
      CHECK(has(entries, {m - 1, boundary}));
    }
    if (m > 1) CHECK(has_row(entries, m - 2));
    if (n > 1) CHECK(has_col(entries, n - 2));
  }
}

TEST_CASE("with very many tiles some are left out") {
  const auto entries = gemm::sample_entries(1 << 16, 1 << 16, 128, 128, 4096, 1);
  CHECK(entries.size() > 60000);
  CHECK(entries.size() < 90000);
}
