// apmt run --emit: writes the campaign as batch jobs.
#pragma once

#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/batch/job_scripts.h"
#include "cli/arguments.h"

namespace apmt {

struct EmitOptions {
  std::string system;  // the batch system; empty: no jobs, the campaign runs here
  std::filesystem::path directory;
  JobOptions job;

  /// Throws InputError if there are options for job scripts, but no scripts are to be written.
  void check() const;
};

void add_emit_options(Verb verb, EmitOptions* options);

/// Writes the scripts and prints how to submit them; a dry run prints the scripts instead.
void emit(const CampaignOptions& campaign, EmitOptions options, bool dry_run);

}  // namespace apmt
