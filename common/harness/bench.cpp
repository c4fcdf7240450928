// What `bench` holds beside the chapters.

#include <harness/chapter.hpp>

static const harness::Registration every_shape(harness::Companion{.name = "every_shape"});
