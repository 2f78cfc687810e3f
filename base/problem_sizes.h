// Problem sizes of a run as text: "n=1000,iter=5", as in the variable APMT_PARAMS.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apmt {

/// Which names of sizes are accepted. In the names of runs, a number follows the name directly, so
/// recorded sizes have no digits in their names; imported ones may have.
enum class SizeNames { kRecorded, kImportedToo };

/// One size: "n=1000". Absent unless the name consists of letters and _ (and of digits behind
/// these, if they may be imported), and the number is finite and not negative.
std::optional<std::pair<std::string, double>> size_in_text(const std::string& item,
                                                           SizeNames names = SizeNames::kRecorded);

struct SizesInText {
  std::map<std::string, double> sizes;
  std::vector<std::string> refused;  // items that are no sizes, or second values of a size
};
SizesInText sizes_in_text(const std::string& text);

std::string text_of_sizes(const std::map<std::string, double>& sizes);

}  // namespace apmt
