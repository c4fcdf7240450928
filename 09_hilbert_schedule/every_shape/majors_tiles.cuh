#pragma once
// The tilings of each layout but tn, as the CUDA program has them: of a layout and an element type
// in a source of their own.

#include "majors.cuh"

namespace every_shape {

template <class...>
struct Tiles {};
template <class... A, class... B>
Tiles<A..., B...> operator+(Tiles<A...>, Tiles<B...>) {
  return {};
}
// One operand along K: its rows are columns of the usual tiles, of C or of C^T, and rows of others.
using UsualTiles =
    Tiles<B<64, 64, 1, 8>, B<64, 72, 2, 4>, B<64, 72, 4, 2>, B<64, 80, 4, 2>, B<64, 88, 4, 2>,
          B<64, 96, 4, 2>, B<64, 104, 4, 2>, B<64, 112>, B<64, 160>, B<64, 192>, B<128, 64, 1, 8>,
          B<128, 88, 2, 4>, B<128, 96, 4, 2>, B<128, 104, 2, 4>, B<128, 112, 2, 4>, B<128, 144>,
          B<128, 144, 2, 4>, PB<128, 144, 4, 2>, PB<128, 160, 4, 2>, B<128, 176>,
          PB<128, 176, 4, 2>, PB<128, 192>, PB<128, 192, 2, 1>, PB<128, 192, 4, 2>, D<128, 208>,
          B<128, 208, 2, 1>, D<128, 224>, B<128, 240, 2, 1>, D<128, 256>, B<128, 256, 2, 1>,
          B<192, 112, 1, 4>, B<192, 120, 1, 2>, B<192, 128, 1, 2>, B<192, 144, 1, 2>,
          B<192, 160, 1, 2>, B<192, 176, 1, 2>, B<256, 152, 1, 2>>;
using OtherTiles =
    Tiles<B<64, 64>, B<64, 112, 4, 2>, B<64, 128>, B<64, 160, 4, 2>, B<64, 192>, B<128, 64>,
          B<128, 64, 1, 8>, B<128, 96, 2, 4>, B<128, 96, 4, 2>, B<128, 112, 2, 4>,
          B<128, 112, 4, 2>, B<128, 128>, B<128, 128, 2, 4>, B<128, 128, 4, 2>, B<128, 144, 4, 2>,
          B<128, 160, 1, 2>, B<128, 160, 4, 1>, PB<128, 160, 4, 2>, PB<128, 176, 4, 2>,
          PB<128, 192, 4, 2>, B<128, 224, 2, 1>, D<128, 256>, B<192, 112, 1, 4>, PB<192, 112, 2, 4>,
          B<192, 160, 1, 2>, D<192, 192>, B<256, 192, 1, 2>>;
// No operand along K: tiles of C, and of C^T.
using OfC =
    Tiles<B<64, 64, 1, 8>, B<64, 64, 2, 4>, B<64, 96, 4, 2>, B<64, 112, 4, 2>, B<64, 128>,
          B<64, 160, 4, 2>, B<64, 192>, B<128, 64>, B<128, 64, 1, 8>, B<128, 112, 4, 2>,
          B<128, 128>, B<128, 128, 1, 8>, PB<128, 128, 4, 2>, B<128, 160, 1, 2>, PB<128, 192>,
          PB<128, 192, 2, 1>, PB<128, 192, 4, 2>, B<128, 224, 2, 1>, B<128, 240, 2, 1>, D<128, 256>,
          B<128, 256, 2, 1>, B<192, 112, 1, 4>, B<192, 128, 1, 2>, D<192, 192>, B<192, 192, 1, 2>,
          B<192, 192, 2, 1>, B<256, 192, 1, 2>>;
using OfTranspose =
    Tiles<B<64, 32>, B<64, 32, 1, 4>, B<64, 64>, B<64, 64, 1, 8>, B<64, 96>, B<64, 96, 4, 2>,
          B<64, 96, 8, 1>, B<64, 112, 4, 2>, B<64, 192>, B<64, 192, 4, 2>, B<128, 64>,
          B<128, 64, 1, 8>, B<128, 80, 4, 2>, B<128, 96>, B<128, 96, 1, 8>, B<128, 96, 2, 4>,
          B<128, 96, 4, 2>, PB<128, 112, 2, 4>, B<128, 112, 4, 2>, PB<128, 128>, B<128, 128, 1, 8>,
          B<128, 128, 4, 2>, PB<128, 144, 4, 2>, B<128, 160, 4, 1>, PB<128, 160, 4, 2>,
          PB<128, 176, 4, 2>, PB<128, 192, 2, 1>, PB<128, 192, 4, 2>, B<128, 224, 2, 1>,
          B<128, 240, 2, 1>, D<128, 256>, B<192, 112, 1, 4>, B<192, 128, 1, 2>, B<192, 160, 1, 2>,
          B<192, 176, 1, 2>, P<2, B<64, 64, 2, 1>>, P<2, B<128, 128, 2, 2>>>;
// Of C^T, in every layout.
using InParts = Tiles<P<4, B<64, 32, 1, 2>>, P<4, B<64, 64, 1, 2>>, P<2, B<64, 64, 1, 4>>,
                      P<2, B<64, 64, 2, 2>>, P<4, B<64, 96, 2, 1>>, P<4, B<64, 112, 2, 1>>,
                      P<2, B<64, 128, 4, 1>>, P<2, B<128, 64, 1, 4>>>;
// Where A is along K, of C^T.
using WithAAlongK =
    Tiles<B<64, 32>, B<64, 40>, B<64, 40, 2, 4>, S<64, 48>, B<64, 48, 2, 4>, B<64, 56>,
          B<64, 56, 2, 4>, B<64, 88>, B<64, 96>, B<64, 96, 8, 1>, B<64, 112, 4, 2>,
          B<64, 136, 4, 1>, B<128, 72>, B<128, 80>, B<128, 80, 1, 8>, B<128, 80, 4, 2>, B<128, 88>,
          B<128, 96>, B<128, 96, 1, 8>, B<128, 104>, B<128, 112>, B<128, 112, 1, 8>, PB<128, 128>,
          B<128, 136>, B<128, 136, 4, 2>, B<128, 152>, B<128, 160>, B<128, 184>, B<128, 200, 2, 1>,
          B<128, 232, 2, 1>, PB<192, 96, 1, 4>, PB<192, 120, 1, 4>, P<2, B<64, 32, 1, 4>>,
          P<2, B<64, 48, 1, 4>>, P<2, B<64, 64, 2, 1>>, P<2, B<64, 80, 1, 2>>,
          P<4, B<64, 80, 1, 2>>, P<2, B<128, 96, 1, 4>>>;
// Where B is along K, of C.
using WithBAlongK =
    Tiles<S<64, 32>, PD<64, 64>, PD<64, 64, 1, 4>, C<64, 64, 1, 8>, B<64, 64, 2, 4>,
          B<64, 88, 2, 4>, S<64, 96>, K<B<64, 96, 4, 2>>, B<64, 144, 4, 1>, B<64, 160, 4, 2>,
          C<128, 64, 1, 4>, C<128, 64, 1, 8>, B<128, 72, 1, 8>, PB<128, 112>, B<128, 112, 4, 2>,
          C<128, 128, 1, 8>, B<128, 160, 1, 2>, PD<128, 160, 2, 4>, B<128, 224, 2, 1>,
          B<192, 72, 1, 4>, B<192, 112, 1, 2>, B<192, 192, 1, 2>, B<192, 192, 2, 1>,
          C<256, 192, 1, 2>, P<2, C<64, 64, 1, 4>>, P<2, C<64, 64, 2, 1>>>;

template <class T, core::Major kMajorA, core::Major kMajorB, class... Plain, class... Others>
const TilingChoice& choice_of(Tiles<Plain...>, Tiles<Others...>) {
  return choice_of<T, kMajorA, kMajorB, Plain..., Transposed<Others>...>();
}
template <class T, core::Major kMajorA, core::Major kMajorB>
const TilingChoice& choice_of_majors() {
  if constexpr (kMajorA == kK) {
    return choice_of<T, kMajorA, kMajorB>(OtherTiles(), UsualTiles() + InParts() + WithAAlongK());
  } else if constexpr (kMajorB == kK) {
    return choice_of<T, kMajorA, kMajorB>(UsualTiles() + WithBAlongK(), OtherTiles() + InParts());
  } else {
    return choice_of<T, kMajorA, kMajorB>(OfC(), OfTranspose() + InParts());
  }
}

}  // namespace every_shape
