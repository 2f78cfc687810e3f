#include "devices/learned/splits.h"

#include <map>

#include "base/input_error.h"
#include "devices/learned/random.h"

namespace apmt::learned {
namespace {

constexpr int kPairings = 10;

std::map<std::string, Fold> by_group(const std::vector<std::string>& groups) {
  std::map<std::string, Fold> members;
  for (std::size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(i);
  return members;
}

}  // namespace

std::string to_string(Split split) { return kSplitNames[static_cast<std::size_t>(split)]; }

std::string in_words(Split split) {
  std::string name = "leave " + to_string(split) + " out";
  name[name.find('-')] = ' ';
  return name;
}

std::vector<Fold> folds_of(Split split, const std::vector<std::string>& groups,
                           std::uint64_t seed) {
  std::vector<Fold> folds;
  if (split == Split::kOneRun) {
    for (std::size_t i = 0; i < groups.size(); ++i) folds.push_back({i});
    return folds;
  }
  std::vector<Fold> single;
  for (auto& [name, members] : by_group(groups)) single.push_back(std::move(members));
  const std::size_t least = split == Split::kTwoApplications ? 3 : 2;
  if (single.size() < least)
    throw InputError(
        "", "to " + in_words(split) + ", at least " + std::to_string(least) + " are needed",
        "add data of others", ExitCode::kNotEnoughData);
  if (split != Split::kTwoApplications) return single;
  Random random(seed);
  for (int p = 0; p < kPairings; ++p) {
    random.shuffle(&single);
    for (std::size_t i = 0; i < single.size(); i += 2) {
      Fold fold = single[i];
      if (i + 1 < single.size())
        fold.insert(fold.end(), single[i + 1].begin(), single[i + 1].end());
      folds.push_back(std::move(fold));
    }
  }
  return folds;
}

std::vector<Fold> group_folds(const std::vector<std::string>& groups, std::size_t most) {
  std::map<std::string, Fold> members = by_group(groups);
  if (members.size() < 2) {
    members.clear();
    for (std::size_t i = 0; i < groups.size(); ++i) members[std::to_string(i)].push_back(i);
  }
  std::vector<Fold> folds(std::min(most, members.size()));
  std::size_t next = 0;
  for (const auto& [name, rows] : members) {
    Fold& fold = folds[next++ % folds.size()];
    fold.insert(fold.end(), rows.begin(), rows.end());
  }
  return folds;
}

std::vector<std::size_t> others(const Fold& fold, std::size_t size) {
  std::vector<bool> is_in(size, false);
  for (const std::size_t i : fold) is_in[i] = true;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < size; ++i)
    if (!is_in[i]) rows.push_back(i);
  return rows;
}

}  // namespace apmt::learned
