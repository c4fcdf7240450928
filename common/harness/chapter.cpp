#include <harness/chapter.hpp>

#include <algorithm>
#include <utility>

namespace harness {
namespace {

// A function-local static: registrations run before main in an order that the linker chooses, so
// the list must exist from the first of them on.
template <class T>
std::vector<T>& registered() {
  static std::vector<T> list;
  return list;
}

template <class T, class Key>
void insert(T added, Key key) {
  auto& list = registered<T>();
  const auto place =
      std::upper_bound(list.begin(), list.end(), added,
                       [&](const T& left, const T& right) { return key(left) < key(right); });
  list.insert(place, std::move(added));
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
  return registered<Chapter>();
}

const std::vector<Demonstration>& demonstrations() {
  return registered<Demonstration>();
}

Registration::Registration(Chapter chapter) {
  insert(std::move(chapter), [](const Chapter& c) { return c.name; });
}

Registration::Registration(Demonstration demonstration) {
  insert(std::move(demonstration),
         [](const Demonstration& d) { return std::pair(d.chapter, d.name); });
}

}  // namespace harness
