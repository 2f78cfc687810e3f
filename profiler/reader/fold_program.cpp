#include "profiler/reader/fold_program.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/problem_sizes.h"

namespace apmt {
namespace {

std::string iso_time(std::int64_t realtime_ns) {
  const std::time_t t = static_cast<std::time_t>(realtime_ns / 1000000000);
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// The recorder stores APMT_PARAMS as it is. What is not understood must not keep a run from being
/// merged.
void fold_sizes(const RawRecording& first, RunProfile* profile) {
  SizesInText found = sizes_in_text(first.first("params"));
  profile->config.params = std::move(found.sizes);
  for (const std::string& item : found.refused)
    profile->health.notes.push_back("APMT_PARAMS '" + item +
                                    "' is not name=number: this problem size is not stored");
}

/// The number of threads with at least a tenth of the busiest thread's samples. Helper threads of
/// the MPI library have fewer.
int working_threads(const RawRecording& raw) {
  std::uint64_t most = 0;
  for (const format::Thread& t : raw.threads) most = std::max(most, t.samples);
  int count = 0;
  for (const format::Thread& t : raw.threads) count += most > 0 && t.samples * 10 >= most;
  return std::max(count, 1);
}

/// Empty if the executable has no build id.
std::string build_id_of(const std::string& exe, const std::vector<RawModule>& modules) {
  const auto found = std::find_if(modules.begin(), modules.end(),
                                  [&](const RawModule& module) { return module.path == exe; });
  return found == modules.end() ? "" : found->build_id;
}

}  // namespace

void fold_program(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  const RawRecording& first = ranks.front();
  const std::string exe = first.first("exe");
  profile->program = exe.substr(exe.find_last_of('/') + 1);
  profile->build_id = build_id_of(exe, first.modules);
  profile->command = first.first("command");
  profile->mpi_library = first.first("mpi_library");
  profile->started_at = iso_time(first.header.start_realtime_ns);
  profile->config.procs = first.header.world_size;
  fold_sizes(first, profile);
  for (const auto& [key, values] : first.text)
    if (key.starts_with("env.")) profile->environment[key.substr(4)] = values.front();
  for (const RawRecording& raw : ranks)
    profile->config.threads_per_rank =
        std::max(profile->config.threads_per_rank, working_threads(raw));
}

}  // namespace apmt
