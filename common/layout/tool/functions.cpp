#include "result.hpp"

namespace layout::tool {
using Arguments = std::vector<Argument>;

[[noreturn]] static void blame(const Argument& argument, const std::string& message) {
  refuse_at(argument.column, message);
}

static IntTuple as_tuple(const Argument& argument) {
  if (const auto* tuple = std::get_if<IntTuple>(&argument.value.data)) return *tuple;
  blame(argument, "expected an integer or a tuple of integers");
}

static Int as_int(const Argument& argument) {
  const IntTuple tuple = as_tuple(argument);
  if (!tuple.is_leaf()) blame(argument, "expected an integer, found " + to_string(tuple));
  return tuple.value();
}

static int as_small_int(const Argument& argument) {
  const Int value = as_int(argument);
  if (value > 1 << 20) blame(argument, std::to_string(value) + " is out of range here");
  return static_cast<int>(value);
}

static const Tile& as_tile(const Argument& argument) {
  if (const auto* tile = std::get_if<Tile>(&argument.value.data)) return *tile;
  blame(argument, "expected a tile <..., ...>");
}

static TiledTv as_tiled(const Argument& argument) {
  if (!argument.value.tile)
    blame(argument, "expected a thread-value layout with its tile, such as tiled_copy(...)");
  return {as_layout(argument), *argument.value.tile};
}

static Value number(const IntTuple& tuple) {
  Value value(tuple);
  value.is_number = true;
  return value;
}

using AnyLayout = std::variant<Layout, Swizzled>;
static AnyLayout as_any(const Argument& argument) {
  if (const auto* swizzled = std::get_if<Swizzled>(&argument.value.data)) return *swizzled;
  return as_layout(argument);
}

using LayoutOrTile = std::variant<Layout, Tile>;
static LayoutOrTile as_layout_or_tile(const Argument& argument) {
  if (const auto* tile = std::get_if<Tile>(&argument.value.data)) return *tile;
  return as_layout(argument);
}

template <class T>
static std::variant<T> alternatives(T value) {
  return value;
}
template <class... T>
static std::variant<T...> alternatives(std::variant<T...> value) {
  return value;
}

// f of the arguments, each converted by its own function, whatever alternatives they are.
template <auto f, auto... convert>
static Value apply(const Arguments& arguments) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::visit([](const auto&... each) -> Value { return f(each...); },
                      alternatives(convert(arguments[i]))...);
  }
  (std::make_index_sequence<sizeof...(convert)>());
}

static Value fragment(const Layout& tv, Int rows, Int cols) {
  return TiledTv{tv, IntTuple{rows, cols}};
}

template <Operand operand>
static Value tiled_operand(const Arguments& a) {
  return tiled_mma(mma_m16n8k16(), as_layout(a[0]), as_tile(a[1]), operand);
}

static CopyAtom ldmatrix_of(const Arguments& a, bool transposed) {
  const int count = as_small_int(a[0]);
  const Int bits = a.size() > 1 ? as_int(a[1]) : 16;
  return bits == 1 ? ldmatrix_bits(count, transposed) : ldmatrix(count, transposed, bits);
}

static Value wgmma_piece(const Swizzled& piece) {
  return piece.swizzle.b == 0 ? Value(piece.layout) : Value(piece);
}

template <Major major>
static Value wgmma_atom_of(const Arguments& a) {
  return wgmma_piece(wgmma_atom(major, as_int(a[0]), as_int(a[1])));
}

template <Major major>
static Value wgmma_tile_of(const Arguments& a) {
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

static const Function kFunctions[] = {
    {"left", "S", "layout left (column-major) of a shape", apply<left, as_tuple>},
    {"right", "S", "layout right (row-major) of a shape", apply<right, as_tuple>},
    {"coalesce", "L", "the same function with fewest modes",
     apply<[](const auto&... x) { return coalesce(x...); }, as_layout>},
    {"concat", "A,B", "the modes of A, then those of B", apply<concat, as_layout, as_layout>},
    {"bundle", "A,B", "A and B as two modes",
     apply<[](const auto&... x) { return bundle(x...); }, as_layout, as_layout>},
    {"mode", "L,i", "mode i of L",
     apply<below_swizzle<[](const Layout& l, int i) { return l.mode(i); }>, as_any, as_small_int>},
    {"group_modes", "L,first,last", "modes first to last-1 as one",
     apply<group_modes, as_layout, as_small_int, as_small_int>},
    {"complement", "L,M", "what L is repeated by to fill M, rounded as CuTe does",
     apply<[](const auto&... x) { return complement(x...); }, as_layout, as_int>},
    {"complement_strict", "L,M", "the same, exact or refused",
     apply<complement_strict, as_layout, as_int>},
    {"compose", "A,B", "A(B(i)), also written A o B; by mode for a tile B",
     [](const Arguments& a) -> Value { return compose_values(a[0], a[1]); }},
    {"compose_extended", "A,B", "the same, A running on past its size by its last mode",
     apply<compose_extended, as_layout, as_layout>},
    {"right_inverse", "L", "R with L(R(i)) = i", apply<right_inverse, as_layout>},
    {"left_inverse", "L", "R with R(L(i)) = i", apply<left_inverse, as_layout>},
    {"inverse", "L", "both, or refused", apply<inverse, as_layout>},
    {"with_shape", "L,S", "L seen through another shape",
     apply<below_swizzle<[](const auto&... x) { return with_shape(x...); }>, as_any, as_tuple>},
    {"logical_divide", "A,B", "((tile0,rest0),(tile1,rest1),...); B a layout or a tile",
     apply<below_swizzle<[](const auto&... x) { return logical_divide(x...); }>, as_any,
           as_layout_or_tile>},
    {"zipped_divide", "A,B", "((tile0,tile1,...),(rest0,rest1,...))",
     apply<below_swizzle<[](const auto&... x) { return zipped_divide(x...); }>, as_any,
           as_layout_or_tile>},
    {"tiled_divide", "A,B", "((tile0,tile1,...),rest0,rest1,...)",
     apply<below_swizzle<[](const auto&... x) { return tiled_divide(x...); }>, as_any,
           as_layout_or_tile>},
    {"logical_product", "A,B", "((x,y),(z,w)); B a layout or a tile",
     apply<[](const auto&... x) { return logical_product(x...); }, as_layout, as_layout_or_tile>},
    {"zipped_product", "A,B", "((x,y),(z,w))",
     apply<[](const auto&... x) { return zipped_product(x...); }, as_layout, as_layout_or_tile>},
    {"tiled_product", "A,B", "((x,y),z,w)",
     apply<[](const auto&... x) { return tiled_product(x...); }, as_layout, as_layout_or_tile>},
    {"blocked_product", "A,B", "((x,z),(y,w)), copies of A side by side",
     apply<blocked_product, as_layout, as_layout>},
    {"raked_product", "A,B", "((z,x),(w,y)), copies of A interleaved",
     apply<raked_product, as_layout, as_layout>},
    {"logical_product_strict", "A,B", "the same without gaps, or refused",
     apply<logical_product_strict, as_layout, as_layout>},
    {"blocked_product_strict", "A,B", "the same without gaps, or refused",
     apply<blocked_product_strict, as_layout, as_layout>},
    {"raked_product_strict", "A,B", "the same without gaps, or refused",
     apply<raked_product_strict, as_layout, as_layout>},
    {"tile_to_shape", "A,S[,order]", "A repeated up to the shape S",
     [](const Arguments& a) -> Value {
       constexpr auto f = [](const auto&... x) { return tile_to_shape(x...); };
       return a.size() > 2 ? apply<f, as_any, as_tuple, as_tuple>(a)
                           : apply<f, as_any, as_tuple>(a);
     }},
    {"recast", "L,from,to", "L in elements of another width in bits",
     apply<[](const auto&... x) { return recast(x...); }, as_any, as_int, as_int>},
    {"size", "L", "number of elements of the domain",
     apply<[](const auto& l) { return number(l.size()); }, as_any>},
    {"cosize", "L", "one past the largest value",
     apply<[](const auto& l) { return number(l.cosize()); }, as_layout>},
    {"coordinate", "i,S", "the coordinate of an integer in a shape",
     apply<[](Int i, const auto& s) { return number(coordinate(i, s)); }, as_int, as_tuple>},
    {"index", "C,S", "the integer of a coordinate in a shape",
     apply<[](const auto& c, const auto& s) { return number(index(c, s)); }, as_tuple, as_tuple>},
    {"at", "L,C", "L at an integer or a coordinate",
     apply<[](const auto& l, const auto& c) { return number(l(c)); }, as_any, as_tuple>},
    {"swizzle_for", "X,bits,vector", "the swizzle for reading columns of rows of X elements",
     apply<swizzle_for_columns, as_int, as_int, as_int>},
    {"conflicts", "L,bits,vector", "ways of the worst bank conflict of its column reads",
     [](const Arguments& a) -> Value {
       const Value value = apply<[](const auto& l) { return l; }, as_any>(a);
       return number(count_banks(make_result(value), as_int(a[1]), as_int(a[2])).all.worst);
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
    {"tiled_mma_a", "atoms,tile", "A of several m16n8k16 side by side", tiled_operand<Operand::kA>},
    {"tiled_mma_b", "atoms,tile", "B of several m16n8k16 side by side", tiled_operand<Operand::kB>},
    {"tiled_mma_c", "atoms,tile", "C of several m16n8k16 side by side", tiled_operand<Operand::kC>},
    {"tiled_copy", "thr,val", "the copy of a thread layout and a value layout",
     apply<tiled_copy, as_layout, as_layout>},
    {"source_tv", "x,tiled", "what the lanes of ldmatrix.xN point at to fill a tiled operand",
     [](const Arguments& a) -> Value {
       return source_tv(ldmatrix(as_small_int(a[0]), false), as_tiled(a[1]));
     }},
    {"partition", "L,tiled", "a tensor cut by a thread-value layout: (T,V,M/m,N/n)",
     apply<[](const auto&... x) { return partition(x...); }, as_any, as_tiled>},
    {"partition_shape", "S,tiled", "what a thread gets of a tensor (M,N): (V,M/m,N/n)",
     [](const Arguments& a) -> Value {
       const IntTuple shape = as_tuple(a[0]);
       if (shape.node_count() != 3) blame(a[0], "expected the shape (M,N)");
       return number(partition_shape(as_tiled(a[1]), shape[0].value(), shape[1].value()));
     }},
    {"require_vector", "P,n", "the partition P, refused where n values are not contiguous",
     apply<[](const auto& p, Int n) { return require_vector(p, n), p; }, as_any, as_int>},
    {"thread_values", "P", "thread 0 of a partition: (V,M/m,N/n)", apply<thread_values, as_layout>},
    {"retile", "R,from,to", "registers of one partition addressed as another",
     apply<retile, as_layout, as_layout, as_layout>},
    {"wgmma_atom_k", "bytes,bits", "K-major swizzle atom of wgmma", wgmma_atom_of<Major::kK>},
    {"wgmma_atom_mn", "bytes,bits", "MN-major swizzle atom of wgmma", wgmma_atom_of<Major::kMn>},
    {"wgmma_tile_k", "bytes,bits,shape", "K-major operand of wgmma, with LBO and SBO",
     wgmma_tile_of<Major::kK>},
    {"wgmma_tile_mn", "bytes,bits,shape", "MN-major operand of wgmma, with LBO and SBO",
     wgmma_tile_of<Major::kMn>},
};

std::span<const Function> functions() {
  return kFunctions;
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
  return apply<below_swizzle<[](const auto&... x) { return compose(x...); }>, as_any,
               as_layout_or_tile>({a, b});
}

}  // namespace layout::tool
