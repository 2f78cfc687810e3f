#include "profiler/simulated/join.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/input_error.h"
#include "profiler/reader/symbols.h"

namespace apmt {
namespace {

/// A metric as the sum of some of callgrind's events minus the sum of others.
struct Recipe {
  const char* metric;
  std::vector<const char*> plus;
  std::vector<const char*> minus;
  bool is_of_caches;
};

/// callgrind simulates two levels of caches. The first level represents the caches that run at the
/// core's clock, the second level the last-level cache.
const std::vector<Recipe> kRecipes = {{"instructions", {"Ir"}, {}, false},
                                      {"hit_core", {"Dr", "Dw"}, {"D1mr", "D1mw"}, true},
                                      {"hit_LLC", {"D1mr", "D1mw"}, {"DLmr", "DLmw"}, true},
                                      {"acc_mm", {"DLmr", "DLmw"}, {}, true},
                                      {"branch_misses", {"Bcm", "Bim"}, {}, false}};
const std::vector<Recipe> kWithPrefetcher = {{"acc_mm_demand", {"DLmr", "DLmw"}, {}, true}};

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// "dgemm'2@@V1.isra.0" -> "dgemm": removes what callgrind and compilers add to a name.
std::string plain_name(const std::string& name) {
  return without_clone_suffix(name.substr(0, name.find_first_of("@'")));
}

std::optional<std::size_t> index_of(const CallgrindProfile& rank, const char* event) {
  const auto it = std::find(rank.events.begin(), rank.events.end(), event);
  if (it == rank.events.end()) return std::nullopt;
  return static_cast<std::size_t>(it - rank.events.begin());
}

/// The value of a recipe; absent if callgrind did not count one of its events, or if the value
/// would be negative.
std::optional<std::uint64_t> value_of(const Recipe& recipe, const CallgrindProfile& rank,
                                      const std::vector<std::uint64_t>& costs) {
  std::uint64_t value = 0;
  for (const char* event : recipe.plus) {
    const auto e = index_of(rank, event);
    if (!e) return std::nullopt;
    value += costs[*e];
  }
  for (const char* event : recipe.minus) {
    const auto e = index_of(rank, event);
    if (!e || costs[*e] > value) return std::nullopt;
    value -= costs[*e];
  }
  return value;
}

std::string event_text(const Recipe& recipe, const std::string& caches) {
  std::string text;
  for (const char* event : recipe.plus)
    text.append(text.empty() ? "callgrind " : " + ").append(event);
  for (const char* event : recipe.minus) text.append(" - ").append(event);
  return recipe.is_of_caches ? text + " (" + caches + ")" : text;
}

/// The costs of one rank's functions, by the names of kernels. Functions with the same name in
/// different source files are kept apart.
class ByKernel {
 public:
  explicit ByKernel(const CallgrindProfile& rank) {
    for (const auto& [function, costs] : rank.costs) {
      auto& sum = functions_[{base_name(function.object), plain_name(function.name)}]
                            [base_name(function.source)];
      sum.resize(costs.size());
      for (std::size_t e = 0; e < costs.size(); ++e) sum[e] += costs[e];
    }
  }

  const std::vector<std::uint64_t>* find(const KernelId& id) const {
    const auto it = functions_.find({id.object, id.linkage_name});
    if (it == functions_.end()) return nullptr;
    const auto& by_source = it->second;
    if (by_source.size() == 1) return &by_source.begin()->second;
    const auto same = by_source.find(id.source);
    return same == by_source.end() ? nullptr : &same->second;
  }

 private:
  using Costs = std::map<std::string, std::vector<std::uint64_t>>;
  std::map<std::pair<std::string, std::string>, Costs> functions_;
};

/// The profiles sorted by rank. Throws InputError unless there is exactly one for every rank.
std::vector<const CallgrindProfile*> in_order(const std::vector<CallgrindProfile>& ranks,
                                              const RunProfile& profile) {
  const auto procs = static_cast<std::size_t>(profile.config.procs);
  std::vector<const CallgrindProfile*> ordered(procs, nullptr);
  for (const CallgrindProfile& rank : ranks) {
    const auto r = static_cast<std::size_t>(rank.rank);
    if (static_cast<std::size_t>(rank.ranks) != procs || r >= procs || ordered[r] != nullptr)
      throw InputError("simulated run",
                       "rank " + std::to_string(rank.rank) + " of " + std::to_string(rank.ranks) +
                           " does not belong to a run of " + std::to_string(procs));
    ordered[r] = &rank;
  }
  for (std::size_t r = 0; r < procs; ++r)
    if (ordered[r] == nullptr)
      throw InputError("simulated run", "rank " + std::to_string(r) + " left no counts",
                       "did the simulated program end early?", ExitCode::kFailed);
  return ordered;
}

/// The factor that scales each rank's counts to the whole run. It is 1 if the whole run was
/// counted; otherwise it is the number of calls to the window's MPI operation in the whole run,
/// divided by the number of these calls in the window.
std::vector<double> scales(const std::vector<const CallgrindProfile*>& ranks,
                           double calls_per_rank) {
  std::vector<double> out;
  for (const CallgrindProfile* rank : ranks)
    out.push_back(
        rank->window_calls == 0 ? 1.0 : calls_per_rank / static_cast<double>(rank->window_calls));
  return out;
}

/// On a simulated cluster, all ranks share the libraries; notes that their functions have no
/// counters.
void note_libraries_that_all_share(RunProfile* profile) {
  const std::string note =
      "functions of libraries have no simulated counters: callgrind counts them for all ranks of a "
      "simulated cluster together";
  std::vector<std::string>& notes = profile->health.notes;
  const bool one_lacks = std::any_of(
      profile->kernels.begin(), profile->kernels.end(), [&](const KernelProfile& kernel) {
        return kernel.id.object != profile->program && !kernel.counters.contains("instructions");
      });
  if (profile->config.is_virtual && one_lacks &&
      std::find(notes.begin(), notes.end(), note) == notes.end())
    notes.push_back(note);
}

/// Adds the metrics of the recipes to the kernels that callgrind counted.
void add_metrics(const std::vector<Recipe>& recipes,
                 const std::vector<const CallgrindProfile*>& ranks, double calls_per_rank,
                 const std::string& caches, RunProfile* profile) {
  const std::vector<double> scale = scales(ranks, calls_per_rank);
  if (std::adjacent_find(scale.begin(), scale.end(), std::not_equal_to<>()) != scale.end())
    throw InputError("simulated run", "its ranks counted windows of different lengths",
                     "simulate the whole run: --sample-iterations 0", ExitCode::kFailed);
  std::vector<ByKernel> functions;
  for (const CallgrindProfile* rank : ranks) functions.emplace_back(*rank);
  for (KernelProfile& kernel : profile->kernels)
    for (const Recipe& recipe : recipes) {
      Counter counter{Provenance::kSimulated, event_text(recipe, caches), scale.front(), {}};
      bool is_known = false;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        const std::vector<std::uint64_t>* costs = functions[r].find(kernel.id);
        const auto value =
            costs == nullptr ? std::optional<std::uint64_t>() : value_of(recipe, *ranks[r], *costs);
        is_known = is_known || value.has_value();
        counter.samples.push_back(value.value_or(0));
      }
      if (is_known) kernel.counters[recipe.metric] = std::move(counter);
    }
}

}  // namespace

double counted_share(const std::vector<CallgrindProfile>& ranks, const RunProfile& profile) {
  std::vector<ByKernel> functions;
  for (const CallgrindProfile* rank : in_order(ranks, profile)) functions.emplace_back(*rank);
  double all = 0, counted = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    const auto cpu_s = kernel.counters.find("cpu_s");
    if (cpu_s == kernel.counters.end()) continue;
    const auto samples = static_cast<double>(cpu_s->second.total_samples());
    all += samples;
    if (std::any_of(functions.begin(), functions.end(),
                    [&](const ByKernel& rank) { return rank.find(kernel.id) != nullptr; }))
      counted += samples;
  }
  return all > 0 ? counted / all : 1;
}

void add_simulated_counters(const std::vector<CallgrindProfile>& ranks, double calls_per_rank,
                            const std::string& caches, RunProfile* profile) {
  const std::vector<const CallgrindProfile*> ordered = in_order(ranks, *profile);
  add_metrics(kRecipes, ordered, calls_per_rank, caches, profile);
  double all = 0, found = 0;
  for (const CallgrindProfile* rank : ordered)
    if (const auto e = index_of(*rank, "Ir")) all += static_cast<double>(rank->totals[*e]);
  for (const KernelProfile& kernel : profile->kernels)
    if (const auto counted = kernel.counters.find("instructions"); counted != kernel.counters.end())
      found += static_cast<double>(counted->second.total_samples());
  if (profile->grade == Grade::kC) profile->grade = Grade::kB;
  note_libraries_that_all_share(profile);
  if (all > 0 && found < 0.95 * all) {
    char note[160];
    std::snprintf(note, sizeof note,
                  "%.0f %% of the simulated instructions are in functions that no sample hit",
                  100 * (1 - found / all));
    profile->health.notes.emplace_back(note);
  }
}

void add_demand_accesses(const std::vector<CallgrindProfile>& ranks, double calls_per_rank,
                         const std::string& caches, RunProfile* profile) {
  add_metrics(kWithPrefetcher, in_order(ranks, *profile), calls_per_rank, caches, profile);
}

void add_larger_caches(double factor, const RunProfile& simulated, RunProfile* profile) {
  for (std::size_t i = 0; i < profile->kernels.size(); ++i) {
    LargerCaches larger{factor, {}};
    for (const auto* recipes : {&kRecipes, &kWithPrefetcher})
      for (const Recipe& recipe : *recipes)
        if (const auto counted = simulated.kernels[i].counters.find(recipe.metric);
            recipe.is_of_caches && counted != simulated.kernels[i].counters.end() &&
            counted->second.provenance == Provenance::kSimulated)
          larger.counts[recipe.metric] = counted->second.total();
    if (larger.counts.empty()) continue;
    std::vector<LargerCaches>& all = profile->kernels[i].larger_caches;
    std::erase_if(all, [factor](const LargerCaches& other) { return other.factor == factor; });
    const auto place = std::find_if(all.begin(), all.end(),
                                    [factor](const LargerCaches& o) { return o.factor > factor; });
    all.insert(place, std::move(larger));
  }
}

}  // namespace apmt
