// Functions that several kinds of refinement use: which runs at other process counts are possible,
// how to make them, and the job script for users who make them themselves.
#pragma once

#include "campaign/campaign.h"
#include "cli/refine.h"
#include "refine/next_run.h"
#include "reports/report.h"

namespace apmt {

/// The campaign at one process count, with the options' command and sizes; not checked yet.
CampaignOptions refinement_campaign(const RefineOptions& options, const std::filesystem::path& dir,
                                    int procs);

NextRunOptions next_options(const RefineOptions& options, const Model& model);

/// Makes the runs; returns the exit code, 0 when all exist.
int make_runs(const RefineOptions& options, const std::filesystem::path& dir, int procs);

/// Prints a job script for the runs; nothing without a command, or for a simulated cluster.
void print_job_script(const RefineOptions& options, const std::filesystem::path& dir, int procs);

/// "12 core-hours".
std::string core_hours_text(double hours);
Json to_json(const NextRun& run);
void print(const Report& report);

}  // namespace apmt
