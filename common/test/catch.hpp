#pragma once
// Catch2 version 2 (one header) and version 3 (a library) under one include.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;  // version 2 has it in the global namespace
#else
#include <catch2/catch.hpp>
#endif
