#pragma once

// Layout algebra: see README.md for the two-screen introduction.
//
//   int_tuple.hpp     nested integers, coordinates <-> integers
//   shape_stride.hpp  Layout, layout left and right, bundle, concat, group_modes
//   algebra.hpp       coalesce, complement, compose, inverses, with_shape
//   tiling.hpp        divides, products, tile_to_shape, recast
//   swizzle.hpp       Swizzle<B,M,S>, its compositions, the general formula
//   at.hpp            at<kLayout>(i, j): the form for device code
//   banks.hpp         bank conflicts of an access, by phase
//   atoms.hpp         mma, ldmatrix and wgmma fragments as thread-value layouts
//   tiled.hpp         tiled mma, tiled copy, partitions, retile, contiguity of a vector copy
//   wgmma_smem.hpp    canonical shared-memory layouts of wgmma, LBO and SBO

#include "at.hpp"
#include "atoms.hpp"
#include "banks.hpp"
#include "tiled.hpp"
#include "wgmma_smem.hpp"
