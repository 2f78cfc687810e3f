#include "fitter/runs/repeated_warnings.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

namespace apmt {
namespace {

/// The words of a warning. Numbers, units of time, "sample" and "samples" are left out, because
/// they may differ between experiments although the reason is the same.
std::string reason_of(const std::string& warning) {
  std::istringstream words(warning);
  std::string reason;
  for (std::string word; words >> word;) {
    const bool is_number = std::any_of(word.begin(), word.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    const std::string letters = word.substr(0, word.find_last_not_of("(),.:;") + 1);
    constexpr const char* kVarying[] = {"ns", "us", "ms", "s", "sample", "samples"};
    if (is_number ||
        std::find(std::begin(kVarying), std::end(kVarying), letters) != std::end(kVarying))
      continue;
    reason += word + " ";
  }
  return reason;
}

struct Reason {
  std::string key;
  std::string first;
  std::vector<std::size_t> experiments;  // those with this warning, ascending
};

}  // namespace

std::vector<std::string> each_reason_once(const std::vector<std::vector<std::string>>& warnings) {
  std::vector<Reason> reasons;
  for (std::size_t e = 0; e < warnings.size(); ++e)
    for (const std::string& warning : warnings[e]) {
      const std::string key = reason_of(warning);
      auto found = std::find_if(reasons.begin(), reasons.end(),
                                [&](const Reason& r) { return r.key == key; });
      if (found == reasons.end()) found = reasons.insert(reasons.end(), {key, warning, {}});
      if (found->experiments.empty() || found->experiments.back() != e)
        found->experiments.push_back(e);
    }
  std::vector<std::string> lines;
  for (const Reason& reason : reasons)
    lines.push_back(reason.first +
                    (reason.experiments.size() < 2
                         ? ""
                         : " (and likewise in " + std::to_string(reason.experiments.size() - 1) +
                               " more of the " + std::to_string(warnings.size()) +
                               " experiments)"));
  return lines;
}

}  // namespace apmt
