#include <algorithm>
#include <map>

#include "result.hpp"

namespace layout::tool {
namespace {

// Eight light fills for threads, told apart in print and under the common kinds of colour blindness
// by the number in the cell; 32 for banks run once around the colour circle.
constexpr const char* kThreadFills[8] = {"#f6d5a5", "#bfe0e3", "#cdd0ee", "#f3c6c6",
                                         "#d5e6b5", "#e6cfe8", "#f7edb0", "#d9d9d9"};

constexpr int kCell = 40;
constexpr int kMargin = 24;
constexpr int kLine = 17;  // of the caption

struct Cell {
  std::string label;
  std::string second;  // a smaller line below
  std::string fill;
};

std::string bank_fill(Int bank) {
  return join("hsl(", bank * 360 / kBanks, ",65%,", bank / 4 % 2 == 0 ? "78%" : "66%", ")");
}

// The grid of a thread-value layout: every position of the tile with its thread and value; where
// several threads hold it, the first, and how many more.
std::vector<Cell> tile_cells(const Result& result) {
  const Int threads = result.rows();
  std::vector<Cell> cells(static_cast<std::size_t>(result.tile->product()));
  std::map<Int, std::pair<Int, Int>>
      owners;  // position -> index of the first owner, number of owners
  for (Int i = 0; i < result.layout->size(); ++i) {
    auto [owner, fresh] = owners.try_emplace(result(i), i, 1);
    if (!fresh) ++owner->second.second;
  }
  for (const auto& [position, owner] : owners) {
    if (position >= static_cast<Int>(cells.size()))
      refuse("the value ", position, " lies outside the tile ", *result.tile);
    const auto [first, count] = owner;
    Cell& cell = cells[static_cast<std::size_t>(position)];
    cell.label = join("T", first % threads);
    cell.second = join("V", first / threads, count > 1 ? join(" +", count - 1) : "");
    const Int counted = result.group < threads ? first % threads : first;
    cell.fill = kThreadFills[counted / std::max<Int>(result.group, 1) % 8];
  }
  return cells;
}

std::vector<Cell> value_cells(const Result& result) {
  std::vector<Cell> cells;
  for (Int i = 0; i < result.layout->size(); ++i) {
    const Int value = result(i);
    if (result.banks) {
      const Int bank = bank_of(*result.banks, value);
      cells.push_back({std::to_string(value), join("bank ", bank), bank_fill(bank)});
    } else {
      const Int group = result.group > 0 ? value / result.group : i % result.rows();
      cells.push_back({std::to_string(value), "", kThreadFills[group % 8]});
    }
  }
  return cells;
}

std::string text_at(Int x, Int y, int size, const std::string& anchor, const std::string& text) {
  return join("<text x=\"", x, "\" y=\"", y, "\" font-size=\"", size, "\" text-anchor=\"", anchor,
              "\">", text, "</text>\n");
}

// Up to the given size, as large as the cell is wide.
std::string in_cell(Int x, Int y, int size, const std::string& text) {
  const int room = 100 * (kCell - 4) / (64 * std::max(static_cast<int>(text.size()), 1));
  return text_at(x + kCell / 2, y, std::min(size, room), "middle", text);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string as_svg(const Result& result) {
  if (!result.layout) refuse(result.text, " is no layout, there is nothing to draw");
  const bool in_tile = result.tile && !result.banks;
  const Int count =
      in_tile ? std::max(result.tile->product(), result.layout->size()) : result.layout->size();
  if (count > kMaxDrawn) refuse(count, " cells are too many to draw, the limit is ", kMaxDrawn);
  const std::vector<Cell> cells = in_tile ? tile_cells(result) : value_cells(result);
  const Int rows = in_tile ? (*result.tile)[0].value() : result.rows();
  const Int cols = static_cast<Int>(cells.size()) / rows;
  const std::size_t colon = result.text.find(':') + 1;
  const Int longest = static_cast<Int>(std::max(colon, result.text.size() - colon));
  const Int width = std::max({2 * kMargin + cols * kCell, 16 + 8 * longest, Int{240}});
  std::vector<std::string> caption{""};  // as many lines as it takes
  const auto say = [&](const std::string& part) {
    if (8 * (caption.back().size() + part.size()) + 16 > static_cast<std::size_t>(width))
      caption.push_back("");
    caption.back() += part;
  };
  say(result.text.substr(0, colon));
  say(result.text.substr(colon));
  if (in_tile) say(" in a tile " + to_string(*result.tile));
  if (result.banks) {
    const BankConflicts& all = result.banks->all;
    say(join(" worst ", all.worst, "-way,"));
    say(join(" ", all.wavefronts, " wavefronts in ", all.phases, " phases"));
  }
  const Int top = kMargin + kLine * static_cast<Int>(caption.size());
  const Int height = top + rows * kCell + kMargin / 2;
  std::string title;
  for (const std::string& line : caption) title += line;
  std::string svg =
      join("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height,
           "\" viewBox=\"0 0 ", width, " ", height,
           "\" font-family=\"DejaVu Sans, Verdana, sans-serif\" fill=\"#1c1f24\">\n<title>",
           escaped(title), "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
  for (std::size_t i = 0; i < caption.size(); ++i)
    svg += text_at(8, kLine * static_cast<Int>(i + 1), 13, "start", escaped(caption[i]));
  const Int left = kMargin;
  for (Int col = 0; col < cols; ++col)
    svg += text_at(left + col * kCell + kCell / 2, top - 5, 10, "middle", std::to_string(col));
  for (Int row = 0; row < rows; ++row) {
    svg += text_at(left - 4, top + row * kCell + kCell / 2 + 4, 10, "end", std::to_string(row));
    for (Int col = 0; col < cols; ++col) {
      const Cell& cell = cells[static_cast<std::size_t>(row + col * rows)];
      const Int x = left + col * kCell;
      const Int y = top + row * kCell;
      svg += join("<rect x=\"", x, "\" y=\"", y, "\" width=\"", kCell, "\" height=\"", kCell,
                  "\" fill=\"", cell.fill.empty() ? "white" : cell.fill,
                  "\" stroke=\"#5c636e\" stroke-width=\"0.5\"/>\n");
      const bool two_lines = !cell.second.empty();
      svg += in_cell(x, y + (two_lines ? 18 : 26), 16, cell.label);
      if (two_lines) svg += in_cell(x, y + 33, 12, cell.second);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace layout::tool
