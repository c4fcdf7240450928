// The family of tiles as the CUDA program has it, and the wide tiling's tricks one by one.

#include "family.cuh"

namespace every_shape {

static Family joined(std::initializer_list<Family> families) {
  Family out;
  for (const Family& family : families) out.insert(out.end(), family.begin(), family.end());
  return out;
}
const Family& tilings() {
  static const Family list = joined({family_stored_at_once(),
                                     family_deferred(),
                                     family_deferred_transposed(),
                                     family_deferred_pairs(),
                                     family_by_tma_64(),
                                     family_by_tma(),
                                     family_transposed_64(),
                                     family_transposed(),
                                     family_pairs(),
                                     family_clusters_transposed(),
                                     family_pairs_192_transposed(),
                                     family_clusters(),
                                     family_clusters_192(),
                                     family_clusters_64_transposed(),
                                     family_eights_transposed(),
                                     family_split_k(),
                                     family_split_k_transposed(),
                                     family_ping_pong_64(),
                                     family_ping_pong(),
                                     family_ping_pong_clusters(),
                                     family_ping_pong_transposed(),
                                     family_ping_pong_clusters_transposed()});
  return list;
}

namespace {

template <class Choice>
harness::Variant wide(const char* name, const char* summary) {
  return {name, summary, built<Choice>().prepare_as_usual};
}

}  // namespace

std::vector<harness::Variant> more_ablations() {
  using Wide = Tile<128, 256, 4, 2>;
  return {
      wide<Immediate<Wide>>("immediate", "a tile stored before the next one begins"),
      wide<Direct<Wide>>("direct", "stored by the threads themselves"),
      wide<Immediate<Direct<Wide>>>("direct_immediate", "both: chapter 08's stores"),
      wide<InFlight<Wide>>("in_flight", "one k-tile's MMAs in flight"),
      wide<Clustered<2, 1, Wide>>("cluster_2x1", "clusters in which two blocks share B"),
      wide<Clustered<1, 2, Wide>>("cluster_1x2", "clusters in which two blocks share A"),
  };
}

}  // namespace every_shape
