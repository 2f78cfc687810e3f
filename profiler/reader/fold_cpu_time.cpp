#include "profiler/reader/fold_cpu_time.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "base/words.h"

namespace apmt {
namespace {

constexpr double kNear = 0.03;        // share of the CPU time; smaller differences are normal
constexpr double kWorthANote = 0.05;  // seconds; smaller differences are normal: ticks are late

bool is_clock(const RawRecording& raw) {
  return raw.header.sample_source == format::SampleSource::kTaskClock ||
         raw.header.sample_source == format::SampleSource::kPosixTimer;
}

bool is_sampled(const RawRecording& raw, std::size_t thread) {
  return raw.main_times[thread].is_sampled != 0;
}

std::size_t threads_held(const RawRecording& raw) {
  return is_clock(raw) ? std::min(raw.main_times.size(), raw.threads.size()) : 0;
}

HeldTime all_sampled(const RawRecording& raw) {
  HeldTime all;
  for (std::size_t t = 0; t < threads_held(raw); ++t) {
    if (!is_sampled(raw, t)) continue;
    const HeldTime one = held_time(raw, t);
    all.cpu_s += one.cpu_s;
    all.sampled_s += one.sampled_s;
  }
  return all;
}

/// CPU time outside MPI (side 0) or inside (side 1), by the CPU clock and by samples. It covers
/// only the periods in which threads recorded the two sides separately.
HeldTime split_time(const RawRecording& raw, std::size_t side) {
  HeldTime all;
  for (std::size_t t = 0; t < threads_held(raw); ++t) {
    all.cpu_s += static_cast<double>(raw.main_times[t].split_ns[side]) * 1e-9;
    all.sampled_s += static_cast<double>(raw.main_times[t].split_samples[side]) *
                     static_cast<double>(raw.header.events[0].period) * 1e-9;
  }
  return all;
}

double sampled_outside_mpi_s(const RawRecording& raw) {
  double samples = 0;
  for (const format::Sample& sample : raw.samples)
    if (format::sample_op(sample.key) == 0 &&
        format::sample_stage(sample.key) == format::Stage::kMain)
      samples += static_cast<double>(sample.counts[0]);
  return samples * static_cast<double>(raw.header.events[0].period) * 1e-9;
}

/// One signal may stand for many samples. Returns how many independent samples would have the same
/// uncertainty as the recorded ones; infinity if the recording has no sums of squares.
double independent_samples(const RawRecording& raw) {
  double samples = 0;
  double squares = 0;
  for (const format::Sample& sample : raw.samples) {
    if (format::sample_op(sample.key) != 0 ||
        format::sample_stage(sample.key) != format::Stage::kMain)
      continue;
    samples += static_cast<double>(sample.counts[0]);
    squares += static_cast<double>(sample.counts[format::kSquaresColumn]);
  }
  return raw.header.squares_column != 0 && squares > 0 ? samples * samples / squares
                                                       : std::numeric_limits<double>::infinity();
}

/// Adds a note about ranks with few samples. If ranks share cores, few ticks interrupt each rank,
/// so one sample stands for much CPU time.
void note_few_observations(const std::vector<RawRecording>& ranks,
                           std::vector<std::string>* notes) {
  constexpr double kFew = 50;  // independent samples: a share of 1/2 has a relative error of 1/7
  constexpr double kShortProgram = 0.1;  // seconds of computation; shorter programs get no note
  std::size_t affected = 0;
  double fewest = kFew;
  for (const RawRecording& raw : ranks) {
    if (!is_clock(raw) || sampled_outside_mpi_s(raw) < kShortProgram) continue;
    const double observations = independent_samples(raw);
    if (!(observations < kFew)) continue;
    ++affected;
    fewest = std::min(fewest, observations);
  }
  if (affected == 0) return;
  const long number = std::lround(fewest);
  notes->push_back("on " + how_many_of(affected, ranks.size(), "rank") +
                   " the division of the computing time among functions rests on as few as " +
                   counted(number, "observation") + "; use longer runs, or a core for each rank");
}

bool is_off(double sampled_s, double cpu_s) {
  return std::abs(sampled_s - cpu_s) > std::max(kNear * cpu_s, kWorthANote);
}

std::string hundredths(double share) { return std::to_string(std::lround(100 * share)); }

std::string seconds_text(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", s);
  return text;
}

}  // namespace

HeldTime held_time(const RawRecording& raw, std::size_t thread) {
  if (thread >= threads_held(raw)) return {};
  const format::MainTime& main = raw.main_times[thread];
  return {
      std::max(static_cast<double>(main.cpu_ns), 0.0) * 1e-9,
      static_cast<double>(main.samples) * static_cast<double>(raw.header.events[0].period) * 1e-9};
}

double cpu_time_factor(const RawRecording& raw) {
  // A killed process last read its CPU clocks some time before its end, but it took samples until
  // its end. If it took only a few samples, the CPU time that was read and the sampled time differ
  // too much to be compared.
  constexpr double kFewOfAKilledProcess = 10;
  const HeldTime all = all_sampled(raw);
  const double period_s = static_cast<double>(raw.header.events[0].period) * 1e-9;
  const double least =
      raw.header.ending == format::Ending::kOpen ? kFewOfAKilledProcess * period_s : 0;
  if (!(all.cpu_s > 0) || !(all.sampled_s > least)) return 1;
  const HeldTime outside = split_time(raw, 0);
  const HeldTime inside = split_time(raw, 1);
  const double rest_cpu_s = all.cpu_s - outside.cpu_s - inside.cpu_s;
  const double rest_sampled_s = all.sampled_s - outside.sampled_s - inside.sampled_s;
  // A rest below one sample is a rounding error.
  const bool has_rest = rest_cpu_s > 0 && rest_sampled_s > std::max(least, 0.5 * period_s);
  const double of_the_rest = has_rest ? rest_cpu_s / rest_sampled_s : 1;
  const double computing_s = sampled_outside_mpi_s(raw);
  if (!(computing_s > 0)) return 1;
  const double rest_computing_s = std::max(computing_s - outside.sampled_s, 0.0);
  return (outside.cpu_s + of_the_rest * rest_computing_s) /
         (std::min(outside.sampled_s, computing_s) + rest_computing_s);
}

void note_cpu_times(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  std::vector<std::string>& notes = profile->health.notes;
  std::size_t off = 0, threads_off = 0, not_sampled = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0, worst = 0, missing_s = 0;
  for (const RawRecording& raw : ranks) {
    const HeldTime all = all_sampled(raw);
    const double factor = all.sampled_s > 0 ? all.cpu_s / all.sampled_s : 1;
    if (all.cpu_s > 0 && is_off(all.sampled_s, all.cpu_s)) {
      ++off;
      least = std::min(least, all.sampled_s / all.cpu_s);
      most = std::max(most, all.sampled_s / all.cpu_s);
    }
    for (std::size_t t = 0; t < threads_held(raw); ++t) {
      const HeldTime one = held_time(raw, t);
      if (!is_sampled(raw, t) && one.cpu_s > kWorthANote) {
        ++not_sampled;
        missing_s += one.cpu_s;
      } else if (is_sampled(raw, t) && is_off(one.sampled_s * factor, one.cpu_s)) {
        ++threads_off;
        worst = std::max(worst, std::abs(one.sampled_s * factor / one.cpu_s - 1));
      }
    }
  }
  if (off > 0)
    notes.push_back("on " + how_many_of(off, ranks.size(), "rank") + " samples stand for " +
                    hundredths(least) +
                    (hundredths(most) == hundredths(least) ? "" : " to " + hundredths(most)) +
                    " % of the CPU time that the threads' clocks show: the times of functions are "
                    "scaled to the clocks");
  if (threads_off > 0)
    notes.push_back(
        counted(threads_off, "thread has", "threads have") +
        " more or fewer samples than the CPU time shows, by up to " + hundredths(worst) +
        " %: the times of functions that run on only some threads may be off by as much");
  if (not_sampled > 0)
    notes.push_back(counted(not_sampled, "thread that was", "threads that were") +
                    " not sampled used " + seconds_text(missing_s) + " of CPU time");
  note_few_observations(ranks, &notes);
}

}  // namespace apmt
