// Bugs in the waits of a ring.

#include "planted.hpp"

std::vector<gallery::Exhibit> gallery::waits() {
  return {
      hopper<Bug::kNoFullWait>("no_full_wait", "consumers do not wait for the tiles"),
      hopper<Bug::kNoEmptyWait>("no_empty_wait", "the producer does not wait for a free stage"),
      hopper<Bug::kEmptyParity>("empty_parity",
                                "the producer waits for a free stage with the wrong parity"),
      hopper<Bug::kFullParity>("full_parity", "consumers wait for tiles with the wrong parity"),
      hopper<Bug::kExpectTooFew>("expect_too_few",
                                 "arrive_and_expect is told the bytes of A's tile alone"),
      hopper<Bug::kExpectTooMany>("expect_too_many",
                                  "arrive_and_expect is told one row more than is loaded"),
  };
}
