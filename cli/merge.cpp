// apmt merge: merges the recordings of ranks into runs. Other verbs do this as well, but only for
// launches that have ended. This verb can also merge launches that may not have ended, and
// recordings that only this node can see.

#include "base/input_error.h"
#include "cli/experiment_path.h"
#include "cli/logging.h"
#include "cli/verbs.h"

namespace apmt {
namespace {

constexpr const char* kMergeFooter =
    "A run is merged when its processes have ended. A process on another node counts as ended "
    "half\n"
    "an hour after its last sample. If you know that it has ended, use --as-is.\n"
    "\n"
    "Examples:\n"
    "  apmt merge                 the newest experiment here\n"
    "  apmt merge --as-is study   also what may still be written\n"
    "  srun --ntasks-per-node=1 apmt merge study   recordings that killed processes left on nodes";

struct MergeArguments {
  std::filesystem::path path;
  bool as_is = false;
};

int merge(const MergeArguments& options) {
  const std::filesystem::path dir = experiment_dir(options.path);
  const Collected collected = merge_and_tell(dir, options.as_is);
  if (collected.runs.empty() && collected.left.empty())
    logging::info("nothing to merge in {}", dir.string());
  return static_cast<int>(collected.left.empty() ? ExitCode::kOk : ExitCode::kFailed);
}

}  // namespace

void add_merge(CommandLine& program) {
  Verb verb = program.add_verb("merge", "Merge the recordings of processes into runs");
  verb.footer(kMergeFooter);
  auto options = std::make_shared<MergeArguments>();
  verb.add_option("path", options->path, "Experiment [the newest here]");
  verb.add_flag("--as-is", options->as_is, "Merge even if processes may still be writing");
  verb.action([options] { return merge(*options); });
}

}  // namespace apmt
