// What the CUDA program has and the CPU programs have not.

#include "tilings.hpp"

namespace every_shape {

More more() {
  return {
      .tilings = {built<prepare_large>(kLarge, "192x256 tiles, three consumers, stored at once"),
                  built<prepare_square>(kSquare, "192x192 tiles, three consumers"),
                  built<prepare_flat>(kFlat, "192x96 tiles, three consumers, at once"),
                  built<prepare_block>(kBlock, "128x128 tiles, at once"),
                  built<prepare_upright>(kUpright, "128x64 tiles, two consumers, at once"),
                  built<prepare_tiny>(kTiny, "64x64 tiles, at once"),
                  built<prepare_small_split>(kSmallSplit, "64x128 tiles, two blocks divide K"),
                  built<prepare_tiny_split>(kTinySplit, "64x64 tiles, two blocks divide K")},
      .variants = {{"tall", "256x128 tiles", prepare_as_usual<prepare_tall>},
                   {"broad", "128x384 tiles, stored at once by the threads",
                    prepare_as_usual<prepare_broad>}},
      .ablations =
          {
              {"immediate", "a tile stored before the next one begins",
               prepare_as_usual<prepare_immediate>},
              {"direct", "stored by the threads themselves", prepare_as_usual<prepare_direct>},
              {"direct_immediate", "both: chapter 08's stores",
               prepare_as_usual<prepare_direct_immediate>},
              {"in_flight", "one k-tile's MMAs in flight", prepare_as_usual<prepare_in_flight>},
              {"cluster_2x1", "clusters in which two blocks share B",
               prepare_as_usual<prepare_cluster_2x1>},
              {"cluster_1x2", "clusters in which two blocks share A",
               prepare_as_usual<prepare_cluster_1x2>},
          },
  };
}

}  // namespace every_shape
