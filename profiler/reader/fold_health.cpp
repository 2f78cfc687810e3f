#include "profiler/reader/fold_health.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "profiler/reader/fold_times.h"

namespace apmt {
namespace {

using format::Header;

/// The recorder's estimated CPU time, divided by the rank's elapsed time or by the CPU time of all
/// the rank's threads, whichever is longer.
double overhead_fraction(const RawRecording& raw, double wall_s) {
  const Header& h = raw.header;
  std::uint64_t calls = 0;
  for (const format::MpiCall& c : raw.calls) calls += c.calls;
  // The cost is counted per signal, because one signal may stand for several samples.
  const double cost_s =
      1e-9 * (static_cast<double>(h.handler_calls) * static_cast<double>(h.sample_cost_ns) +
              static_cast<double>(calls) * static_cast<double>(h.call_cost_ns) +
              static_cast<double>(h.task_clock_ns)) +
      1e-6 * static_cast<double>(h.task_clock_us);
  const double time_s = std::max(wall_s, seconds(h.process_cpu_ns));
  return time_s > 0 ? cost_s / time_s : 0;
}

/// Adds a note if much time passed before MPI_Init was called. This time is not sampled, because
/// the recorder does not know until then that the process is a rank.
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

}  // namespace

void fold_health(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  Health& health = profile->health;
  health.ranks_expected = ranks.front().header.world_size;
  health.ranks_present = static_cast<int>(ranks.size());
  std::set<std::string> notes;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RawRecording& raw = ranks[r];
    const format::Header& h = raw.header;
    const bool is_finalized = h.finalize_entered_ns != 0;
    const bool has_mpi = !raw.first("mpi_library").empty();
    const bool is_cut_off = h.ending == format::Ending::kOpen && !is_finalized;
    health.ranks_cut_off += is_cut_off;
    health.ranks_running += is_cut_off && raw.may_be_running;
    health.ranks_aborted += h.ending == format::Ending::kAbortCalled;
    health.ranks_unfinalized += h.ending == format::Ending::kExited && has_mpi && !is_finalized;
    health.table_drops += raw.dropped;
    health.overhead_fraction = std::max(health.overhead_fraction,
                                        overhead_fraction(raw, profile->times.wall_s.per_rank[r]));
    if (const auto it = raw.text.find("note"); it != raw.text.end())
      notes.insert(it->second.begin(), it->second.end());
  }
  health.notes.insert(health.notes.begin(), notes.begin(), notes.end());
  note_time_before_init(ranks, profile);
}

}  // namespace apmt
