#include "profiler/reader/fold.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <set>

#include "base/input_error.h"
#include "profiler/reader/fold_communication.h"
#include "profiler/reader/fold_cpu_time.h"
#include "profiler/reader/fold_details.h"
#include "profiler/reader/fold_kernels.h"
#include "profiler/reader/fold_lines.h"
#include "profiler/reader/fold_mpi.h"
#include "profiler/reader/fold_totals.h"
#include "profiler/reader/fold_virtual.h"

namespace apmt {
namespace {

using format::Ending;
using format::Header;
using format::Stage;

double seconds(std::int64_t ns) {
  return static_cast<double>(std::max<std::int64_t>(ns, 0)) * 1e-9;
}

std::string iso_time(std::int64_t realtime_ns) {
  const std::time_t t = static_cast<std::time_t>(realtime_ns / 1000000000);
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// "n=1000,iter=5"
std::map<std::string, double> parse_params(const std::string& text, const std::string& file) {
  std::map<std::string, double> params;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    const std::size_t equals = item.find('=');
    char* parsed = nullptr;
    const double value =
        equals == std::string::npos ? 0 : std::strtod(item.c_str() + equals + 1, &parsed);
    if (equals == std::string::npos || equals == 0 || parsed == item.c_str() + equals + 1 ||
        *parsed != '\0')
      throw InputError(file, "APMT_PARAMS '" + item + "': expected name=number");
    params[item.substr(0, equals)] = value;
    at = end + 1;
  }
  return params;
}

/// CPUs of a list such as "0-3,8".
std::set<int> parse_cpu_list(const std::string& text) {
  std::set<int> cpus;
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    if (end == at) break;
    long last = first;
    if (*end == '-') {
      at = end + 1;
      last = std::strtol(at, &end, 10);
      if (end == at) break;
    }
    constexpr long kMaxCpu = 1 << 16;
    for (long cpu = std::max(first, 0L); cpu <= std::min(last, kMaxCpu); ++cpu)
      cpus.insert(static_cast<int>(cpu));
    at = *end == ',' ? end + 1 : end;
    if (*end != ',' && *end != '\0') break;
  }
  return cpus;
}

/// For processes that were started together and are each the only rank of their world.
InputError launched_by_another_mpi(const std::vector<RawRecording>& ranks) {
  const std::string mpi = ranks.front().first("mpi_library");
  const std::string name = mpi.starts_with("Open MPI") ? "Open MPI" : mpi.substr(0, mpi.find(' '));
  return InputError(
      ranks.front().file,
      std::to_string(ranks.size()) +
          " processes were each the only rank of their own MPI_COMM_WORLD: the launcher does not "
          "belong to the program's MPI" +
          (mpi.empty() ? "" : " (" + name + ")"),
      "start the program with the mpirun or mpiexec of the MPI that it was built with");
}

void check_belong_together(const std::vector<RawRecording>& ranks) {
  const RawRecording& a = ranks.front();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RawRecording& b = ranks[i];
    if (b.header.world_size != a.header.world_size)
      throw InputError(b.file,
                       "recorded with " + std::to_string(b.header.world_size) + " ranks, but " +
                           a.file + " with " + std::to_string(a.header.world_size),
                       "they are different runs: keep them in different folders");
    if (i > 0 && b.header.world_rank == ranks[i - 1].header.world_rank) {
      if (b.header.world_size == 1 && a.header.world_rank == 0)
        throw launched_by_another_mpi(ranks);
      throw InputError(b.file, "a second recording of rank " + std::to_string(b.header.world_rank),
                       "the folder holds two runs: keep them in different folders");
    }
    // Clocks of different hosts cannot be compared.
    if (!is_virtual(ranks) && b.first("host") == a.first("host") &&
        (b.header.start_ns > last_ns(a.header) || a.header.start_ns > last_ns(b.header)))
      throw InputError(b.file, "was not recorded at the same time as " + a.file,
                       "the folder holds two runs: keep them in different folders");
  }
}

/// Processes that were killed before MPI_Init returned are no ranks: nothing of theirs can be told
/// apart. Returns how many were left out.
std::size_t leave_out_unborn(std::vector<RawRecording>* ranks) {
  const std::string file = ranks->front().file;
  const std::size_t unborn =
      std::erase_if(*ranks, [](const RawRecording& raw) { return raw.header.world_rank < 0; });
  if (ranks->empty())
    throw InputError(file, "this process never returned from MPI_Init, so it is not a rank yet", {},
                     ExitCode::kNotEnoughData);
  return unborn;
}

bool is_spawned(const RawRecording& raw) { return !raw.first("spawned").empty(); }

/// Then they are a world of their own, and the run. Who is no rank yet may not know what it is.
bool are_all_spawned(const std::vector<RawRecording>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [](const RawRecording& raw) {
    return raw.header.world_rank < 0 || is_spawned(raw);
  });
}

/// How many.
std::size_t leave_out_spawned(std::vector<RawRecording>* ranks) {
  return are_all_spawned(*ranks) ? 0 : std::erase_if(*ranks, is_spawned);
}

/// CPU time during main. A rank that is running or was killed has noted none: its samples tell it.
double main_cpu_s(const RawRecording& raw) {
  if (raw.header.main_cpu_ns >= 0 || raw.header.sample_source == format::SampleSource::kHardware)
    return seconds(raw.header.main_cpu_ns);
  std::uint64_t samples = 0;
  for (const format::Sample& sample : raw.samples)
    if (format::sample_stage(sample.key) == Stage::kMain) samples += sample.counts[0];
  return static_cast<double>(samples) * static_cast<double>(raw.header.events[0].period) * 1e-9;
}

void fold_times(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  RankTimes& t = profile->times;
  for (const RawRecording& raw : ranks) {
    const Header& h = raw.header;
    const std::int64_t last = last_ns(h);
    const std::int64_t main_end = h.finalize_entered_ns != 0 ? h.finalize_entered_ns : last;
    t.wall_s.per_rank.push_back(seconds(last - h.start_ns));
    t.init_s.per_rank.push_back(seconds(h.init_returned_ns - h.start_ns));
    t.main_s.per_rank.push_back(seconds(main_end - h.init_returned_ns));
    t.finalize_s.per_rank.push_back(
        h.finalize_entered_ns != 0 ? seconds(last - h.finalize_entered_ns) : 0);
    t.main_cpu_s.per_rank.push_back(main_cpu_s(raw));
  }
}

void fold_hosts(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  std::map<std::string, std::size_t> index;
  std::vector<std::set<int>> cpus;
  for (const RawRecording& raw : ranks) {
    const std::string name = raw.first("host");
    const auto [it, is_new] = index.emplace(name, profile->hosts.size());
    if (is_new) {
      profile->hosts.push_back({name, raw.first("cpu_model"), 0, 0, raw.first("kernel")});
      cpus.emplace_back();
    }
    profile->hosts[it->second].ranks += 1;
    cpus[it->second].merge(parse_cpu_list(raw.first("affinity")));
    profile->host_of_rank.push_back(static_cast<int>(it->second));
    const std::string cpu = raw.first("cpu");
    profile->placement.push_back(
        {cpu.empty() ? -1 : std::max(std::atoi(cpu.c_str()), -1), raw.first("affinity")});
  }
  profile->config.nodes = static_cast<int>(profile->hosts.size());
  profile->config.max_ranks_per_node = 0;
  for (std::size_t i = 0; i < profile->hosts.size(); ++i) {
    HostInfo& host = profile->hosts[i];
    host.usable_cpus = static_cast<int>(cpus[i].size());
    profile->config.max_ranks_per_node = std::max(profile->config.max_ranks_per_node, host.ranks);
    if (host.usable_cpus > 0 && host.ranks > host.usable_cpus)
      profile->config.oversubscribed = true;
  }
}

/// Threads that did a tenth or more of what the busiest did: helpers of the MPI library do not.
int working_threads(const RawRecording& raw) {
  std::uint64_t most = 0;
  for (const format::Thread& t : raw.threads) most = std::max(most, t.samples);
  int count = 0;
  for (const format::Thread& t : raw.threads) count += most > 0 && t.samples * 10 >= most;
  return std::max(count, 1);
}

std::string source_name(format::SampleSource source) {
  switch (source) {
    case format::SampleSource::kHardware:
      return "hardware";
    case format::SampleSource::kTaskClock:
      return "task-clock";
    case format::SampleSource::kPosixTimer:
      return "posix-timer";
    case format::SampleSource::kNone:
      break;
  }
  return "none";
}

void fold_sampling(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  Sampling& s = profile->sampling;
  s.source = source_name(ranks.front().header.sample_source);
  std::set<std::string> events;
  for (const RawRecording& raw : ranks)
    if (const auto it = raw.text.find("event"); it != raw.text.end())
      for (const std::string& event : it->second)
        if (events.insert(event).second) s.event += (s.event.empty() ? "" : ", ") + event;
  const bool counters = ranks.front().header.sample_source == format::SampleSource::kHardware;
  s.interval_s = counters ? 0 : static_cast<double>(ranks.front().header.events[0].period) * 1e-9;
  s.rotation = ranks.front().first("rotation");
  for (const RawRecording& raw : ranks) {
    for (const format::Thread& t : raw.threads) s.samples += t.samples;
    for (std::uint32_t i = 0; i < raw.header.section_count; ++i)
      if (raw.header.sections[i].kind == format::SectionKind::kSamples)
        s.dropped += raw.header.sections[i].dropped;
  }
}

/// Cycles and instructions alone say nothing about memory: no better than a clock.
Grade grade_of(const RunProfile& profile) {
  if (profile.sampling.source == "none") return Grade::kD;
  const bool splits =
      std::any_of(profile.kernels.begin(), profile.kernels.end(), [](const KernelProfile& kernel) {
        return kernel.counters.contains("instructions") && kernel.counters.contains("acc_mm") &&
               kernel.counters.contains("stall");
      });
  return splits ? Grade::kA : Grade::kC;
}

/// Our own CPU time as a share of the time of the threads that bear it: as long as the run lasts
/// for one that waits in MPI, and as much as they computed where there are many.
double overhead_fraction(const RawRecording& raw, double wall_s) {
  const Header& h = raw.header;
  std::uint64_t calls = 0;
  for (const format::MpiCall& c : raw.calls) calls += c.calls;
  // A signal may bring several samples, and is what costs.
  const double cost_s =
      1e-9 * (static_cast<double>(h.handler_calls) * static_cast<double>(h.sample_cost_ns) +
              static_cast<double>(calls) * static_cast<double>(h.call_cost_ns) +
              static_cast<double>(h.task_clock_ns)) +
      1e-6 * static_cast<double>(h.task_clock_us);
  const double time_s = std::max(wall_s, seconds(h.process_cpu_ns));
  return time_s > 0 ? cost_s / time_s : 0;
}

/// What lies before the entry of MPI_Init is not sampled: nothing says yet that there is a rank.
void note_time_before_init(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  double longest_s = 0;
  double of_s = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const Header& h = ranks[r].header;
    const double before_s = seconds(h.init_entered_ns - h.start_ns);
    if (h.init_entered_ns == 0 || before_s <= longest_s) continue;
    longest_s = before_s;
    of_s = profile->times.wall_s.per_rank[r];
  }
  profile->health.before_init_s = longest_s;
  if (longest_s < 0.1 || longest_s < 0.05 * of_s) return;
  char note[160];
  std::snprintf(note, sizeof note,
                "%.3g of %.3g s (%.0f %%) passed before MPI_Init was called: what the program did "
                "then was not sampled",
                longest_s, of_s, 100 * longest_s / of_s);
  profile->health.notes.emplace_back(note);
}

void fold_health(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  Health& health = profile->health;
  health.ranks_expected = ranks.front().header.world_size;
  health.ranks_present = static_cast<int>(ranks.size());
  std::set<std::string> notes;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RawRecording& raw = ranks[r];
    const Header& h = raw.header;
    const bool is_finalized = h.finalize_entered_ns != 0;
    const bool has_mpi = !raw.first("mpi_library").empty();
    health.ranks_cut_off += h.ending == Ending::kOpen && !is_finalized;
    health.ranks_aborted += h.ending == Ending::kAbortCalled;
    health.ranks_unfinalized += h.ending == Ending::kExited && has_mpi && !is_finalized;
    health.table_drops += raw.dropped;
    health.overhead_fraction = std::max(health.overhead_fraction,
                                        overhead_fraction(raw, profile->times.wall_s.per_rank[r]));
    if (const auto it = raw.text.find("note"); it != raw.text.end())
      notes.insert(it->second.begin(), it->second.end());
  }
  health.notes.insert(health.notes.begin(), notes.begin(), notes.end());
}

}  // namespace

bool is_left_out(const RawRecording& raw, const std::vector<RawRecording>& all) {
  return is_spawned(raw) && !are_all_spawned(all);
}

RunProfile fold(std::vector<RawRecording> ranks) {
  if (ranks.empty()) throw InputError("", "no recordings to read");
  const std::size_t unborn = leave_out_unborn(&ranks);
  const std::size_t spawned = leave_out_spawned(&ranks);
  std::sort(ranks.begin(), ranks.end(), [](const RawRecording& a, const RawRecording& b) {
    return a.header.world_rank < b.header.world_rank;
  });
  check_belong_together(ranks);
  const RawRecording& first = ranks.front();
  RunProfile profile;
  profile.program = first.first("exe").substr(first.first("exe").find_last_of('/') + 1);
  profile.command = first.first("command");
  profile.mpi_library = first.first("mpi_library");
  profile.started_at = iso_time(first.header.start_realtime_ns);
  profile.config.procs = first.header.world_size;
  profile.config.params = parse_params(first.first("params"), first.file);
  for (const auto& [key, values] : first.text)
    if (key.starts_with("env.")) profile.environment[key.substr(4)] = values.front();
  for (const RawRecording& raw : ranks)
    profile.config.threads_per_rank =
        std::max(profile.config.threads_per_rank, working_threads(raw));
  fold_times(ranks, &profile);
  fold_hosts(ranks, &profile);
  fold_sampling(ranks, &profile);
  Symbols symbols;
  fold_mpi(ranks, symbols, &profile);
  fold_kernels(ranks, symbols, &profile);
  fold_lines(ranks, symbols, &profile);
  profile.grade = grade_of(profile);
  if (is_virtual(ranks)) close_virtual_times(&profile);
  fold_details(ranks, &profile);
  fold_health(ranks, &profile);
  note_time_before_init(ranks, &profile);
  fold_totals(ranks, &profile);
  note_cpu_times(ranks, &profile);
  fold_communication(ranks, &profile);
  if (spawned > 0)
    profile.health.notes.push_back(std::to_string(spawned) +
                                   " processes that MPI_Comm_spawn started are left out");
  if (unborn > 0)
    profile.health.notes.push_back(std::to_string(unborn) +
                                   " more processes ended before MPI_Init returned");
  for (const auto& [path, problem] : symbols.problems())
    profile.health.notes.push_back(path + ": " + problem + "; its functions have no names");
  profile.check(first.file);
  return profile;
}

}  // namespace apmt
