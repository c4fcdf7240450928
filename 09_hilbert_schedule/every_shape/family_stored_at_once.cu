// Tiles of one block that its threads store at once.
#include "family.cuh"

every_shape::Family every_shape::family_stored_at_once() {
  return members<S<64, 32>, S<64, 64>, S<64, 96>, S<64, 128>, S<128, 64>, S<128, 96>, S<128, 128>,
                 S<192, 96>, S<192, 128>>();
}
