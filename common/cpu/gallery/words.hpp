#pragma once
// The gallery in words: errors cut to size, tables for a terminal and for Markdown.

#include "exhibits.hpp"

#include <string>
#include <vector>

namespace gallery {

// Every line wrapped at `columns`, continued lines indented by two more than they begin with. Lines
// of quoted source (six blanks and more) stay whole.
std::string wrapped(const std::string& text, std::size_t columns);

// What a message is about, in one line: without block, thread and closing remark in brackets; of a
// deadlock the likely cause.
std::string essence(const std::string& message);

// "hopper.cuh:96: wgmma: ..." when some policy names the bug, else how many results are wrong.
std::string verdict(const Result& result);

std::string text_table(const std::vector<Result>& results);
std::string markdown_table(const std::vector<Result>& results);  // for common/cpu/README.md

}  // namespace gallery
