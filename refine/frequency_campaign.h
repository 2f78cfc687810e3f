// Repeats the same runs at several core frequencies.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "campaign/campaign.h"

namespace apmt {

struct FrequencyCampaign {
  // a campaign with one point; the runs of each frequency get a subfolder
  CampaignOptions campaign;
  std::vector<double> frequencies_hz;  // empty: chosen from the range of the processor
  /// If set, the user changes the frequency between the runs. This function is called before each
  /// set of runs that is still to be made, with the frequencies measured so far (0: not measured);
  /// it returns false to end the campaign.
  std::function<bool(const std::vector<double>& measured_hz)> by_hand;
  std::filesystem::path root = "/";  // the folder that contains /sys and /proc
  std::string search_path;           // where to look for cpupower
};

struct FrequencyCampaignResult {
  CampaignResult last;                    // of the last frequency that was run
  std::vector<std::string> not_restored;  // a sentence for each setting; report them prominently
  std::vector<std::string> left_by_hand;  // the same for settings that the user changed
  std::string recovered;                  // settings of an earlier campaign, restored now
};

/// Describes how the frequency would be set. If there is no way to set it, throws InputError (exit
/// 3) with a message that says what is required.
std::string frequency_way(const FrequencyCampaign& options);

/// The frequencies that the campaign would use. Throws InputError if they are neither given nor
/// known, or if fewer than two differ.
std::vector<double> chosen_frequencies(const FrequencyCampaign& options);

/// Stores the runs in <experiment>/<frequency>/ (with by_hand: manual-<number>/). Frequencies that
/// it sets itself are restored even after an error.
FrequencyCampaignResult run_frequencies(const FrequencyCampaign& options,
                                        const CampaignWatcher& watcher = {});

}  // namespace apmt
