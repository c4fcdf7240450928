#include <test/catch.hpp>
