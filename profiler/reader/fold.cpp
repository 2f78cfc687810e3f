#include "profiler/reader/fold.h"

#include "base/words.h"
#include "profiler/reader/fold_communication.h"
#include "profiler/reader/fold_cpu_time.h"
#include "profiler/reader/fold_details.h"
#include "profiler/reader/fold_health.h"
#include "profiler/reader/fold_hosts.h"
#include "profiler/reader/fold_inlined.h"
#include "profiler/reader/fold_kernels.h"
#include "profiler/reader/fold_lines.h"
#include "profiler/reader/fold_mpi.h"
#include "profiler/reader/fold_program.h"
#include "profiler/reader/fold_ranks.h"
#include "profiler/reader/fold_sampling.h"
#include "profiler/reader/fold_times.h"
#include "profiler/reader/fold_totals.h"
#include "profiler/reader/fold_virtual.h"

namespace apmt {
namespace {

/// Called last, so that these notes come after those about ranks and counters.
void note_what_is_missing(const LeftOut& left_out, const Symbols& symbols, Health* health) {
  if (left_out.spawned > 0)
    health->notes.push_back(counted(left_out.spawned, "process", "processes") +
                            " that MPI_Comm_spawn started " +
                            (left_out.spawned == 1 ? "is" : "are") + " left out");
  if (left_out.unborn > 0)
    health->notes.push_back(counted(left_out.unborn, "more process", "more processes") +
                            " ended before MPI_Init returned");
  for (const auto& [path, problem] : symbols.problems())
    health->notes.push_back(path + ": " + problem + "; its functions have no names");
}

}  // namespace

RunProfile fold(std::vector<RawRecording> ranks) {
  const LeftOut left_out = choose_ranks(&ranks);
  Symbols symbols;
  RunProfile profile;
  fold_program(ranks, &profile);
  fold_times(ranks, &profile);
  fold_hosts(ranks, &profile);
  fold_sampling(ranks, &profile);
  fold_mpi(ranks, symbols, &profile);
  fold_kernels(ranks, symbols, &profile);
  fold_lines(ranks, symbols, &profile);
  fold_inlined(ranks, symbols, &profile);
  profile.grade = grade_of(profile);
  if (is_virtual(ranks)) close_virtual_times(&profile);
  fold_details(ranks, &profile);
  fold_health(ranks, &profile);
  if (is_virtual(ranks)) note_created_threads(ranks, &profile.health);
  fold_totals(ranks, &profile);
  note_cpu_times(ranks, &profile);
  fold_communication(ranks, &profile);
  note_what_is_missing(left_out, symbols, &profile.health);
  profile.check(ranks.front().file);
  return profile;
}

}  // namespace apmt
