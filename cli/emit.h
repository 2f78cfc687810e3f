// apmt run --emit: the campaign as batch jobs.
#pragma once

#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/batch/job_scripts.h"
#include "cli/arguments.h"

namespace apmt {

struct EmitOptions {
  std::string system;  // empty: the campaign is run here
  std::filesystem::path directory;
  JobOptions job;

  /// Throws InputError where scripts are spoken of and none are to be written.
  void check() const;
};

void add_emit_options(Verb verb, EmitOptions* options);

/// Writes the scripts and says how to submit them; a dry run prints them instead.
void emit(const CampaignOptions& campaign, EmitOptions options, bool dry_run);

}  // namespace apmt
