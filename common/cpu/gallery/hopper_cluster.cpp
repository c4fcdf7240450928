// The hopper kernel with bugs in clusters of two blocks.

#include "planted.hpp"

std::vector<gallery::Exhibit> gallery::hopper_cluster() {
  return {
      cluster<Bug::kPeerLeavesEarly>("peer_leaves_early", "no cluster_sync() at the end"),
      cluster<Bug::kMulticastMask>("multicast_mask",
                                   "each block's half of B goes to that block alone"),
      cluster<Bug::kClusterArrivals>("cluster_arrivals",
                                     "empty barriers made for one block's consumers, not both's"),
  };
}
