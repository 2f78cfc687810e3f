// apmt run --emit: writes scripts that make the runs of a campaign as batch jobs.
#pragma once

#include <string>
#include <vector>

#include "campaign/batch/job_scripts.h"
#include "campaign/campaign.h"
#include "cli/arguments.h"

namespace apmt {

struct EmitOptions {
  std::string system;  // the batch system; if empty, the campaign runs here and not as jobs
  std::filesystem::path directory;
  JobOptions job;

  /// Throws InputError if options for job scripts are given without --emit.
  void check() const;
};

void add_emit_options(Verb verb, EmitOptions* options);

/// Writes the job scripts and prints how to submit them. A dry run prints the scripts instead.
void emit(const CampaignOptions& campaign, EmitOptions options, bool dry_run);

}  // namespace apmt
