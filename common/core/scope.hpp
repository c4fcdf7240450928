#pragma once

namespace core {

// Among whose threads an operation orders memory accesses (PTX .cta and .cluster).
enum class Scope { kBlock, kCluster };

}  // namespace core
