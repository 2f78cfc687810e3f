#include "reports/outlook_text.h"

#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kHardly = 0.9;  // of the time on the fewest processes

std::string core_hours(double hours) { return format_significant(hours) + " core-hours"; }

/// " (30 to 44)", " (30 or more)"; nothing where all draws agree.
std::string between(const ProcsEstimate& p) {
  if (!p.high) return " (" + std::to_string(p.low) + " or more)";
  if (*p.high == p.low) return "";
  return " (" + std::to_string(p.low) + " to " + std::to_string(*p.high) + ")";
}

std::string about(const ProcsEstimate& p) { return "about " + processes(p.procs) + between(p); }

std::string verdict_sentence(const Outlook& outlook) {
  std::string text = "Bound by " + bound_words(outlook.verdicts.front().bound);
  if (outlook.verdicts.size() == 1) return text + " at every process count.";
  for (std::size_t i = 1; i < outlook.verdicts.size(); ++i)
    text += (i == 1 ? "; from " : ", from ") + about(outlook.verdicts[i].from) + " by " +
            bound_words(outlook.verdicts[i].bound);
  return text + ".";
}

}  // namespace

std::vector<std::string> outlook_sentences(const Outlook& outlook) {
  if (!outlook.why_not.empty()) return {"How far it scales is unknown: " + outlook.why_not + "."};
  std::vector<std::string> sentences;
  const std::string looked_at =
      std::to_string(outlook.from_procs) + " to " + std::to_string(outlook.to_procs) + " processes";
  sentences.push_back(outlook.half_efficiency
                          ? "Efficiency falls below 50 % at " + about(*outlook.half_efficiency) +
                                "."
                          : "Efficiency stays above 50 % from " + looked_at + ".");
  if (!outlook.verdicts.empty()) sentences.push_back(verdict_sentence(outlook));
  if (outlook.fastest && outlook.still_falling)
    sentences.push_back("The time is still falling at " + processes(outlook.fastest->procs.procs) +
                        ", the largest count examined.");
  else if (outlook.fastest && outlook.from_time_s &&
           outlook.fastest->time_s > kHardly * *outlook.from_time_s)
    sentences.push_back("More processes gain little or nothing: the shortest time is " +
                        format_seconds(outlook.fastest->time_s) + " at " +
                        about(outlook.fastest->procs) + ", against " +
                        format_seconds(*outlook.from_time_s) + " with " +
                        std::to_string(outlook.from_procs) + ".");
  else if (outlook.fastest)
    sentences.push_back("Shortest time: " + format_seconds(outlook.fastest->time_s) + " at " +
                        about(outlook.fastest->procs) + ", " +
                        core_hours(outlook.fastest->core_hours) +
                        "; more processes make it slower.");
  if (!outlook.deadline_s || !outlook.fastest) return sentences;
  const std::string deadline = format_seconds(*outlook.deadline_s);
  sentences.push_back(outlook.cheapest
                          ? "Fewest core-hours within " + deadline + ": " +
                                core_hours(outlook.cheapest->core_hours) + " on " +
                                processes(outlook.cheapest->procs.procs) + ", in " +
                                format_seconds(outlook.cheapest->time_s) + "."
                          : "No process count meets the deadline of " + deadline + ".");
  return sentences;
}

std::string render_outlook_text(const Outlook& outlook, int width) {
  std::string text = "\nHow far it scales\n";
  for (const std::string& sentence : outlook_sentences(outlook)) {
    bool first = true;
    for (const std::string& line : wrap(sentence, static_cast<std::size_t>(width) - 4)) {
      text += (first ? "  " : "    ") + line + "\n";
      first = false;
    }
  }
  return text;
}

}  // namespace apmt
