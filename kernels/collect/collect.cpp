#include "kernels/collect/collect.h"

#include <algorithm>

#include "kernels/merge.h"

namespace apmt::kernels {
namespace {

namespace fs = std::filesystem;

/// "12" for "part-12.json".
std::string process_of(const fs::path& file) {
  const std::string name = file.stem().string();
  const std::string prefix = "part-";
  return file.extension() == ".json" && name.starts_with(prefix) ? name.substr(prefix.size())
                                                                 : std::string();
}

/// Numerical, not alphabetical order.
bool comes_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

CollectedRun collect_parts(const fs::path& folder, int rank, const InputError& nothing_left) {
  CollectedRun run;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (const std::string process = process_of(entry.path()); !process.empty())
      run.processes.push_back(process);
  std::sort(run.processes.begin(), run.processes.end(), comes_before);
  if (run.processes.empty()) throw nothing_left;

  std::vector<Analysis> parts;
  for (const std::string& process : run.processes) {
    const fs::path file = folder / ("part-" + process + ".json");
    parts.push_back(read_analysis(file));
  }
  // Without a launcher there are no ranks. Then the process that ran the most kernels is chosen,
  // because the others may be scripts that started it.
  auto chosen = std::find(run.processes.begin(), run.processes.end(), std::to_string(rank));
  if (chosen == run.processes.end()) {
    if (run.processes.front().front() != 'p')
      throw InputError("--rank " + std::to_string(rank), "this rank left nothing",
                       "the run has ranks " + run.processes.front() + " to " + run.processes.back(),
                       ExitCode::kFailed);
    const auto most = std::max_element(
        parts.begin(), parts.end(),
        [](const Analysis& a, const Analysis& b) { return a.kernels.size() < b.kernels.size(); });
    chosen = run.processes.begin() + (most - parts.begin());
  }
  run.analysed = *chosen;
  const auto index = static_cast<std::size_t>(chosen - run.processes.begin());
  run.analysis = parts[index];
  run.analysis.processes = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i != index) merge_scopes(parts[i].scopes, &run.analysis.scopes);
  return run;
}

}  // namespace apmt::kernels
