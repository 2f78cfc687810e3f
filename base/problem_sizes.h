// Problem sizes of a run as text: "n=1000,iter=5", as in the variable APMT_PARAMS.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace apmt {

struct SizesInText {
  std::map<std::string, double> sizes;
  std::vector<std::string> refused;  // the items that are not name=number, with a finite number
};
SizesInText sizes_in_text(const std::string& text);

std::string text_of_sizes(const std::map<std::string, double>& sizes);

}  // namespace apmt
