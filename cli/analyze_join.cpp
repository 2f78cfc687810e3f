#include "cli/analyze_join.h"

#include <cstdio>

#include "base/input_error.h"
#include "campaign/store/run_directory.h"
#include "cli/experiment_path.h"
#include "cli/terminal.h"
#include "fitter/kernels/kernel_join.h"
#include "profile/profile_files.h"
#include "reports/kernel_join.h"
#include "reports/render.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAnalysis = "analysis.json";

fs::path analysis_for(const fs::path& run) {
  for (const fs::path& file : {run / kAnalysis, fs::path(kAnalysis)})
    if (fs::exists(file)) return file;
  throw InputError(run.string(), "no analysis.json here or in this run",
                   "make one: apmt analyze -- mpirun -np 4 ./app, with a program that apmt analyze "
                   "build built");
}

}  // namespace

fs::path folder_of_one_run(const fs::path& path) {
  const fs::path dir = experiment_dir(path);
  if (kind_of(dir) == PathKind::kRun) return dir;
  merge_and_tell(dir, false);
  const std::vector<fs::path> profiles = profiles_in(dir);
  if (profiles.empty())
    throw InputError(dir.string(), "has no complete run",
                     "record one: apmt record mpirun -np 4 ./app", ExitCode::kNotEnoughData);
  if (profiles.size() > 1)
    throw InputError(dir.string(), "has several runs, and an analysis is of one of them",
                     "name it, for example: --join " + profiles.front().parent_path().string());
  return profiles.front().parent_path();
}

int print_join(const fs::path& run, fs::path analysis, bool json) {
  const fs::path dir = folder_of_one_run(run);
  if (analysis.empty()) analysis = analysis_for(dir);
  const RunProfile profile = read_run_profile(dir / "profile.json");
  const KernelJoin join = join_kernels(profile, kernels::read_analysis(analysis));
  if (join.cpu_s <= 0)
    throw InputError(dir.string(), "no sample fell into a function of the program",
                     "make the run longer", ExitCode::kNotEnoughData);
  std::fputs(
      (json ? format_json(to_json(join)) : render_text(make_join_report(join), text_columns()))
          .c_str(),
      stdout);
  return 0;
}

}  // namespace apmt
