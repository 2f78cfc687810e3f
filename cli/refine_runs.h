// Functions that several kinds of refinement share: they find out which runs at other process
// counts are possible, make these runs, or print a job script for users who make them themselves.
#pragma once

#include "campaign/campaign.h"
#include "cli/refine.h"
#include "refine/next_run.h"
#include "reports/report.h"

namespace apmt {

/// A campaign at one process count, with the command and the problem sizes from `options`. This
/// function does not check the campaign.
CampaignOptions refinement_campaign(const RefineOptions& options, const std::filesystem::path& dir,
                                    int procs);

/// The options for ranking the next runs, with only those process counts for which the program
/// exists.
NextRunOptions next_options(const RefineOptions& options, const Model& model);

/// Makes the runs that do not exist yet; returns the exit code, 0 when all exist.
int make_runs(const RefineOptions& options, const std::filesystem::path& dir, int procs);

/// Prints a job script for the runs. Prints nothing without a command, or for a simulated cluster.
void print_job_script(const RefineOptions& options, const std::filesystem::path& dir, int procs);

Json to_json(const NextRun& run);
void print(const Report& report);

}  // namespace apmt
