// The same runs at several core frequencies, by whatever sets them here.
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
  /// The user changes the frequency between the runs: called before each set of runs with what
  /// those so far ran at (0: not measured), false ends it.
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

/// How the frequency would be set, in words. Throws InputError (exit 3) that says what would be
/// needed when there is no way.
std::string frequency_way(const FrequencyCampaign& options);

/// The frequencies that it would take. Throws InputError when they are neither given nor known.
std::vector<double> chosen_frequencies(const FrequencyCampaign& options);

/// Runs are stored in <experiment>/<frequency>/. Whatever happens, frequencies are restored.
FrequencyCampaignResult run_frequencies(const FrequencyCampaign& options,
                                        const CampaignWatcher& watcher = {});

}  // namespace apmt
