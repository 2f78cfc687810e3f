#include "reports/resources_text.h"

#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

std::string where_to_run(const ResourceChoice& choice) {
  std::string text = plural(choice.procs, "process", "processes");
  if (choice.nodes) text += " (" + plural(*choice.nodes, "node", "nodes") + ")";
  if (!choice.params.empty()) text += " for " + params_words(choice.params);
  return text;
}

std::string limit_words(const ResourceLimit& limit) {
  return limit.deadline_s
             ? "the deadline of " + format_seconds(*limit.deadline_s)
             : "the budget of " + format_significant(*limit.budget_core_hours) + " core-hours";
}

}  // namespace

std::vector<std::string> resource_sentences(const Resources& answer) {
  if (!answer.why_not.empty()) return {"There is no answer: " + answer.why_not + "."};
  const std::string limit = limit_words(answer.limit);
  const auto outcome = [&](const ResourceChoice& c) {
    return format_estimate(c.time, answer.confidence) + " and " + format_significant(c.core_hours) +
           " core-hours";
  };
  std::vector<std::string> list;
  if (!answer.choice) {
    list.push_back("No process count meets " + limit + ".");
    const bool is_budget = answer.limit.budget_core_hours.has_value();
    const ResourceChoice& closest = is_budget ? *answer.cheapest : *answer.fastest;
    list.push_back(std::string(is_budget ? "The fewest core-hours: " : "The shortest time: ") +
                   where_to_run(closest) + ", " + outcome(closest) + ".");
    return list;
  }
  list.push_back("For " + limit + ": " + where_to_run(*answer.choice) + ", " +
                 outcome(*answer.choice) + ".");
  if (!answer.sure)
    list.push_back("At no process count is the whole interval within the limit.");
  else if (answer.sure->procs != answer.choice->procs)
    list.push_back("To have the whole interval within the limit: " + where_to_run(*answer.sure) +
                   ", " + outcome(*answer.sure) + ".");
  return list;
}

}  // namespace apmt
