// At the end of `apmt run`, while runs are easy to repeat: warns about runs that are too short, about
// runs in which a rank was stalled, and about much time off the CPU.
#pragma once

#include "campaign/campaign.h"

namespace apmt {

/// Names the points whose runs are too short or were off the CPU for much of the time, and the runs
/// in which a rank was stalled. All runs at the campaign's points are judged, including those of
/// earlier calls of `apmt run`.
void warn_of_doubtful_runs(const CampaignOptions& campaign);

}  // namespace apmt
