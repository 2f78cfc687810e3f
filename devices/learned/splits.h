// Ways to leave examples out of the training data, in order to test on them.
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

/// Examples that are tested together; all others are used for training.
using Fold = std::vector<std::size_t>;

/// Makes the folds: one for each run, one for each group, or one for each pair of groups in ten
/// random pairings (if the number of groups is odd, one group is alone). For folds of groups,
/// throws InputError if there are fewer than two groups (for pairs, three).
std::vector<Fold> folds_of(Split split, const std::vector<std::string>& groups, std::uint64_t seed);

/// Combines the groups into at most `most` folds. If there is only one group, each example counts
/// as a group.
std::vector<Fold> group_folds(const std::vector<std::string>& groups, std::size_t most);

/// The indices from 0 to size - 1 that are not in the fold.
std::vector<std::size_t> others(const Fold& fold, std::size_t size);

}  // namespace apmt::learned
