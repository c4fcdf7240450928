#include <harness/chapter.hpp>

#include <algorithm>

namespace harness {
namespace {

// A function-local static: registrations run before main in an order that the linker chooses, so
// the list must exist from the first of them on.
std::vector<Chapter>& registered() {
  static std::vector<Chapter> list;
  return list;
}

}  // namespace

std::string_view name(Ceiling ceiling) {
  switch (ceiling) {
    case Ceiling::kFfma:
      return "ffma";
    case Ceiling::kMmaSync:
      return "mma_sync";
    case Ceiling::kWgmma:
      return "wgmma";
  }
  return "";
}

const std::vector<Chapter>& chapters() {
  return registered();
}

Registration::Registration(Chapter chapter) {
  auto& list = registered();
  const auto place = std::upper_bound(
      list.begin(), list.end(), chapter,
      [](const Chapter& left, const Chapter& right) { return left.name < right.name; });
  list.insert(place, std::move(chapter));
}

}  // namespace harness
