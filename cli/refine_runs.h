// What the ways to refine share that add runs at other process counts: which are possible, making
// them, a job script instead.
#pragma once

#include "campaign/campaign.h"
#include "cli/refine.h"
#include "refine/next_run.h"
#include "reports/report.h"

namespace apmt {

/// Runs at one process count with the command and sizes of the options; not checked yet.
CampaignOptions refinement_campaign(const RefineOptions& options, const std::filesystem::path& dir,
                                    int procs);

NextRunOptions next_options(const RefineOptions& options, const Model& model);

/// Exit code, 0 when all are there.
int make_runs(const RefineOptions& options, const std::filesystem::path& dir, int procs);

/// Nothing where there is no command, or no queue.
void print_job_script(const RefineOptions& options, const std::filesystem::path& dir, int procs);

/// "12 core-hours".
std::string core_hours_text(double hours);
Json to_json(const NextRun& run);
void print(const Report& report);

}  // namespace apmt
