// The checks of counters: whether they can be opened, whether they count, whether samples arrive.
#include <algorithm>
#include <cstdio>
#include <map>

#include "base/words.h"
#include "machine/doctor_checks.h"
#include "machine/known_work.h"
#include "machine/papi_counters.h"

namespace apmt {
namespace {

using State = Check::State;

constexpr std::uint64_t kRounds = 10000000;

/// Whether an event counts. Instructions are compared with a loop of known length; of all other
/// events, any count above zero is accepted.
struct Verdict {
  bool counts = false;
  std::string text;
  std::size_t alternative = 0;  // the recipe that was tried last
};

Verdict judge(const std::string& metric, const Trial& trial, std::size_t index) {
  if (!trial.problem.empty()) return {false, trial.problem};
  const double counted = static_cast<double>(trial.counts[index]);
  char text[128];
  if (counted <= 0) return {false, "starts but counts nothing"};
  const std::uint64_t known = count_down(1) * kRounds;
  if (metric == "instructions" && known > 0) {
    const double error = counted / static_cast<double>(known) - 1;
    std::snprintf(text, sizeof text, "%.0f counted of %llu expected", counted,
                  static_cast<unsigned long long>(known));
    // The tolerance is 1 %, because starting and stopping the counter takes thousands of
    // instructions.
    return {std::abs(error) < 0.01, text};
  }
  std::snprintf(text, sizeof text, "%.3g counted", counted);
  return {true, text};
}

void known_loop() { count_down(kRounds); }
void all_levels() {
  touch_memory();
  count_down(kRounds);
}

/// Tries the alternatives of a metric and uses the first one whose events all count.
Verdict try_metric(const std::string& metric, const std::vector<Recipe>& recipes,
                   const std::string& prefix) {
  Verdict verdict;
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    verdict = {true, "", i};
    for (const std::string& event : recipes[i].events()) {
      const Trial trial =
          count_with_papi({prefix + event}, metric == "instructions" ? known_loop : all_levels);
      const Verdict one = judge(metric, trial, 0);
      verdict.counts = verdict.counts && one.counts;
      if (one.text.rfind(prefix + event, 0) != 0)
        verdict.text += (verdict.text.empty() ? "" : "; ") + prefix + event + ": " + one.text;
      else
        verdict.text += (verdict.text.empty() ? "" : "; ") + one.text;
    }
    if (verdict.counts) return verdict;
  }
  return verdict;
}

}  // namespace

Check check_counters(const PerfAccess& access) {
  Check check{.id = "counters", .title = "hardware counters"};
  check.state = access.state == PerfState::kCounts ? State::kGood : State::kLimited;
  check.what = access.what;
  check.remedy = access.remedy;
  return check;
}

Check check_events(const ChosenMap& chosen, const PerfAccess& access,
                   std::vector<std::string>* counted) {
  Check check{.id = "events", .title = "events"};
  check.what = "map " + chosen.map.name + " (" + chosen.map.title + "): " + chosen.reason;
  if (access.state != PerfState::kCounts) {
    check.state = State::kNotTested;
    check.details.push_back("not tried, because hardware counters do not count");
    return check;
  }
  if (const auto problem = problem_with_papi()) {
    check.state = State::kLimited;
    check.details.push_back(*problem);
    check.remedy = problem->find("paranoid") != std::string::npos
                       ? "as root: sysctl kernel.perf_event_paranoid=2; the setting holds for "
                         "PAPI even with privileges"
                       : "install a PAPI that supports this processor; apmt counts through its "
                         "perf_event component";
    return check;
  }
  const std::string prefix = chosen.pmu.empty() || chosen.map.pmus.empty() ? "" : chosen.pmu + "::";
  std::map<std::string, std::size_t> used;  // the alternative of each metric that counts
  for (const char* metric : kMetrics) {
    if (const auto absent = chosen.map.absent.find(metric); absent != chosen.map.absent.end()) {
      check.details.push_back(std::string(metric) + ": not on this processor: " + absent->second);
      continue;
    }
    const Verdict verdict = try_metric(metric, chosen.map.metrics.at(metric), prefix);
    check.details.push_back(std::string(metric) +
                            (verdict.counts ? ": counts: " : ": does not count: ") + verdict.text);
    if (!verdict.counts) continue;
    counted->push_back(metric);
    used[metric] = verdict.alternative;
  }
  for (const auto& group : recorded_groups(chosen)) {
    std::vector<std::string> events;
    bool all_count = true;
    for (const RecordedEvent& event : group) {
      const auto way = used.find(event.metric);
      all_count = all_count && way != used.end();
      if (way == used.end() || way->second != event.alternative) continue;
      if (std::find(events.begin(), events.end(), event.event) == events.end())
        events.push_back(event.event);
    }
    if (!all_count) continue;
    const Trial together = count_with_papi(events, all_levels);
    check.details.push_back(std::to_string(events.size()) + " events at once: " +
                            (together.problem.empty() ? "count" : together.problem));
  }
  const std::size_t possible = chosen.map.metrics.size();
  check.what +=
      "; " + std::to_string(counted->size()) + " of " + std::to_string(possible) + " metrics count";
  if (counted->size() < possible) check.state = State::kLimited;
  return check;
}

Check check_sampling(const Surroundings& around, const PerfAccess& access) {
  Check check{.id = "sampling", .title = "sampling"};
  const int expiries = timer_samples();
  const int samples = access.state == PerfState::kCounts ? hardware_samples(around.perf_open) : -1;
  const int ticks = task_clock_samples(around.perf_open);
  if (samples > 0)
    check.what =
        "by counter overflow (" + counted(samples, "sample") + " of cycles in a short loop)";
  const auto also = [&](const char* what) {
    check.what += std::string(check.what.empty() ? "" : ", ") + what;
  };
  if (ticks > 0) also("by the kernel's task clock");
  if (expiries > 0) also("by a timer on the CPU clock");
  if (expiries <= 0 && samples <= 0) {
    check.state = State::kBad;
    check.what = "no sample arrives";
    check.remedy =
        "timers are forbidden or used up (ulimit -i): compute time cannot be split into kernels";
  } else if (samples <= 0) {
    check.what += "; not by counters";
    if (access.state == PerfState::kCounts) {
      check.state = State::kLimited;
      check.remedy = "counters count but do not interrupt: counts cannot be attributed to kernels";
    } else if (ticks <= 0) {
      check.state = State::kLimited;
      check.what += ", nor by the task clock: shares of kernels may be wrong on shared cores";
      check.remedy = access.remedy;
    }
  }
  return check;
}

}  // namespace apmt
