// Joins names into a list.
#pragma once

#include <string>

namespace apmt {

/// A list such as "lu, cg, ft", from strings or from a map's keys.
template <typename Names>
std::string listed(const Names& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += ", ";
    if constexpr (requires { name.first; })
      text += name.first;
    else
      text += name;
  }
  return text;
}

}  // namespace apmt
