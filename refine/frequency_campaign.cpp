#include "refine/frequency_campaign.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/input_error.h"
#include "base/search_path.h"
#include "fitter/runs/spread.h"
#include "machine/frequency.h"
#include "refine/cpi_refinement.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

enum class Way { kByHand, kLauncher, kSystem };

/// Chooses how to set the frequency. The launcher is tried first, because it reaches all nodes of a
/// job; the files of the operating system reach only this node.
Way way_of(const FrequencyCampaign& options) {
  if (options.by_hand) return Way::kByHand;
  const std::vector<std::string>& command = options.campaign.launch.command;
  if (!command.empty() && !launcher_frequency_words(command.front(), 1e9).empty())
    return Way::kLauncher;
  const FrequencyWays ways = find_frequency_ways(options.root);
  const bool has_cpupower = !find_in_path("cpupower", options.search_path).empty();
  const bool is_there = ways.way != FrequencyWays::Way::kNone;
  if (is_there && (ways.can_be_written || has_cpupower)) return Way::kSystem;
  throw InputError(
      "core frequency",
      is_there ? "this user may not set it (" + ways.driver + ")"
               : "cannot be set: " + ways.why_not,
      std::string(is_there ? "run as root; or " : "") +
          "launch with srun, which sets it by --cpu-freq; or change it yourself between the runs: "
          "--manual; or hand over runs made at other frequencies: --runs DIR...",
      ExitCode::kNotEnoughData);
}

CampaignOptions campaign_at(const FrequencyCampaign& options, const std::string& folder) {
  CampaignOptions campaign = options.campaign;
  campaign.launch.experiment = options.campaign.launch.experiment / folder;
  return campaign;
}

/// The measured frequency of these runs; 0 if it was not measured.
double frequency_of(const std::vector<FrequencyRun>& runs) {
  std::vector<double> all;
  for (const FrequencyRun& run : runs)
    if (const auto frequency = measured_frequency(run.profile)) all.push_back(frequency->hz);
  return median(std::move(all));
}

/// Makes the runs while the user changes the frequency. Folders with runs of an earlier call are
/// skipped, because the frequency that is set now may differ.
FrequencyCampaignResult run_by_hand(const FrequencyCampaign& options,
                                    const CampaignWatcher& watcher) {
  FrequencyCampaignResult result;
  const std::vector<FrequencySetting> before = read_frequency_settings(options.root);
  std::vector<double> measured_hz;
  for (int number = 1;; ++number) {
    const CampaignOptions campaign = campaign_at(options, "manual-" + std::to_string(number));
    const fs::path& folder = campaign.launch.experiment;
    if (find_run_profiles(folder).empty()) {
      if (!options.by_hand(measured_hz)) break;
      result.last = run_campaign(campaign, watcher);
      if (result.last.end != CampaignResult::End::kComplete) break;
    }
    measured_hz.push_back(frequency_of(read_frequency_runs({folder})));
  }
  result.left_by_hand = changed_settings(before);
  return result;
}

/// The settings of this node that differ from before; other nodes cannot be checked from here. The
/// launcher may return shortly before its daemon has restored them, so this waits a little.
std::vector<std::string> still_changed(const std::vector<FrequencySetting>& before) {
  for (int wait = 0; wait < 20 && !changed_settings(before).empty(); ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return changed_settings(before);
}

/// Makes the runs at each frequency, which the launcher or this process sets.
FrequencyCampaignResult run_at_each(const FrequencyCampaign& options, Way way,
                                    const CampaignWatcher& watcher) {
  FrequencyCampaignResult result;
  const std::vector<FrequencySetting> before = read_frequency_settings(options.root);
  std::optional<FrequencyControl> control;
  if (way == Way::kSystem) {
    control.emplace(options.root, options.search_path);
    result.recovered = control->recovered();
  }
  try {
    for (const double hz : chosen_frequencies(options)) {
      CampaignOptions campaign = campaign_at(options, frequency_folder(hz));
      if (control) {
        control->set_hz(hz);
      } else {
        std::vector<std::string>& command = campaign.launch.command;
        const std::vector<std::string> words = launcher_frequency_words(command.front(), hz);
        command.insert(command.begin() + 1, words.begin(), words.end());
      }
      result.last = run_campaign(campaign, watcher);
      if (result.last.end != CampaignResult::End::kComplete) break;
    }
  } catch (const InputError& error) {
    if (!control) throw;
    std::string left;
    for (const std::string& sentence : control->restore()) left += "; NOT RESTORED: " + sentence;
    if (left.empty()) throw;
    throw InputError("", error.what() + left, error.hint(), ExitCode::kFailed);
  }
  result.not_restored = control ? control->restore() : still_changed(before);
  return result;
}

}  // namespace

std::vector<double> chosen_frequencies(const FrequencyCampaign& options) {
  std::vector<double> chosen = options.frequencies_hz;
  if (chosen.empty()) {
    const FrequencyWays ways = find_frequency_ways(options.root);
    if (!(ways.highest_hz > 0))
      throw InputError("--frequencies", "what this processor offers is not known",
                       "give two or more in GHz: --frequencies 1.2,1.8,2.4");
    if (ways.steps_hz.size() >= 2) {
      const auto [low, high] = std::ranges::minmax_element(ways.steps_hz);
      chosen = {*low, ways.steps_hz[ways.steps_hz.size() / 2], *high};
    } else {
      // Below half of the highest frequency, runs take too long, and other parts of the chip slow
      // down, too.
      const double low = std::max(ways.lowest_hz, 0.5 * ways.highest_hz);
      chosen = {low, 0.5 * (low + ways.highest_hz), ways.highest_hz};
    }
  }
  // If two frequencies would get the same folder, such as "2.40GHz", only one is kept.
  std::ranges::sort(chosen);
  const auto is_same = [](double a, double b) {
    return frequency_folder(a) == frequency_folder(b);
  };
  chosen.erase(std::unique(chosen.begin(), chosen.end(), is_same), chosen.end());
  if (chosen.size() < 2)
    throw InputError("--frequencies", "two that differ are needed", "--frequencies 1.2,2.4");
  return chosen;
}

std::string frequency_way(const FrequencyCampaign& options) {
  const Way way = way_of(options);
  if (way == Way::kByHand) return "you change it between the runs";
  if (way == Way::kLauncher) return "srun --cpu-freq";
  const FrequencyWays ways = find_frequency_ways(options.root);
  return ways.driver + (ways.can_be_written ? ", by the kernel's files" : ", by cpupower");
}

FrequencyCampaignResult run_frequencies(const FrequencyCampaign& options,
                                        const CampaignWatcher& watcher) {
  const Way way = way_of(options);
  return way == Way::kByHand ? run_by_hand(options, watcher) : run_at_each(options, way, watcher);
}

}  // namespace apmt
