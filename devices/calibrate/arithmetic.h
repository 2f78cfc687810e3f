// Loops of floating-point operations in registers, as in the Empirical Roofline Toolkit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace apmt::devices {

enum class Form { kScalar, kFma, kVector, kPeak };

/// The sets of vector instructions that this processor has, the narrowest first.
std::vector<std::string> vector_sets();

/// Executes `rounds` rounds of a loop and returns the number of operations; 0 if the form is fused
/// multiply-add and the vector set does not have it.
double arithmetic(const std::string& set, Form form, bool is_double, std::uint64_t rounds);

}  // namespace apmt::devices
