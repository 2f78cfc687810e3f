// Joins names into a list.
#pragma once

#include <string>

namespace apmt {

/// The items, separated by commas: "lu, cg, ft". The items are strings or the keys of a map.
template <typename Names>
std::string listed(const Names& names, const char* separator = ", ") {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += separator;
    if constexpr (requires { name.first; })
      text += name.first;
    else
      text += name;
  }
  return text;
}

}  // namespace apmt
