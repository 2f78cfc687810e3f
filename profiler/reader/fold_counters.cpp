#include "profiler/reader/fold_counters.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

#include "base/words.h"
#include "profiler/reader/fold_cpu_time.h"

namespace apmt {
namespace {

constexpr const char* kTime = "cpu_s";
constexpr const char* kCycles = "cycles";
/// An event that was counted for less than this share of the time is not used.
constexpr double kLeastFraction = 0.25;

bool is_hardware(const RawRecording& raw) {
  return raw.header.sample_source == format::SampleSource::kHardware;
}

std::string event_name(const RawRecording& raw, std::size_t event) {
  const auto names = raw.text.find("event");
  return names != raw.text.end() && event < names->second.size() ? names->second[event] : "";
}

/// The name of an event in the recording, with the processor's own name if that differs.
std::string event_label(const RawRecording& raw, std::size_t event) {
  const std::string name = event_name(raw, event);
  const auto natives = raw.text.find("native_event");
  if (natives == raw.text.end() || event >= natives->second.size() ||
      natives->second[event] == name)
    return name;
  return name + " (" + natives->second[event] + ")";
}

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

int cycles_event(const RawRecording& raw) {
  for (std::uint32_t e = 0; e < raw.header.event_count; ++e)
    if (metric_of_event(event_name(raw, e)) == kCycles) return static_cast<int>(e);
  return -1;
}

/// The share of computation during which the event's time slice was active.
double measured_fraction(const RawRecording& raw, std::size_t event) {
  const std::uint32_t slice = raw.header.events[event].slice;
  if (slice == 0) return 1;
  double all = 0;
  for (const std::uint64_t samples : raw.header.slice_samples) all += static_cast<double>(samples);
  return all > 0 ? static_cast<double>(raw.header.slice_samples[slice - 1]) / all : 0;
}

/// The cycles of a rank during main, inside MPI and outside.
double main_cycles(const RawRecording& raw, int event) {
  double samples = 0;
  for (const format::Sample& s : raw.samples)
    if (format::sample_stage(s.key) == format::Stage::kMain)
      samples += static_cast<double>(s.counts[static_cast<std::size_t>(event)]);
  return samples * static_cast<double>(raw.header.events[event].period);
}

/// CPU seconds that the rank spent in user mode during the main stage; 0: not known. Linux
/// estimates this time from clock ticks; the estimate is wrong if samples and ticks are in phase.
/// If no frequency was measured at the start, the estimate is used as it is. If one was, the
/// estimate is used only if it is above a second and cycles divided by it are within a factor of
/// two of this frequency. Otherwise the time is cycles divided by the measured frequency, but at
/// most the total CPU time, which Linux measures exactly.
double user_seconds(const RawRecording& raw, double cycles) {
  const double all = static_cast<double>(raw.header.main_cpu_ns) * 1e-9;
  const double user = static_cast<double>(raw.header.main_user_ns) * 1e-9;
  const double rate = std::strtod(raw.first("cycles_per_second").c_str(), nullptr);
  if (!(rate > 0) || !std::isfinite(rate)) return std::max(user, 0.0);
  const double by_rate = cycles / rate;
  const bool is_many_ticks = user > 1;
  if (is_many_ticks && user > by_rate / 2 && user < by_rate * 2) return user;
  return all > 0 ? std::min(by_rate, all) : by_rate;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::uint64_t to_count(double x) {
  return x < 0.5    ? 0
         : x > 1e18 ? std::uint64_t{1000000000000000000}
                    : static_cast<std::uint64_t>(std::llround(x));
}

}  // namespace

std::string metric_of_event(const std::string& event) {
  if (event == "PAPI_TOT_CYC" || event == "perf::PERF_COUNT_HW_CPU_CYCLES") return kCycles;
  if (event == "PAPI_TOT_INS" || event == "perf::PERF_COUNT_HW_INSTRUCTIONS") return "instructions";
  return in_small_letters(event);
}

Metrics::Metrics(const std::vector<RawRecording>& ranks) {
  add_events(ranks);
  measure_frequencies(ranks);
  add_time(ranks);
  add_formulas(ranks);
  note_partly_measured();
  note_time_slices();
}

void Metrics::add_events(const std::vector<RawRecording>& ranks) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!is_hardware(ranks[r])) continue;
    for (std::uint32_t e = 0; e < ranks[r].header.event_count; ++e) {
      std::string name = metric_of_event(event_name(ranks[r], e));
      // If two events measure the same metric, the metric of the second has the event's own name.
      if (const auto it = metrics_.find(name);
          it != metrics_.end() && it->second.ranks.size() > r && it->second.ranks[r].event >= 0)
        name = in_small_letters(event_name(ranks[r], e));
      if (name.empty() || name == kTime) continue;
      Metric& metric = metrics_[name];
      if (metric.ranks.empty()) metric = {Provenance::kHardware, event_label(ranks[r], e), {}};
      metric.ranks.resize(ranks.size());
      const double fraction = measured_fraction(ranks[r], e);
      if (fraction < kLeastFraction) {
        metric.rejected = std::min(metric.rejected, fraction);
        continue;
      }
      if (fraction < 1) metric.provenance = Provenance::kDerived;
      metric.ranks[r] = {static_cast<int>(e),
                         static_cast<double>(ranks[r].header.events[e].period) / fraction,
                         fraction};
    }
  }
  std::erase_if(metrics_, [&](const auto& entry) {
    const auto& [name, metric] = entry;
    const bool is_gone = metric.rejected < 1 && !metric.is_measured();
    if (is_gone)
      notes_.push_back(name + " is not measured: its time slices had only " +
                       std::to_string(std::lround(100 * metric.rejected)) +
                       " % of the time, and estimates need 25 %; record for longer, or count fewer "
                       "events");
    return is_gone;
  });
}

/// Divides cycles in user mode by CPU seconds in user mode, for each rank that counted cycles and
/// for all these ranks together.
void Metrics::measure_frequencies(const std::vector<RawRecording>& ranks) {
  double seconds = 0;
  double cycles = 0;
  std::vector<double> each(ranks.size(), 0);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const int event = is_hardware(ranks[r]) ? cycles_event(ranks[r]) : -1;
    if (event < 0) continue;
    const double here = main_cycles(ranks[r], event);
    const double took = user_seconds(ranks[r], here);
    if (!(took > 0) || !(here > 0)) continue;
    seconds += took;
    cycles += here;
    each[r] = here / took;
  }
  if (!(cycles > 0)) return;
  frequency_hz_ = cycles / seconds;
  rank_frequencies_hz_ = std::move(each);
}

/// Adds the metric of time. Clocks measure time directly; with counters, time is cycles divided by
/// frequency.
void Metrics::add_time(const std::vector<RawRecording>& ranks) {
  Metric time;
  time.ranks.resize(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RawRecording& raw = ranks[r];
    if (raw.header.event_count == 0) continue;
    if (!is_hardware(raw)) {
      time.ranks[r] = {0, static_cast<double>(raw.header.events[0].period) * 1e-9, 1,
                       cpu_time_factor(raw), raw.header.squares_column};
      if (time.event.empty()) time.event = event_name(raw, 0);
      continue;
    }
    const int event = cycles_event(raw);
    if (event < 0 || !frequency_hz_) continue;
    time.ranks[r] = {event, static_cast<double>(raw.header.events[event].period) / *frequency_hz_};
    time.provenance = Provenance::kDerived;
    time.event = event_label(raw, static_cast<std::size_t>(event));
  }
  metrics_[kTime] = time;
}

/// Parses formulas such as "hit_L1=+A-B,hit_L2=+C", as the launching code writes them. Event names
/// contain no plus or minus. If a metric occurs several times, the first formula whose events were
/// counted is used.
void Metrics::add_formulas(const std::vector<RawRecording>& ranks) {
  std::set<std::string> found;
  for (const std::string& entry : split(ranks.empty() ? "" : ranks.front().first("metrics"), ',')) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) continue;
    Formula formula{entry.substr(0, equals), {}};
    bool is_counted = true;
    for (std::size_t at = equals + 1; at < entry.size();) {
      const std::size_t end = std::min(entry.find_first_of("+-", at + 1), entry.size());
      const std::string event = metric_of_event(entry.substr(at + 1, end - at - 1));
      formula.terms.emplace_back(entry[at] == '-' ? -1.0 : 1.0, event);
      is_counted = is_counted && metrics_.contains(event);
      at = end;
    }
    // A formula with an event that was not counted is dropped. The recording has a note about that
    // event already.
    if (!is_counted || formula.terms.empty() || formula.metric == kTime) continue;
    if (!found.insert(formula.metric).second) formula.metric.clear();
    formulas_.push_back(std::move(formula));
  }
}

void Metrics::note_partly_measured() {
  for (const auto& [name, metric] : metrics_) {
    const auto measured = metric.ranks_measured();
    const std::size_t ranks = metric.ranks.size();
    if (measured == ranks) continue;
    if (measured > 0)
      notes_.push_back(name + " was counted on " + how_many_of(measured, ranks, "rank") +
                       "; the others are estimated by their time");
  }
}

void Metrics::note_time_slices() {
  std::string names;
  double least = 1;
  for (const auto& [name, metric] : metrics_)
    for (const OnRank& on : metric.ranks) {
      if (on.fraction >= 1) continue;
      least = std::min(least, on.fraction);
      if (!names.ends_with(name)) names += (names.empty() ? "" : ", ") + name;
    }
  if (!names.empty())
    notes_.push_back("scaled estimates: " + names +
                     " shared the counters in time slices, each for at least " +
                     std::to_string(std::lround(100 * least)) + " % of the time");
}

double Metrics::seconds(const EventCounts::value_type& counts, std::size_t rank) const {
  const OnRank& on = metrics_.at(kTime).ranks[rank];
  return on.event < 0 ? 0
                      : static_cast<double>(counts[static_cast<std::size_t>(on.event)]) *
                            on.per_sample * on.scale;
}

/// Computes a kernel's counter from its samples. Ranks may have sampled with different periods. The
/// longest period becomes the unit, so that no rank seems to have more samples than it took.
Counter Metrics::measured(const Metric& metric, const EventCounts& counts) const {
  Counter counter;
  counter.provenance = metric.provenance;
  counter.event = metric.event;
  for (const OnRank& on : metric.ranks)
    counter.unit_per_sample = std::max(counter.unit_per_sample, on.per_sample);
  const auto is_scaled = [](const OnRank& on) { return on.scale != 1; };
  const auto has_squares = [](const OnRank& on) { return on.squares_column != 0; };
  counter.samples.assign(counts.size(), 0);
  if (std::ranges::any_of(metric.ranks, is_scaled)) counter.scale.assign(counts.size(), 1);
  if (std::ranges::all_of(metric.ranks, has_squares)) counter.squares.assign(counts.size(), 0);
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const OnRank& on = metric.ranks[r];
    if (on.event < 0) continue;
    counter.measured_fraction = std::min(counter.measured_fraction, on.fraction);
    const auto in_units = [&](std::uint64_t n, double units) {
      return units == 1 ? n : to_count(static_cast<double>(n) * units);
    };
    const double units = on.per_sample / counter.unit_per_sample;
    counter.samples[r] = in_units(counts[r][static_cast<std::size_t>(on.event)], units);
    if (!counter.scale.empty()) counter.scale[r] = on.scale;
    if (!counter.squares.empty())
      counter.squares[r] = in_units(counts[r][on.squares_column], units * units);
  }
  return counter;
}

/// For a metric that only some ranks measured: estimates the total of all ranks, and distributes it
/// over the ranks in proportion to their time in this kernel. The number of samples stays the same,
/// because it determines the uncertainty of the total; the amount for which one sample stands
/// grows. Returns false if no rank that measured the metric ran the kernel.
bool Metrics::spread(const Metric& metric, const Counter& time, Counter* counter) const {
  double all_time = 0;
  double measured_time = 0;
  for (std::size_t r = 0; r < time.samples.size(); ++r) {
    all_time += time.rank_value(r);
    if (metric.ranks[r].event >= 0) measured_time += time.rank_value(r);
  }
  if (!(measured_time > 0)) return false;
  const std::uint64_t samples = counter->total_samples();
  counter->provenance = Provenance::kDerived;
  counter->unit_per_sample *= all_time / measured_time;
  double before = 0;
  for (std::size_t r = 0; r < time.samples.size(); ++r) {
    const double after = before + time.rank_value(r);
    const double share = static_cast<double>(samples) / all_time;
    counter->samples[r] = to_count(after * share) - to_count(before * share);
    before = after;
  }
  return true;
}

/// The counter of a metric that is a sum or difference of events. Its unit and its number of
/// samples are chosen so that its variance is at least the sum of the variances of its terms. (A
/// count of n samples of u units has the variance n u^2.)
std::optional<Counter> Metrics::combined(const Formula& formula,
                                         const std::map<std::string, Counter>& by_event) const {
  Counter out;
  std::vector<double> values;
  double variance = 0;
  for (const auto& [sign, event] : formula.terms) {
    const auto it = by_event.find(event);
    if (it == by_event.end()) return std::nullopt;
    const Counter& term = it->second;
    if (formula.terms.size() == 1 && sign > 0) return term;
    values.resize(term.samples.size());
    for (std::size_t r = 0; r < values.size(); ++r) values[r] += sign * term.rank_value(r);
    variance +=
        static_cast<double>(term.total_samples()) * term.unit_per_sample * term.unit_per_sample;
    out.unit_per_sample = std::max(out.unit_per_sample, term.unit_per_sample);
    out.measured_fraction = std::min(out.measured_fraction, term.measured_fraction);
    out.event += (out.event.empty() ? "" : sign > 0 ? " + " : " - ") + term.event;
  }
  out.provenance = Provenance::kDerived;
  double total = 0;
  for (double& value : values) total += value = std::max(value, 0.0);
  // total = n u and variance = n u^2, so the unit u is variance / total, but at least the largest
  // unit of the terms. If the total is 0, u is that largest unit.
  if (total > 0) out.unit_per_sample = std::max(out.unit_per_sample, variance / total);
  double sum = 0;
  for (const double value : values) {
    const double after = sum + value;
    out.samples.push_back(to_count(after / out.unit_per_sample) -
                          to_count(sum / out.unit_per_sample));
    sum = after;
  }
  return out;
}

std::map<std::string, Counter> Metrics::counters(const EventCounts& counts) const {
  std::map<std::string, Counter> out;
  const Counter time = measured(metrics_.at(kTime), counts);
  for (const auto& [name, metric] : metrics_) {
    const bool everywhere = metric.ranks_measured() == metric.ranks.size();
    Counter counter = measured(metric, counts);
    if (counter.unit_per_sample > 0 &&
        (everywhere || name == kTime || spread(metric, time, &counter)))
      out[name] = std::move(counter);
  }
  if (formulas_.empty()) return out;
  // Metrics that are computed by formulas replace the events that the formulas use.
  std::map<std::string, Counter> meant;
  std::set<std::string> used;
  for (const Formula& formula : formulas_) {
    if (!formula.metric.empty())
      if (auto counter = combined(formula, out)) meant[formula.metric] = std::move(*counter);
    for (const auto& [sign, event] : formula.terms) used.insert(event);
  }
  std::erase_if(out, [&](const auto& entry) { return used.contains(entry.first); });
  out.merge(meant);
  return out;
}

}  // namespace apmt
