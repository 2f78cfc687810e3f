// Makes the same runs at several core frequencies, in any of several ways to set them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "campaign/campaign.h"

namespace apmt {

struct FrequencyCampaign {
  CampaignOptions campaign;            // one point; its experiment is the folder of all frequencies
  std::vector<double> frequencies_hz;  // empty: chosen by what the processor offers
  /// The user changes the frequency between the runs. Called before each set of runs with the
  /// measured frequencies so far (0: not measured); false ends the campaign.
  std::function<bool(const std::vector<double>& measured_hz)> by_hand;
  std::filesystem::path root = "/";  // of the system's files
  std::string search_path;           // where cpupower may be
};

struct FrequencyCampaignResult {
  CampaignResult last;                    // of the frequency at which it ended
  std::vector<std::string> not_restored;  // one sentence each; must be reported prominently
  std::vector<std::string> left_by_hand;  // the same, where it is the user who changed it
  std::string recovered;                  // what an earlier one had left and is restored now
};

/// The way in which the frequency would be set, as text. If there is none, throws InputError (exit
/// 3) with the requirements.
std::string frequency_way(const FrequencyCampaign& options);

/// The frequencies that the campaign would use. Throws InputError if they are neither given nor
/// known.
std::vector<double> chosen_frequencies(const FrequencyCampaign& options);

/// Runs are stored in <experiment>/<frequency>/. Frequencies are restored in any case.
FrequencyCampaignResult run_frequencies(const FrequencyCampaign& options,
                                        const CampaignWatcher& watcher = {});

}  // namespace apmt
