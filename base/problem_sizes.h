// Problem sizes of a run as text: "n=1000,iter=5", as in the variable APMT_PARAMS.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apmt {

/// One size: "n=1000". Absent unless the name consists of letters and _, and the number is finite
/// and not negative.
std::optional<std::pair<std::string, double>> size_in_text(const std::string& item);

struct SizesInText {
  std::map<std::string, double> sizes;
  std::vector<std::string> refused;  // items that are no sizes, or second values of a size
};
SizesInText sizes_in_text(const std::string& text);

std::string text_of_sizes(const std::map<std::string, double>& sizes);

}  // namespace apmt
