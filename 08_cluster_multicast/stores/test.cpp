// The stores' aside beyond the contract: every order of stores writes every element, and rings of
// cluster scope go around.

#include <test/catch.hpp>
#include <test/trial.hpp>

TEST_CASE("stores: rings go around, with rows of B both ways, on whole and on ragged tiles") {
  test::try_all(
      {test::packed(256, 512, 64), test::packed(72, 96, 1152), test::packed(264, 264, 328)});
}
