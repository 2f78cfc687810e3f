#include "bench/fitter/ablation.h"

#include <cstdio>

#include "bench/fitter/bench.h"
#include "fitter/fit/fit.h"
#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt::bench {
namespace {

constexpr int kDrawsOfNoise = 5;

void print(const char* format, const MeanOfPrograms& spread) {
  std::printf(format, spread.mean, spread.low, spread.high);
}

void ablate(const AblationSet& set) {
  const std::vector<Judged> with_all = judge(set, {});
  std::printf("| %s | all (%zu points) |", set.name.c_str(), with_all.size());
  print(" %.3f (%.3f to %.3f) |", mean_over_programs(with_all, &Judged::error));
  print(" %.3f (%.3f to %.3f) |", mean_over_programs(with_all, &Judged::score));
  const MeanOfPrograms covered = mean_over_programs(with_all, &Judged::covered);
  std::printf(" %.0f %% (%.0f to %.0f) |\n", 100 * covered.mean, 100 * covered.low,
              100 * covered.high);
  std::string without_effect;
  for (const Mechanism& mechanism : all_mechanisms()) {
    Mechanisms on;
    on.*mechanism.is_on = false;
    const std::vector<Judged> without = judge(set, on);
    if (without == with_all) {
      without_effect += (without_effect.empty() ? "" : ", ") + std::string(mechanism.name);
      continue;
    }
    const std::vector<Judged> lost = differences(without, with_all);
    std::printf("| %s | without %s |", set.name.c_str(), mechanism.name);
    print(" %+.3f (%+.3f to %+.3f) |", mean_over_programs(lost, &Judged::error));
    print(" %+.3f (%+.3f to %+.3f) |", mean_over_programs(lost, &Judged::score));
    const MeanOfPrograms points = mean_over_programs(lost, &Judged::covered);
    std::printf(" %+.1f (%+.1f to %+.1f) |\n", 100 * points.mean, 100 * points.low,
                100 * points.high);
    std::fflush(stdout);
  }
  std::printf("| %s | without any of: %s | 0 | 0 | 0 |\n", set.name.c_str(),
              without_effect.c_str());
  std::fflush(stdout);
}

}  // namespace

const std::vector<Mechanism>& all_mechanisms() {
  static const std::vector<Mechanism> kAll = {
      {"cost of messages", &Mechanisms::message_costs},
      {"instances of collectives", &Mechanisms::collective_instances},
      {"imbalance as waiting", &Mechanisms::imbalance},
      {"counts of messages", &Mechanisms::message_counts},
      {"latency from light calls", &Mechanisms::light_calls},
      {"laws of groups of calls", &Mechanisms::call_groups},
      {"collectives on parts", &Mechanisms::parts_of_processes},
      {"causes of waiting", &Mechanisms::wait_causes},
      {"unseen changes", &Mechanisms::unseen_changes},
      {"instructions", &Mechanisms::instructions},
      {"plain laws", &Mechanisms::plain_laws},
      {"pooled plainness", &Mechanisms::pooled_plainness},
      {"work on pairs", &Mechanisms::work_on_pairs},
      {"serial end", &Mechanisms::serial_end},
      {"share of overhead", &Mechanisms::overhead_share},
      {"perfect scaling", &Mechanisms::perfect_scaling},
      {"measured noise", &Mechanisms::measured_noise},
      {"shared noise", &Mechanisms::shared_noise},
      {"wandering slopes", &Mechanisms::wandering_slopes},
      {"outliers", &Mechanisms::outliers}};
  return kAll;
}

std::vector<Judged> judge(const AblationSet& set, const Mechanisms& mechanisms) {
  const WithMechanisms in_force(mechanisms);
  std::vector<Judged> points;
  for (const AblationCase& one : set.cases) {
    const Model model =
        fit(make_experiment(one.learned, {.same_program = true}), bench_fit_options());
    for (const Validation& v : validate(model, make_experiment(one.asked, {.same_program = true})))
      if (v.whole && !v.was_fitted) points.push_back(judged(one.program, *v.whole));
  }
  return points;
}

void ablation(int programs, unsigned long seed, const std::string& only,
              const std::string& recordings) {
  std::printf(
      "| set | mechanisms | error | interval score (ln T) | coverage of 80 %% |\n"
      "|---|---|---|---|---|\n");
  const auto run = [&](const std::string& name, const auto& make) {
    if (name.starts_with(only)) ablate(make());
  };
  for (const char* campaign : {"strong", "weak", "strong, instructions"})
    run(std::string("planted, ") + campaign, [&] { return planted_set(campaign, programs, seed); });
  run("planted, once wrong", [] { return failing_set(kDrawsOfNoise); });
  if (!recordings.empty()) {
    run("recorded", [&] { return recorded_set(recordings, false); });
    run("recorded, 4 counts", [&] { return recorded_set(recordings, true); });
  }
  for (const std::size_t trained : {3, 4, 5})
    run("published, " + std::to_string(trained) + " counts",
        [&] { return published_set(trained); });
}

}  // namespace apmt::bench
