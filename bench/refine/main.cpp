// Measures the refinement loop with programs in which one part has a planted (artificial) fault: at
// larger process counts it takes more time than the first runs show. The table answers two
// questions. Does the loop name this part? How many process counts must it add?
//   apmt_bench_refine [CASES]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

#include "bench/refine/frequency_step.h"
#include "fitter/fit/fit.h"
#include "refine/closed_loop.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

constexpr int kAt = 256;
constexpr int kReps = 2;
constexpr double kTarget = 0.1;

enum class Fault { kSweep, kSolve, kP2p, kColl, kOthers };
constexpr Fault kFaults[] = {Fault::kSweep, Fault::kSolve, Fault::kP2p, Fault::kColl,
                             Fault::kOthers};

const char* name_of(Fault fault) {
  switch (fault) {
    case Fault::kSweep:
      return "kernel sweep";
    case Fault::kSolve:
      return "kernel solve";
    case Fault::kP2p:
      return "point-to-point";
    case Fault::kColl:
      return "collectives";
    case Fault::kOthers:
      break;
  }
  return "starting and ending";
}

bool names(const Culprit& culprit, Fault fault) {
  switch (fault) {
    case Fault::kSweep:
      return culprit.words.ends_with(" sweep");
    case Fault::kSolve:
      return culprit.words.ends_with(" solve");
    case Fault::kP2p:
      return culprit.part == "comm_p2p_s";
    case Fault::kColl:
      return culprit.part == "comm_coll_s";
    case Fault::kOthers:
      break;
  }
  return culprit.part == "start_s" || culprit.part == "end_s";
}

struct Program {
  Fault fault;
  double share;     // scale of the fault's time, relative to the kernels' time at P = 8
  double exponent;  // above P = 8 the fault takes this scale times ((P / 8)^exponent - 1)
  double noise = 0.01;
  unsigned seed = 0;

  /// A run without noise.
  synthetic::PlantedRun truth(int procs) const {
    synthetic::PlantedRun run;
    run.procs = procs;
    run.params = {{"n", 1024}};
    run.kernel_s = {{"sweep", 60.0 / procs}, {"solve", 40.0 / procs}};
    const double messages = 4e4 * (procs - 1);
    const double reductions = 2e4 * procs;
    run.ops = {{"MPI_Isend", "p2p", messages, messages * 8192},
               {"MPI_Allreduce", "collective", reductions, reductions * 8}};
    run.p2p_s = 1e-5 * messages / procs;
    run.coll_s = 2e-5 * 2e4 / 2 * std::log2(procs);
    run.others_s = 0.3;
    const double surplus = share * 12.5 * (std::pow(std::max(procs / 8.0, 1.0), exponent) - 1);
    switch (fault) {
      case Fault::kSweep:
        run.kernel_s["sweep"] += surplus;
        break;
      case Fault::kSolve:
        run.kernel_s["solve"] += surplus;
        break;
      case Fault::kP2p:
        run.p2p_s += surplus;
        break;
      case Fault::kColl:
        run.coll_s += surplus;
        break;
      case Fault::kOthers:
        run.others_s += surplus;
        break;
    }
    return run;
  }
  double elapsed_s(int procs) const {
    const synthetic::PlantedRun run = truth(procs);
    return run.kernel_s.at("sweep") + run.kernel_s.at("solve") + run.p2p_s + run.coll_s +
           run.others_s;
  }
  RunProfile measure(int procs, int repetition) const {
    std::seed_seq words{seed, static_cast<unsigned>(procs), static_cast<unsigned>(repetition)};
    std::mt19937 random(words);
    std::normal_distribution<double> normal(1, noise);
    synthetic::PlantedRun run = truth(procs);
    run.repetition = repetition;
    for (auto& [name, seconds] : run.kernel_s) seconds *= normal(random);
    run.p2p_s *= normal(random);
    run.coll_s *= normal(random);
    run.others_s *= normal(random);
    return synthetic::profile(run);
  }
};

/// A program and the calculated runs made so far.
class Bench {
 public:
  explicit Bench(const Program& program) : program_(program) {
    for (const int procs : {2, 4, 8, 16}) add(procs);
  }
  void add(int procs) {
    for (int n = 0; n < kReps; ++n) runs_.push_back(program_.measure(procs, ++repetitions_[procs]));
  }
  Experiment experiment() const { return make_experiment(runs_); }
  /// The true error of the prediction at kAt, known because the program is planted.
  double true_error() const {
    const Model model = fit(experiment(), synthetic::fit_options());
    const double truth = program_.elapsed_s(kAt);
    return std::abs(
        predict(model, {.procs = kAt, .params = {}, .scaling = {}}).time.time_s / truth - 1);
  }

 private:
  const Program& program_;
  std::vector<RunProfile> runs_;
  std::map<int, int> repetitions_;
};

LoopOptions options() {
  LoopOptions loop;
  loop.target_error = kTarget;
  loop.budget_core_hours = 1e6;
  loop.next.at = kAt;
  loop.next.reps = kReps;
  loop.fit = synthetic::fit_options();
  return loop;
}

/// How many points the loop adds until the prediction meets the target; 5 if it never does.
int points_by_loop(const Program& program) {
  Bench bench(program);
  for (int added = 0; added < 4; ++added) {
    if (bench.true_error() <= kTarget) return added;
    LoopResult ignored;
    LoopOptions loop = options();
    loop.target_error = 0;  // the benchmark knows the true error and decides when to stop
    const auto step = choose_step(look(bench.experiment(), loop), loop, 0, &ignored);
    if (!step) return 5;
    bench.add(step->run.procs);
  }
  return bench.true_error() <= kTarget ? 4 : 5;
}

/// Like points_by_loop(), but process counts are added in increasing order: 32, 64, 128.
int points_in_order(const Program& program) {
  Bench bench(program);
  int procs = 16;
  for (int added = 0; added < 4; ++added) {
    if (bench.true_error() <= kTarget) return added;
    if ((procs *= 2) > kAt / 2) return 5;
    bench.add(procs);
  }
  return bench.true_error() <= kTarget ? 4 : 5;
}

void run(int cases) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0.03, 0.10);
  std::uniform_real_distribution<double> exponent(0.6, 1.2);
  struct Row {
    int cases = 0, named = 0, missed = 0, loop = 0, order = 0, loop_never = 0, order_never = 0;
  };
  std::map<Fault, Row> rows;
  for (int n = 0; n < cases; ++n) {
    const Program program{kFaults[n % 5], share(random), exponent(random), 0.01,
                          static_cast<unsigned>(n)};
    Row& row = rows[program.fault];
    ++row.cases;
    const Bench bench(program);
    const LoopState state = look(bench.experiment(), options());
    row.named += !state.culprits.empty() && names(state.culprits.front(), program.fault);
    if (bench.true_error() <= kTarget) continue;
    ++row.missed;
    const int loop = points_by_loop(program);
    const int order = points_in_order(program);
    row.loop += loop;
    row.order += order;
    row.loop_never += loop == 5;
    row.order_never += order == 5;
  }
  std::printf(
      "| fault planted in | cases | named | first prediction misses | points added by the loop "
      "| in increasing order | never: loop | never: order |\n|---|---|---|---|---|---|---|---|\n");
  Row all;
  const auto print = [](const char* name, const Row& r) {
    const double missed = std::max(r.missed, 1);
    std::printf("| %s | %d | %.1f %% | %d | %.2f | %.2f | %d | %d |\n", name, r.cases,
                100.0 * r.named / r.cases, r.missed, r.loop / missed, r.order / missed,
                r.loop_never, r.order_never);
  };
  for (const auto& [fault, r] : rows) {
    print(name_of(fault), r);
    all = {all.cases + r.cases,
           all.named + r.named,
           all.missed + r.missed,
           all.loop + r.loop,
           all.order + r.order,
           all.loop_never + r.loop_never,
           all.order_never + r.order_never};
  }
  print("all", all);
}

}  // namespace
}  // namespace apmt

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 200;
  apmt::run(cases);
  apmt::bench_frequency_step(cases);
}
