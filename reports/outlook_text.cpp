#include "reports/outlook_text.h"

#include <algorithm>

#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kHardly = 0.9;    // little gain if shortest time / from_time_s is above this
constexpr double kNarrow = 0.05;   // a smaller width, relative to the time, is not explained
constexpr double kAlsoWide = 0.6;  // with this share of the widest interval, a part is named, too

std::string core_hours(double hours) { return format_significant(hours) + " core-hours"; }

/// " (30 to 44, 80 %)" or " (30 or more, 80 %)"; empty if both ends are equal.
std::string between(const ProcsEstimate& p, double confidence) {
  if (p.high && *p.high == p.low) return "";
  return " (" + std::to_string(p.low) + (p.high ? " to " + std::to_string(*p.high) : " or more") +
         ", " + format_share(confidence) + ")";
}

std::string about(const ProcsEstimate& p, double confidence) {
  return "about " + processes(p.procs) + between(p, confidence);
}

/// Whether the interval is so wide that a single count would mislead.
bool is_anywhere(const ProcsEstimate& p) {
  constexpr int kAnywhere = 20;
  return p.high && *p.high > kAnywhere * p.low;
}

std::string verdict_sentence(const Outlook& outlook) {
  std::string text = "Bound by " + bound_words(outlook.verdicts.front().bound);
  if (outlook.verdicts.size() == 1)
    return text + " at every count up to " + processes(outlook.to_procs) + ".";
  for (std::size_t i = 1; i < outlook.verdicts.size(); ++i)
    text += (i == 1 ? "; from " : ", from ") + about(outlook.verdicts[i].from, outlook.confidence) +
            " by " + bound_words(outlook.verdicts[i].bound);
  return text + ".";
}

double width_of(const TimeEstimate& time) { return time.high_s - time.low_s; }

struct WidePart {
  std::string words;  // "waiting in MPI (8.20 to 28.9 ms)"
  double width_s = 0;
};

std::string with_range(const std::string& name, const TimeEstimate& time) {
  return name + " (" + format_seconds_range(time.low_s, time.high_s) + ")";
}

/// The kernels, and the other parts of the time, sorted by the width of their intervals, the widest
/// first.
std::vector<WidePart> widest_parts(const Model& model, const Prediction& target) {
  std::vector<WidePart> list;
  if (knows_only_wholes(model)) return list;  // a part would be the whole
  const bool divided = !target.kernels.empty() && !target.is_undivided;
  if (divided)
    for (const PredictedKernel& kernel : target.kernels)
      list.push_back(
          {with_range(short_name(kernel_title(model, model.kernels.at(kernel.index))), kernel.time),
           width_of(kernel.time)});
  for (const PartColumn& part : kPartColumns) {
    const std::optional<TimeEstimate>& time = target.parts.*part.predicted;
    const bool computes =
        part.predicted == &PredictedParts::comp || part.predicted == &PredictedParts::mem;
    if (!time || (divided && computes)) continue;
    list.push_back(
        {with_range(part_title(part, target.parts.mem.has_value()), *time), width_of(*time)});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.width_s > b.width_s; });
  return list;
}

}  // namespace

std::vector<std::string> outlook_sentences(const Outlook& outlook) {
  if (!outlook.why_not.empty()) return {"How far it scales is unknown: " + outlook.why_not + "."};
  std::vector<std::string> sentences;
  const std::string looked_at =
      std::to_string(outlook.from_procs) + " to " + std::to_string(outlook.to_procs) + " processes";
  sentences.push_back(outlook.half_efficiency
                          ? "Efficiency falls below 50 % at " +
                                about(*outlook.half_efficiency, outlook.confidence) + "."
                          : "Efficiency stays above 50 % from " + looked_at + ".");
  if (!outlook.verdicts.empty()) sentences.push_back(verdict_sentence(outlook));
  if (outlook.fastest && outlook.still_falling)
    sentences.push_back("The time is still falling at " + processes(outlook.fastest->procs.procs) +
                        ", the largest count examined.");
  else if (outlook.fastest && outlook.fastest->procs.procs == outlook.from_procs)
    sentences.push_back("More processes do not make it faster: the shortest time is " +
                        format_seconds(outlook.fastest->time_s) + " with " +
                        processes(outlook.from_procs) + ".");
  else if (outlook.fastest && outlook.from_time_s &&
           outlook.fastest->time_s > kHardly * *outlook.from_time_s)
    sentences.push_back("More processes gain little or nothing: the shortest time is " +
                        format_seconds(outlook.fastest->time_s) + " at " +
                        about(outlook.fastest->procs, outlook.confidence) + ", against " +
                        format_seconds(*outlook.from_time_s) + " with " +
                        std::to_string(outlook.from_procs) + ".");
  else if (outlook.fastest && is_anywhere(outlook.fastest->procs))
    sentences.push_back("The time stops falling somewhere between " +
                        std::to_string(outlook.fastest->procs.low) + " and " +
                        processes(*outlook.fastest->procs.high) + " (" +
                        format_share(outlook.confidence) + "); the shortest is " +
                        format_seconds(outlook.fastest->time_s) + ".");
  else if (outlook.fastest)
    sentences.push_back("Shortest time: " + format_seconds(outlook.fastest->time_s) + " at " +
                        about(outlook.fastest->procs, outlook.confidence) + ", which costs " +
                        core_hours(outlook.fastest->core_hours) +
                        " (cores times hours); more processes make it slower.");
  if (!outlook.deadline_s) return sentences;
  const std::string deadline = format_seconds(*outlook.deadline_s);
  if (!outlook.fastest) {
    sentences.push_back("No process count is named for the deadline of " + deadline +
                        ": the problem grows with the process count, so more processes do not "
                        "shorten the run.");
    return sentences;
  }
  sentences.push_back(outlook.cheapest
                          ? "Fewest core-hours within " + deadline + ": " +
                                core_hours(outlook.cheapest->core_hours) + " on " +
                                processes(outlook.cheapest->procs.procs) + ", in " +
                                format_seconds(outlook.cheapest->time_s) + "."
                          : "No process count meets the deadline of " + deadline + ".");
  return sentences;
}

std::vector<std::string> interval_sentences(const Model& model, const Prediction& target,
                                            const Ahead& ahead) {
  const double width = width_of(target.time);
  if (target.time.time_s <= 0 || width < kNarrow * target.time.time_s) return {};
  std::string text = "The interval at " + processes(target.procs) + " is " +
                     format_share(width / target.time.time_s) + " of the time wide";
  const std::vector<WidePart> parts = widest_parts(model, target);
  if (!parts.empty()) {
    text += ", mostly because of " + parts[0].words;
    if (parts.size() > 1 && parts[1].width_s > kAlsoWide * parts[0].width_s)
      text += " and of " + parts[1].words;
  }
  text += ".";
  if (const std::optional<NarrowingRun>& run = ahead.run)
    text += " " + plural(run->reps, "run", "runs") + " on " + processes(run->procs) + " (" +
            core_hours(run->core_hours) + ") would narrow it by about " + format_share(run->gain) +
            "; apmt refine --plan compares others.";
  else if (ahead.runs_up_to > 0)
    text += " Further runs on up to " + processes(ahead.runs_up_to) +
            " would narrow it by less than 10 %.";
  return {text};
}

std::string render_outlook_text(const std::vector<std::string>& sentences, int width) {
  std::string text = "\nHow far it scales\n";
  for (const std::string& sentence : sentences) {
    bool first = true;
    for (const std::string& line : wrap(sentence, static_cast<std::size_t>(width) - 4)) {
      text += (first ? "  " : "    ") + line + "\n";
      first = false;
    }
  }
  return text;
}

}  // namespace apmt
