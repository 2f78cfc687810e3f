// The sets of programs of bench/fitter/ablation.h: planted, published and recorded ones.
#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <stdexcept>

#include "bench/fitter/ablation.h"
#include "bench/fitter/planted.h"
#include "bench/fitter/published.h"
#include "fitter/runs/experiment.h"
#include "foreign/data.h"
#include "tests/unit/fitter/failing_programs.h"

namespace apmt::bench {
namespace {

constexpr std::array<int, 3> kFactors = {4, 8, 16};

void append(std::vector<RunProfile> more, std::vector<RunProfile>* runs) {
  for (RunProfile& run : more) runs->push_back(std::move(run));
}

}  // namespace

AblationSet planted_set(const std::string& campaign, int programs, unsigned long seed) {
  static const std::map<std::string, PlantedOptions> kCampaigns = {
      {"strong", {}}, {"weak", {.weak = true}}, {"strong, instructions", {.with_counters = true}}};
  const PlantedOptions& options = kCampaigns.at(campaign);
  AblationSet set{"planted, " + campaign, {}};
  std::mt19937_64 random(seed);
  for (int i = 0; i < programs; ++i) {
    const PlantedProgram program = random_program(random, options);
    AblationCase one{std::to_string(i), profiled_runs(program, options, random), {}};
    for (const int factor : kFactors)
      append(runs_at(program, factor * program.procs.back(), options, random), &one.asked);
    set.cases.push_back(std::move(one));
  }
  return set;
}

AblationSet failing_set(int draws) {
  AblationSet set{"planted, once wrong", {}};
  for (const synthetic::FailingProgram& program : synthetic::failing_programs())
    for (int i = 1; i <= draws; ++i) {
      synthetic::Noise noise(static_cast<unsigned long>(i));
      AblationCase one{program.name, synthetic::runs_of(program, {2, 4, 8}, noise), {}};
      one.asked = synthetic::runs_of(program, {32, 128}, noise);
      set.cases.push_back(std::move(one));
    }
  return set;
}

AblationSet published_set(std::size_t trained) {
  AblationSet set{"published, " + std::to_string(trained) + " counts", {}};
  for (const Series& s : published_series()) {
    const std::vector<Point> ahead = asked(s, trained);
    if (ahead.empty()) continue;
    AblationCase one{s.code(), {}, {}};
    for (std::size_t i = 0; i < trained; ++i)
      one.learned.push_back(profile_of_total(s.name, s.points[i].procs, 1, s.points[i].time_s));
    for (const Point& p : ahead)
      one.asked.push_back(profile_of_total(s.name, p.procs, 1, p.time_s));
    set.cases.push_back(std::move(one));
  }
  return set;
}

AblationSet recorded_set(const std::filesystem::path& dir, bool one_more) {
  AblationSet set{one_more ? "recorded, 4 counts" : "recorded", {}};
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(dir))
    if (std::filesystem::is_directory(entry.path().string() + ".large"))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const std::filesystem::path& folder : folders) {
    std::vector<RunProfile> learned = read_experiment(folder, {.same_program = true}).runs;
    const Experiment large = read_experiment(folder.string() + ".large", {.same_program = true});
    const std::vector<int> counts = large.process_counts();
    if (one_more && counts.size() < 2) continue;
    for (const RunProfile& run : large.runs)
      if (one_more && run.config.procs == counts.front()) learned.push_back(run);
    set.cases.push_back({folder.filename().string(), std::move(learned), large.runs});
  }
  if (set.cases.empty())
    throw std::runtime_error("no recordings in " + dir.string() +
                             ": make some with bench/virtual/series.sh");
  return set;
}

}  // namespace apmt::bench
