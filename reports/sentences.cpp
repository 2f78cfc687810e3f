#include "reports/sentences.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

/// Removes the full stop at the end, which some texts from other code have and others lack.
std::string without_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

double seconds(const std::optional<TimeEstimate>& part) { return part ? part->time_s : 0; }

/// The kernel with the largest cost, apart from "(rest)"; nullptr if there is none.
const PredictedKernel* largest_kernel(const Prediction& prediction) {
  const PredictedKernel* largest = nullptr;
  for (const PredictedKernel& kernel : prediction.kernels) {
    if (kernel.role == KernelRole::kRest) continue;
    if (largest == nullptr || kernel.time.time_s > largest->time.time_s) largest = &kernel;
  }
  return largest;
}

std::string compute_reason(const Prediction& prediction, double compute_s) {
  const PredictedKernel* kernel = largest_kernel(prediction);
  if (kernel == nullptr || kernel->time.time_s <= 0 || compute_s <= 0) return {};
  const double share = kernel->time.time_s / compute_s;
  const std::string name = short_name(kernel->name);
  const std::string cost = format_seconds(kernel->time.time_s, 2);
  if (share > 0.5) return ", most of that in " + name + " (" + cost + ")";
  return "; the largest kernel is " + name + " (" + cost + ")";
}

std::string communication_reason(const Model& model, const Prediction& prediction) {
  const double p2p = seconds(prediction.parts.comm_p2p);
  const double coll = seconds(prediction.parts.comm_coll);
  const double wait = seconds(prediction.parts.comm_wait);
  const double other = seconds(prediction.parts.comm_other);
  const double largest = std::max({p2p, coll, wait, other});
  if (largest <= 0) return {};
  const std::string part = largest == p2p    ? "p2p"
                           : largest == coll ? "coll"
                           : largest == wait ? "wait"
                                             : "other";
  std::string words = part_with_operations(model, part);
  const std::string cost = format_seconds(largest, 2) + ")";
  if (words.ends_with(')')) {
    words.pop_back();
    return ", mostly " + words + ", " + cost;
  }
  return ", mostly " + words + " (" + cost;
}

/// Names the largest part of the time, with its share and its largest component.
std::string bound_reason(const Model& model, const Prediction& prediction) {
  if (knows_only_wholes(model)) return {};
  const PredictedParts& parts = prediction.parts;
  const double compute = seconds(parts.comp) + seconds(parts.mem);
  const double communication = seconds(parts.comm_p2p) + seconds(parts.comm_coll) +
                               seconds(parts.comm_wait) + seconds(parts.comm_other);
  double part = 0;
  std::string detail;
  std::string bound = prediction.bound;
  // The bound is "unknown" if a missing part might be the largest. Then the largest known part is
  // named.
  if (bound == "unknown") {
    const double others = seconds(parts.start) + seconds(parts.end) + seconds(parts.off_cpu);
    const double largest = std::max({compute, communication, others});
    bound = largest == compute ? "compute+memory" : largest == others ? "others" : "communication";
  }
  if (bound == "communication") {
    part = communication;
    detail = communication_reason(model, prediction);
  } else if (bound == "compute+memory" || bound == "compute" || bound == "memory") {
    part = bound == "compute+memory" ? compute
           : bound == "memory"       ? seconds(parts.mem)
                                     : seconds(parts.comp);
    detail = compute_reason(prediction, compute);
  } else if (bound == "others") {
    part = seconds(parts.start) + seconds(parts.end) + seconds(parts.off_cpu);
  }
  if (bound.empty() || bound == "unknown") return {};
  const std::string name = bound_words(bound);
  if (part <= 0 || prediction.time.time_s <= 0) return name + " is the largest part";
  const double share = std::min(1.0, part / prediction.time.time_s);
  return name + " is " + format_share(share) +
         (prediction.missing.empty() ? " of it" : " of the known parts") + detail;
}

std::string crossover(const Prediction& prediction) {
  if (!prediction.bound_changes_at || prediction.bound_becomes.empty()) return {};
  const int at = prediction.bound_changes_at->procs;
  const std::string count = at < 10 ? std::to_string(at) : format_significant(at, 2);
  if (bound_words(prediction.bound_becomes) == bound_words(prediction.bound)) return {};
  if (at > prediction.procs) {
    return "; from about " + count + " processes " + bound_words(prediction.bound_becomes) +
           " dominates";
  }
  return "; below about " + count + " processes " + bound_words(prediction.bound_becomes) +
         " dominates";
}

std::vector<std::string> missing_parts(const Prediction& prediction) {
  std::vector<std::string> names = prediction.missing;
  for (std::string& name : names) {
    if (name.ends_with("_s")) name.erase(name.size() - 2);  // the unit of the JSON key
  }
  const auto has = [&](const char* part) {
    return std::find(names.begin(), names.end(), part) != names.end();
  };
  if (has("comm_p2p") && has("comm_coll")) {
    std::erase_if(names, [](const std::string& name) { return name.starts_with("comm_"); });
    names.insert(names.begin(), "comm");
  }
  if (has("start") && has("end")) {
    std::erase(names, "start");
    std::replace(names.begin(), names.end(), std::string("end"), std::string("start and end"));
  }
  for (std::string& name : names) name = part_words(name);
  return names;
}

bool only_computation(const Prediction& prediction) {
  const PredictedParts& parts = prediction.parts;
  return (parts.comp || parts.mem) && !parts.comm_p2p && !parts.comm_coll && !parts.comm_wait &&
         !parts.comm_other && !parts.off_cpu && !parts.start && !parts.end;
}

/// For the headline: names the missing parts if they are one or two; otherwise names only the
/// first. The sentence of missing_sentence() names all.
std::string missing_in_short(const std::vector<std::string>& missing) {
  if (missing.size() == 1) return missing.front() + " is";
  if (missing.size() == 2) return join_list(missing) + " are";
  return missing.front() + " and other parts are";
}

/// Names the fastest process count requested for the target's problem sizes, unless it is the
/// target's own.
std::string fastest_sentence(const std::vector<Prediction>& predictions) {
  const Prediction& target = target_of(predictions);
  if (!target.missing.empty() || target.worthless) return {};  // the fastest count is unknown
  const Prediction* fastest = &target;
  for (const Prediction& prediction : predictions) {
    if (prediction.params != target.params) continue;
    if (prediction.time.time_s < fastest->time.time_s) fastest = &prediction;
  }
  if (fastest == &target) return {};
  return "Of these process counts, " + std::to_string(fastest->procs) +
         " is the fastest: " + format_estimate(fastest->time, fastest->confidence) + ".";
}

std::string extrapolation_sentence(const Model& model, const Prediction& prediction) {
  if (prediction.extrapolation_factor <= 1) {
    if (prediction.is_beyond_sizes)
      return "The work asked for is " + format_times(prediction.size_factor) +
             " the largest profiled.";
    if (!prediction.measured_s) return {};
    return "This point was profiled: " + format_seconds(*prediction.measured_s) + " measured.";
  }
  return std::to_string(prediction.procs) + " processes is " +
         format_times(prediction.extrapolation_factor) +
         " the largest profiled count (profiled: " + join_numbers(model.process_counts()) + ").";
}

std::string gain_sentence(const Model& model, const Prediction& prediction) {
  if (prediction.reference_procs <= 0 || prediction.reference_procs == prediction.procs) return {};
  const std::string versus = processes(prediction.reference_procs);
  const std::vector<std::string> missing = missing_parts(prediction);
  const std::string that = missing.empty() ? "That is " : "Counting only the known parts, that is ";
  const bool same_problem =
      std::any_of(model.points.begin(), model.points.end(), [&](const ModelPoint& point) {
        return point.procs == prediction.reference_procs && point.params == prediction.params;
      });
  if (prediction.speedup && same_problem) {
    const bool slower = *prediction.speedup < 1;
    const double times = slower ? 1 / *prediction.speedup : *prediction.speedup;
    const std::string factor = format_significant(times, 2);
    return that +
           (factor == "1.0" ? "about as fast as on "
            : slower        ? factor + " times slower than on "
                            : factor + " times as fast as on ") +
           versus +
           (prediction.efficiency ? ", an efficiency of " + format_share(*prediction.efficiency)
                                  : std::string()) +
           ".";
  }
  if (!prediction.efficiency) return {};
  return "Efficiency against " + versus + ": " + format_share(*prediction.efficiency) + ".";
}

/// The words of a warning that do not begin with a digit.
std::string without_numbers(const std::string& warning) {
  std::istringstream words(warning);
  std::string rest;
  for (std::string word; words >> word;)
    if (word.find_first_of("0123456789") != (word[0] == '(' ? 1U : 0U)) rest += word + " ";
  return rest;
}

void add(std::vector<std::string>* list, std::string sentence) {
  if (sentence.empty()) return;
  if (std::find(list->begin(), list->end(), sentence) == list->end()) {
    list->push_back(std::move(sentence));
  }
}

}  // namespace

std::string part_with_operations(const Model& model, const std::string& part) {
  std::vector<std::string> used;
  for (const CommModel& comm : model.comm) {
    if (comm.part != part) continue;
    for (const std::string& op : comm.ops) {
      const auto count = std::find_if(model.counts.begin(), model.counts.end(),
                                      [&](const CountModel& c) { return c.op == op; });
      if (count == model.counts.end()) continue;
      // Point-to-point operations for which no bytes are counted are not named, such as MPI_Irecv:
      // its bytes are counted in the call that completes it.
      const std::vector<FitPoint>& points =
          part == "p2p" ? count->bytes_points : count->calls_points;
      const bool counted =
          std::any_of(points.begin(), points.end(), [](const FitPoint& p) { return p.value > 0; });
      if (counted) used.push_back(op);
    }
  }
  const std::string words = part == "p2p"    ? "point-to-point messages"
                            : part == "coll" ? "collectives"
                            : part == "wait" ? "waiting for slower processes"
                                             : "other MPI calls";
  const ModelPoint* const point = largest_point(model);
  if (part == "other" && point != nullptr && point->costliest_other_call &&
      point->costliest_other_call->share > 0.5)
    return words + " (" + point->costliest_other_call->op + ")";
  if (used.empty() || used.size() > 3) return words;
  if (used.size() == 1 && part == "coll") return used.front();
  return words + " (" + join_list(used) + ")";
}

std::string oversubscribed_words(const Model& model) {
  const std::vector<int> counts = model.process_counts();
  std::vector<int> crowded;
  for (const int count : counts) {
    const bool all = std::all_of(model.points.begin(), model.points.end(), [&](const auto& point) {
      return point.procs != count || point.oversubscribed;
    });
    if (all) crowded.push_back(count);
  }
  if (crowded.empty()) return {};
  if (crowded.size() == counts.size()) return "every profiled run";
  const bool from_some_count_on =
      std::equal(crowded.begin(), crowded.end(), counts.end() - std::ssize(crowded));
  if (!from_some_count_on) return "the runs with " + join_numbers(crowded) + " processes";
  const int last_good = counts[counts.size() - crowded.size() - 1];
  return "every profiled run beyond " + processes(last_good);
}

std::string missing_sentence(const Model& model, const Prediction& prediction) {
  const std::vector<std::string> names = missing_parts(prediction);
  if (names.empty()) return {};
  const bool of_mpi = std::any_of(prediction.missing.begin(), prediction.missing.end(),
                                  [](const std::string& name) { return name.starts_with("comm"); });
  const std::string crowded = oversubscribed_words(model);
  const std::string subject = capitalised(join_list(names)) +
                              (names.size() == 1 ? " is not included" : " are not included");
  if (of_mpi && !crowded.empty()) return subject + ": " + crowded + " had more ranks than cores.";
  return subject + ": the profiled runs are not enough to fit a law for " +
         (names.size() == 1 ? "it." : "them.");
}

/// If parts are missing at the point of the back-test: words that restrict it to the known parts.
std::string of_known_parts(const Model& model, const Backtest& backtest) {
  for (const ModelPoint& point : model.points) {
    if (point.procs != backtest.procs || point.complete) continue;
    const MeasuredParts& known = point.parts;
    const bool only_computation = !known.comm_p2p_s && !known.comm_coll_s && !known.comm_wait_s &&
                                  !known.comm_other_s && !known.off_cpu_s && !known.start_s &&
                                  !known.end_s;
    return only_computation ? " of computation" : " of the parts measured there";
  }
  return {};
}

/// If the measured time is outside the interval of the back-test: names the closest reference
/// model, provided that its error is at most half of the model's error.
std::string closer_reference(const Backtest& backtest) {
  if (backtest.covered || backtest.baseline_errors.empty()) return {};
  const auto best = std::min_element(
      backtest.baseline_errors.begin(), backtest.baseline_errors.end(),
      [](const auto& a, const auto& b) { return std::abs(a.second) < std::abs(b.second); });
  if (std::abs(best->second) > std::abs(backtest.error) / 2) return {};
  return " A simple reference model (" + best->first +
         ") is closer there: " + format_change(best->second) + ".";
}

std::string backtest_sentence(const Model& model, const Backtest& backtest) {
  if (!backtest.possible) {
    return backtest.note.empty() ? std::string()
                                 : "No back-test: " + without_stop(backtest.note) + ".";
  }
  const double width =
      backtest.time_s > 0 ? (backtest.high_s - backtest.low_s) / backtest.time_s : 1;
  const int digits = width > 0.1 ? 2 : 3;
  return "Back-test: a model of the runs with " + join_numbers(backtest.from_procs) +
         " processes alone predicts " + format_seconds(backtest.time_s, digits) + " (" +
         format_seconds_range(backtest.low_s, backtest.high_s, digits) + ")" +
         of_known_parts(model, backtest) + " for " + std::to_string(backtest.procs) +
         "; measured " + format_seconds(backtest.measured_s) + ", error " +
         format_change(backtest.error) + ", " + (backtest.covered ? "inside" : "outside") +
         " the interval." + closer_reference(backtest) +
         (backtest.note.empty() ? std::string()
                                : " " + capitalised(without_stop(backtest.note)) + ".");
}

std::string headline(const Model& model, const std::vector<Prediction>& predictions) {
  const Prediction& target = target_of(predictions);
  if (target.worthless) {
    return "No useful prediction is possible for " + processes(target.procs) + ": that is " +
           format_times(target.extrapolation_factor) + " the largest profiled count (" +
           std::to_string(model.max_procs()) + ").";
  }
  std::string text = "At " + processes(target.procs) + " expect " +
                     format_estimate(target.time, target.confidence);
  const std::vector<std::string> missing = missing_parts(target);
  if (!missing.empty() && only_computation(target)) {
    std::string most = compute_reason(target, target.time.time_s);
    if (const auto that = most.find("of that "); that != std::string::npos)
      most.replace(that, 7, "of it");
    return text + " of computation" + most + "; " + missing_in_short(missing) + " not included.";
  }
  if (!missing.empty()) text += " without " + join_list(missing);
  const std::string reason = bound_reason(model, target);
  if (!reason.empty()) text += ": " + reason;
  return text + crossover(target) + ".";
}

std::vector<std::string> reasons(const Model& model, const std::vector<Prediction>& predictions) {
  const Prediction& target = target_of(predictions);
  std::vector<std::string> list;
  add(&list, missing_sentence(model, target));
  add(&list, fastest_sentence(predictions));
  if (!target.worthless) {
    add(&list, extrapolation_sentence(model, target));
    add(&list, gain_sentence(model, target));
  }
  add(&list, backtest_sentence(model, target.backtest));
  return list;
}

std::vector<std::string> all_warnings(const Model& model,
                                      const std::vector<Prediction>& predictions) {
  struct Warning {
    std::string words;  // without numbers
    std::string first;
    std::vector<int> procs;  // the counts at which it applies, with the same or other numbers
    bool has_other_numbers = false;
  };
  std::vector<Warning> warnings;
  for (const Prediction& prediction : predictions)
    for (const std::string& text : prediction.warnings) {
      const std::string words = without_numbers(text);
      const auto same = std::ranges::find_if(warnings, [&](const Warning& warning) {
        return warning.words == words &&
               (warning.first == text || warning.procs.back() != prediction.procs);
      });
      if (same == warnings.end()) {
        warnings.push_back({words, text, {prediction.procs}});
        continue;
      }
      same->has_other_numbers = same->has_other_numbers || same->first != text;
      if (same->procs.back() != prediction.procs) same->procs.push_back(prediction.procs);
    }
  std::vector<std::string> list;
  for (const std::string& warning : model.warnings) add(&list, warning);
  for (Warning& warning : warnings) {
    if (warning.has_other_numbers) {
      const std::vector<int> others(warning.procs.begin() + 1, warning.procs.end());
      warning.first += " (at " + processes(warning.procs.front()) +
                       "; with other numbers also at " + join_numbers(others) + ")";
    }
    add(&list, std::move(warning.first));
  }
  return list;
}

Json to_json(const Model& model, const Prediction& prediction) {
  Json json = to_json(prediction);
  json["warnings"] = all_warnings(model, {prediction});
  return json;
}

}  // namespace apmt
