// The square of a number.
#pragma once

namespace apmt {

constexpr double square(double x) { return x * x; }

}  // namespace apmt
