#include "functions.hpp"

namespace layout::tool {
namespace {

using Arguments = std::vector<Argument>;

[[noreturn]] void blame(const Argument& argument, const std::string& message) {
  throw SyntaxError(argument.column, message);
}

IntTuple as_tuple(const Argument& argument) {
  if (const auto* tuple = std::get_if<IntTuple>(&argument.value.data)) return *tuple;
  blame(argument, "expected an integer or a tuple of integers");
}

Int as_int(const Argument& argument) {
  const IntTuple tuple = as_tuple(argument);
  if (!tuple.is_leaf()) blame(argument, "expected an integer, found " + to_string(tuple));
  return tuple.value();
}

int as_small_int(const Argument& argument) {
  const Int value = as_int(argument);
  if (value > 1 << 20) blame(argument, std::to_string(value) + " is out of range here");
  return static_cast<int>(value);
}

const Tile& as_tile(const Argument& argument) {
  if (const auto* tile = std::get_if<Tile>(&argument.value.data)) return *tile;
  blame(argument, "expected a tile <..., ...>");
}

TiledTv as_tiled(const Argument& argument) {
  if (!argument.value.tile)
    blame(argument, "expected a thread-value layout with its tile, such as tiled_copy(...)");
  return {as_layout(argument), *argument.value.tile};
}

Value number(const IntTuple& tuple) {
  Value value(tuple);
  value.is_number = true;
  return value;
}

// f for a plain or a swizzled layout.
template <class F>
Value on_any_layout(const Argument& argument, F f) {
  if (const auto* swizzled = std::get_if<Swizzled>(&argument.value.data)) return f(*swizzled);
  return f(as_layout(argument));
}

template <class F>
Value divide(const Arguments& a, F f) {
  return on_any_layout(a[0], [&](const auto& layout) -> Value {
    if (is_tile(a[1])) return f(layout, as_tile(a[1]));
    return f(layout, as_layout(a[1]));
  });
}

template <class F>
Value product(const Arguments& a, F f) {
  if (is_tile(a[1])) return f(as_layout(a[0]), as_tile(a[1]));
  return f(as_layout(a[0]), as_layout(a[1]));
}

// --- atoms
// -----------------------------------------------------------------------------------------------------------

Value fragment(const Layout& tv, Int rows, Int cols) {
  return TiledTv{tv, IntTuple{rows, cols}};
}

Value tiled_operand(const Arguments& a, Operand operand) {
  return tiled_mma(mma_m16n8k16(), as_layout(a[0]), as_tile(a[1]), operand);
}

CopyAtom ldmatrix_of(const Arguments& a, bool transposed) {
  const int count = as_small_int(a[0]);
  const Int bits = a.size() > 1 ? as_int(a[1]) : 16;
  return bits == 1 ? ldmatrix_bits(count, transposed) : ldmatrix(count, transposed, bits);
}

// --- wgmma
// -----------------------------------------------------------------------------------------------------------

Value wgmma_piece(const Swizzled& piece) {
  if (piece.swizzle.b == 0) return piece.layout;
  return piece;
}

template <Major major>
Value wgmma_atom_of(const Arguments& a) {
  return wgmma_piece(wgmma_atom(major, as_int(a[0]), as_int(a[1])));
}

template <Major major>
Value wgmma_tile_of(const Arguments& a) {
  const Int bytes = as_int(a[0]);
  const Int bits = as_int(a[1]);
  const IntTuple shape = as_tuple(a[2]);
  if (shape.rank() != 2) blame(a[2], "expected the shape (mn,k)");
  const Swizzled tile = tile_to_shape(wgmma_atom(major, bytes, bits), shape);
  const WgmmaStrides strides = wgmma_strides(tile, major, bytes, bits);
  Value value = wgmma_piece(tile);
  if (major == Major::kK || strides.leading_used) value.facts.emplace_back("LBO", strides.leading);
  if (strides.stride_used) value.facts.emplace_back("SBO", strides.stride);
  return value;
}

const Function kFunctions[] = {
    {"left", "S", "layout left (column-major) of a shape",
     [](const Arguments& a) -> Value { return left(as_tuple(a[0])); }},
    {"right", "S", "layout right (row-major) of a shape",
     [](const Arguments& a) -> Value { return right(as_tuple(a[0])); }},
    {"coalesce", "L", "the same function with fewest modes",
     [](const Arguments& a) -> Value { return coalesce(as_layout(a[0])); }},
    {"concat", "A,B", "the modes of A, then those of B",
     [](const Arguments& a) -> Value { return concat(as_layout(a[0]), as_layout(a[1])); }},
    {"bundle", "A,B", "A and B as two modes",
     [](const Arguments& a) -> Value { return bundle(as_layout(a[0]), as_layout(a[1])); }},
    {"mode", "L,i", "mode i of L",
     [](const Arguments& a) -> Value {
       const int i = as_small_int(a[1]);
       return on_any_layout(a[0], [i](const auto& l) -> Value {
         if constexpr (requires { l.swizzle; })
           return Swizzled(l.swizzle, l.layout.mode(i));
         else
           return l.mode(i);
       });
     }},
    {"group_modes", "L,first,last", "modes first to last-1 as one",
     [](const Arguments& a) -> Value {
       return group_modes(as_layout(a[0]), as_small_int(a[1]), as_small_int(a[2]));
     }},
    {"complement", "L,M", "what L is repeated by to fill M, rounded as CuTe does",
     [](const Arguments& a) -> Value { return complement(as_layout(a[0]), as_int(a[1])); }},
    {"complement_strict", "L,M", "the same, exact or refused",
     [](const Arguments& a) -> Value { return complement_strict(as_layout(a[0]), as_int(a[1])); }},
    {"compose", "A,B", "A(B(i)), also written A o B; by mode for a tile B",
     [](const Arguments& a) -> Value { return compose_values(a[0], a[1]); }},
    {"compose_extended", "A,B", "the same, A running on past its size by its last mode",
     [](const Arguments& a) -> Value {
       return compose_extended(as_layout(a[0]), as_layout(a[1]));
     }},
    {"right_inverse", "L", "R with L(R(i)) = i",
     [](const Arguments& a) -> Value { return right_inverse(as_layout(a[0])); }},
    {"left_inverse", "L", "R with R(L(i)) = i",
     [](const Arguments& a) -> Value { return left_inverse(as_layout(a[0])); }},
    {"inverse", "L", "both, or refused",
     [](const Arguments& a) -> Value { return inverse(as_layout(a[0])); }},
    {"with_shape", "L,S", "L seen through another shape",
     [](const Arguments& a) -> Value {
       return on_any_layout(a[0],
                            [&](const auto& l) -> Value { return with_shape(l, as_tuple(a[1])); });
     }},
    {"logical_divide", "A,B", "((tile0,rest0),(tile1,rest1),...); B a layout or a tile",
     [](const Arguments& a) -> Value {
       return divide(a, [](const auto& x, const auto& y) { return logical_divide(x, y); });
     }},
    {"zipped_divide", "A,B", "((tile0,tile1,...),(rest0,rest1,...))",
     [](const Arguments& a) -> Value {
       return divide(a, [](const auto& x, const auto& y) { return zipped_divide(x, y); });
     }},
    {"tiled_divide", "A,B", "((tile0,tile1,...),rest0,rest1,...)",
     [](const Arguments& a) -> Value {
       return divide(a, [](const auto& x, const auto& y) { return tiled_divide(x, y); });
     }},
    {"logical_product", "A,B", "((x,y),(z,w)); B a layout or a tile",
     [](const Arguments& a) -> Value {
       return product(a, [](const auto& x, const auto& y) { return logical_product(x, y); });
     }},
    {"zipped_product", "A,B", "((x,y),(z,w))",
     [](const Arguments& a) -> Value {
       return product(a, [](const auto& x, const auto& y) { return zipped_product(x, y); });
     }},
    {"tiled_product", "A,B", "((x,y),z,w)",
     [](const Arguments& a) -> Value {
       return product(a, [](const auto& x, const auto& y) { return tiled_product(x, y); });
     }},
    {"blocked_product", "A,B", "((x,z),(y,w)), copies of A side by side",
     [](const Arguments& a) -> Value { return blocked_product(as_layout(a[0]), as_layout(a[1])); }},
    {"raked_product", "A,B", "((z,x),(w,y)), copies of A interleaved",
     [](const Arguments& a) -> Value { return raked_product(as_layout(a[0]), as_layout(a[1])); }},
    {"logical_product_strict", "A,B", "the same without gaps, or refused",
     [](const Arguments& a) -> Value {
       return logical_product_strict(as_layout(a[0]), as_layout(a[1]));
     }},
    {"blocked_product_strict", "A,B", "the same without gaps, or refused",
     [](const Arguments& a) -> Value {
       return blocked_product_strict(as_layout(a[0]), as_layout(a[1]));
     }},
    {"raked_product_strict", "A,B", "the same without gaps, or refused",
     [](const Arguments& a) -> Value {
       return raked_product_strict(as_layout(a[0]), as_layout(a[1]));
     }},
    {"tile_to_shape", "A,S[,order]", "A repeated up to the shape S",
     [](const Arguments& a) -> Value {
       return on_any_layout(a[0], [&](const auto& l) -> Value {
         if (a.size() > 2) return tile_to_shape(l, as_tuple(a[1]), as_tuple(a[2]));
         return tile_to_shape(l, as_tuple(a[1]));
       });
     }},
    {"recast", "L,from,to", "L in elements of another width in bits",
     [](const Arguments& a) -> Value {
       return on_any_layout(
           a[0], [&](const auto& l) -> Value { return recast(l, as_int(a[1]), as_int(a[2])); });
     }},
    {"size", "L", "number of elements of the domain",
     [](const Arguments& a) -> Value {
       return on_any_layout(a[0],
                            [](const auto& l) -> Value { return number(IntTuple(l.size())); });
     }},
    {"cosize", "L", "one past the largest value",
     [](const Arguments& a) -> Value { return number(IntTuple(as_layout(a[0]).cosize())); }},
    {"coordinate", "i,S", "the coordinate of an integer in a shape",
     [](const Arguments& a) -> Value { return number(coordinate(as_int(a[0]), as_tuple(a[1]))); }},
    {"index", "C,S", "the integer of a coordinate in a shape",
     [](const Arguments& a) -> Value {
       return number(IntTuple(index(as_tuple(a[0]), as_tuple(a[1]))));
     }},
    {"at", "L,C", "L at an integer or a coordinate",
     [](const Arguments& a) -> Value {
       return on_any_layout(
           a[0], [&](const auto& l) -> Value { return number(IntTuple(l(as_tuple(a[1])))); });
     }},
    {"swizzle_for", "X,bits,vector", "the swizzle for reading columns of rows of X elements",
     [](const Arguments& a) -> Value {
       return swizzle_for_columns(as_int(a[0]), as_int(a[1]), as_int(a[2]));
     }},
    {"mma_a", "", "m16n8k16, operand A: (lane,value) -> (16,16)",
     [](const Arguments&) -> Value { return fragment(mma_m16n8k16().a, 16, 16); }},
    {"mma_b", "", "m16n8k16, operand B: (lane,value) -> (8,16), n by k",
     [](const Arguments&) -> Value { return fragment(mma_m16n8k16().b, 8, 16); }},
    {"mma_c", "", "m16n8k16, C and D: (lane,value) -> (16,8)",
     [](const Arguments&) -> Value { return fragment(mma_m16n8k16().c, 16, 8); }},
    {"wgmma_a", "", "wgmma, A from registers: (thread,value) -> (64,16)",
     [](const Arguments&) -> Value { return fragment(wgmma_m64k16(8).a, 64, 16); }},
    {"wgmma_d", "N", "wgmma m64nNk16, accumulator: (thread,value) -> (64,N)",
     [](const Arguments& a) -> Value {
       return fragment(wgmma_m64k16(as_int(a[0])).c, 64, as_int(a[0]));
     }},
    {"ldmatrix_source", "x[,bits]", "ldmatrix.xN: (lane,value) of the row addresses",
     [](const Arguments& a) -> Value { return ldmatrix_of(a, false).source; }},
    {"ldmatrix_destination", "x[,bits]", "ldmatrix.xN: (lane,value) of the registers",
     [](const Arguments& a) -> Value { return ldmatrix_of(a, false).destination; }},
    {"ldmatrix_destination_trans", "x[,bits]", "ldmatrix.xN.trans: (lane,value) of the registers",
     [](const Arguments& a) -> Value { return ldmatrix_of(a, true).destination; }},
    {"tiled_mma_a", "atoms,tile", "A of several m16n8k16 side by side",
     [](const Arguments& a) -> Value { return tiled_operand(a, Operand::kA); }},
    {"tiled_mma_b", "atoms,tile", "B of several m16n8k16 side by side",
     [](const Arguments& a) -> Value { return tiled_operand(a, Operand::kB); }},
    {"tiled_mma_c", "atoms,tile", "C of several m16n8k16 side by side",
     [](const Arguments& a) -> Value { return tiled_operand(a, Operand::kC); }},
    {"tiled_copy", "thr,val", "the copy of a thread layout and a value layout",
     [](const Arguments& a) -> Value { return tiled_copy(as_layout(a[0]), as_layout(a[1])); }},
    {"source_tv", "x,tiled", "what the lanes of ldmatrix.xN point at to fill a tiled operand",
     [](const Arguments& a) -> Value {
       return source_tv(ldmatrix(as_small_int(a[0]), false), as_tiled(a[1]));
     }},
    {"partition", "L,tiled", "a tensor cut by a thread-value layout: (T,V,M/m,N/n)",
     [](const Arguments& a) -> Value {
       return on_any_layout(a[0],
                            [&](const auto& l) -> Value { return partition(l, as_tiled(a[1])); });
     }},
    {"thread_values", "P", "thread 0 of a partition: (V,M/m,N/n)",
     [](const Arguments& a) -> Value { return thread_values(as_layout(a[0])); }},
    {"retile", "R,from,to", "registers of one partition addressed as another",
     [](const Arguments& a) -> Value {
       return retile(as_layout(a[0]), as_layout(a[1]), as_layout(a[2]));
     }},
    {"wgmma_atom_k", "bytes,bits", "K-major swizzle atom of wgmma", wgmma_atom_of<Major::kK>},
    {"wgmma_atom_mn", "bytes,bits", "MN-major swizzle atom of wgmma", wgmma_atom_of<Major::kMn>},
    {"wgmma_tile_k", "bytes,bits,shape", "K-major operand of wgmma, with LBO and SBO",
     wgmma_tile_of<Major::kK>},
    {"wgmma_tile_mn", "bytes,bits,shape", "MN-major operand of wgmma, with LBO and SBO",
     wgmma_tile_of<Major::kMn>},
};

}  // namespace

const Function* find_function(const std::string& name) {
  for (const Function& function : kFunctions) {
    if (name == function.name) return &function;
  }
  return nullptr;
}

std::vector<std::pair<std::string, std::string>> functions() {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Function& function : kFunctions) {
    const std::string parameters = function.parameters;
    const std::string call =
        parameters.empty() ? function.name : function.name + ("(" + parameters + ")");
    result.emplace_back(call, function.help);
  }
  return result;
}

bool is_tile(const Argument& argument) {
  return std::holds_alternative<Tile>(argument.value.data);
}

Layout as_layout(const Argument& argument) {
  if (const auto* layout = std::get_if<Layout>(&argument.value.data)) return *layout;
  if (const auto* tuple = std::get_if<IntTuple>(&argument.value.data)) return left(*tuple);
  if (std::holds_alternative<Swizzled>(argument.value.data))
    blame(argument, "expected a layout without a swizzle");
  if (std::holds_alternative<Swizzle>(argument.value.data))
    blame(argument, "expected a layout, found a swizzle alone");
  blame(argument, "expected a layout, found a tile");
}

Value compose_values(const Argument& a, const Argument& b) {
  if (const auto* swizzle = std::get_if<Swizzle>(&a.value.data))
    return compose(*swizzle, as_layout(b));
  return on_any_layout(a, [&](const auto& layout) -> Value {
    if (is_tile(b)) return compose(layout, as_tile(b));
    return compose(layout, as_layout(b));
  });
}

}  // namespace layout::tool
