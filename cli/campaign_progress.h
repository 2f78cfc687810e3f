// Shows the progress of a campaign on stderr: one line per finished run and, on a terminal, a
// status line that is updated every second.
#pragma once

#include "campaign/campaign.h"

namespace apmt {

class CampaignProgress {
 public:
  CampaignProgress();
  ~CampaignProgress() { clear(); }
  CampaignProgress(const CampaignProgress&) = delete;
  CampaignProgress& operator=(const CampaignProgress&) = delete;

  CampaignWatcher watcher();
  void clear();  // removes the status line

 private:
  void show(const CampaignStep& step);

  bool terminal_;
  bool shown_ = false;
};

/// "8.2 s", "3 min 20 s", "2 h 05 min".
std::string duration_words(double seconds);

}  // namespace apmt
