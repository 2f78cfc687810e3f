// Ways to leave examples out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace apmt::learned {

enum class Split { kOneRun, kOneApplication, kTwoApplications, kOneSuite };
inline constexpr const char* kSplitNames[] = {"one-run", "one-application", "two-applications",
                                              "one-suite"};
std::string to_string(Split split);
/// "leave one application out"
std::string in_words(Split split);

/// Examples that are tested together; all others teach.
using Fold = std::vector<std::size_t>;

/// Each run alone; each group alone; or ten random pairings of the groups, where an odd one is left
/// out alone. Throws InputError where there are fewer than two groups (three for pairs).
std::vector<Fold> folds_of(Split split, const std::vector<std::string>& groups, std::uint64_t seed);

/// Groups in at most `most` folds; single examples where there is one group only.
std::vector<Fold> group_folds(const std::vector<std::string>& groups, std::size_t most);

/// Those of 0 to size - 1 that are not in the fold.
std::vector<std::size_t> others(const Fold& fold, std::size_t size);

}  // namespace apmt::learned
