// apmt run --emit: the campaign as batch jobs.
#pragma once

#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/job_scripts.h"
#include "cli/arguments.h"

namespace apmt {

struct EmitOptions {
  std::string system;  // empty: the campaign is run here
  std::filesystem::path directory;
  JobOptions job;
};

void add_emit_options(Verb verb, EmitOptions* options);

/// Writes the scripts and says how to submit them.
void emit(const CampaignOptions& campaign, EmitOptions options);

}  // namespace apmt
