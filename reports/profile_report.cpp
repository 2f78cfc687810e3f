#include <algorithm>
#include <map>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

struct Top {
  std::string name;
  double share = 0;
};

Top top_function(const RunProfile& profile) {
  Top top;
  double sum = 0;
  double largest = 0;
  for (const KernelProfile& kernel : profile.kernels) {
    const auto found = kernel.counters.find("cpu_s");
    if (found == kernel.counters.end()) continue;
    const double total = found->second.total();
    sum += total;
    if (total > largest) {
      largest = total;
      top.name = kernel.name;
    }
  }
  if (sum > 0) top.share = largest / sum;
  return top;
}

Top top_operation(const RunProfile& profile) {
  std::map<std::string, double> by_op;
  double sum = 0;
  for (const MpiRow& row : profile.mpi) {
    by_op[row.op] += row.time_s;
    sum += row.time_s;
  }
  Top top;
  for (const auto& [op, time_s] : by_op) {
    if (sum > 0 && time_s / sum > top.share) top = {op, time_s / sum};
  }
  return top;
}

std::string profile_headline(const RunProfile& profile) {
  const RankTimes& times = profile.times;
  std::string text = short_name(profile.program) + " on " + processes(profile.config.procs) +
                     " ran for " + format_seconds(times.wall_s.max());
  const double wall_s = times.wall_s.mean();
  const Top function = top_function(profile);
  const bool mpi_known = !profile.config.oversubscribed && wall_s > 0 && !profile.mpi.empty();
  if (mpi_known) {
    const double share = times.mpi_s.mean() / wall_s;
    const Top op = top_operation(profile);
    text += ": " + format_share(share) + " of it inside MPI";
    if (share > 0.05 && op.share > 0) {
      text += ", " + std::string(op.share > 0.5 ? "mostly " : "the largest operation is ") +
              op.name + " (" + format_share(op.share) + " of that)";
    }
  }
  if (function.share > 0) {
    text += std::string(mpi_known ? "; " : ": ") + format_share(function.share) +
            " of the compute time is in " + short_name(function.name);
  }
  return text + ".";
}

std::vector<std::string> profile_reasons(const RunProfile& profile) {
  std::vector<std::string> list;
  if (profile.config.oversubscribed) {
    list.push_back(
        "More ranks than cores on a node: compute time (CPU time) is valid; time inside MPI "
        "says nothing about the network.");
  }
  const Column& compute = profile.times.sampled_cpu_s;
  if (compute.per_rank.size() > 1 && compute.max() > 0) {
    const double balance = compute.mean() / compute.max();
    const auto slowest = std::max_element(compute.per_rank.begin(), compute.per_rank.end());
    if (balance < 0.95 && profile.health.ranks_present == profile.health.ranks_expected) {
      list.push_back("Load balance of compute time " + format_share(balance) + ": rank " +
                     std::to_string(slowest - compute.per_rank.begin()) + " computes " +
                     format_seconds(*slowest) + ", the mean is " + format_seconds(compute.mean()) +
                     ".");
    }
  }
  return list;
}

std::string hosts_words(const RunProfile& profile) {
  if (profile.hosts.size() == 1) {
    const HostInfo& host = profile.hosts.front();
    return host.name + ", " + plural(host.usable_cpus, "usable CPU", "usable CPUs") +
           (host.cpu_model.empty() ? std::string() : " (" + host.cpu_model + ")");
  }
  std::vector<std::string> names;
  for (const HostInfo& host : profile.hosts) {
    names.push_back(host.name + " (" + plural(host.ranks, "rank", "ranks") + " on " +
                    plural(host.usable_cpus, "CPU", "CPUs") + ")");
    if (names.size() == 4 && profile.hosts.size() > 5) {
      names.push_back(std::to_string(profile.hosts.size() - 4) + " more");
      break;
    }
  }
  return join_list(names);
}

std::string sampling_words(const RunProfile& profile) {
  const Sampling& sampling = profile.sampling;
  if (sampling.source.empty() || sampling.source == "none") return {};
  std::string text = sampling.source;
  if (sampling.interval_s > 0) text += " every " + format_seconds(sampling.interval_s);
  text += ", " + plural(static_cast<double>(sampling.samples), "sample", "samples");
  if (sampling.rotation == "time") text += ", sets of events in time slices";
  if (sampling.rotation == "ranks") text += ", sets of events on different ranks and repetitions";
  if (const double overhead = profile.health.overhead_fraction; overhead > 0) {
    constexpr double kLeast = 1e-4;
    text += overhead < kLeast ? ", overhead below " + format_share(kLeast)
                              : ", overhead about " + format_share(overhead);
    text += " of the run";
  }
  return text;
}

std::string own_cost_words(const OwnCost& cost) {
  if (!cost.sample_s || !cost.delivery_s || !cost.handler_s) return {};
  std::string text = "a sample " + format_seconds(*cost.sample_s) + ": " +
                     format_seconds(*cost.delivery_s) + " delivery by the kernel, " +
                     format_seconds(*cost.handler_s) + " apmt's handler";
  if (cost.handler_in_run_s) {
    constexpr double kNeedsAReason = 3;
    text += " (" + format_seconds(*cost.handler_in_run_s) + " on average in this run";
    if (*cost.handler_in_run_s > kNeedsAReason * *cost.handler_s)
      text +=
          ": the first figure is from many calls in a row, but in the run the handler's data may "
          "have left the caches, and other processes may preempt it";
    text += ")";
  }
  if (cost.task_clock_s) text += "; a task-clock sample " + format_seconds(*cost.task_clock_s);
  if (cost.mpi_call_s) text += "; an MPI call " + format_seconds(*cost.mpi_call_s);
  return text;
}

/// "glibc 2.36, PAPI 7.0.0.0"
std::string library_words(const RunProfile& profile) {
  std::vector<std::string> words;
  for (const auto& [name, version] : profile.libraries)
    words.push_back(name == "papi" ? "PAPI " + version : version);
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  if (!profile.hosts.empty() && !profile.hosts.front().kernel.empty())
    text += (text.empty() ? "kernel " : ", kernel ") + profile.hosts.front().kernel;
  return text;
}

std::string configuration_words(const RunConfig& config) {
  std::string text = processes(config.procs);
  if (config.threads_per_rank > 1) {
    text += " of " + std::to_string(config.threads_per_rank) + " threads";
  }
  if (config.nodes > 1) {
    text += " on " + std::to_string(config.nodes) + " nodes, at most " +
            std::to_string(config.max_ranks_per_node) + " on one";
  }
  if (!config.params.empty()) text += ", " + params_words(config.params);
  return text + ", repetition " + std::to_string(config.repetition);
}

}  // namespace

Report make_profile_report(const RunProfile& profile) {
  Report report;
  report.title = "Run of " + profile.program;
  report.headline = profile_headline(profile);
  report.reasons = profile_reasons(profile);
  report.facts.push_back({"run", configuration_words(profile.config)});
  const auto fact = [&](const char* name, const std::string& value) {
    if (!value.empty()) report.facts.push_back({name, value});
  };
  fact("command", profile.command);
  fact("started", profile.started_at);
  fact("MPI", profile.mpi_library);
  fact(profile.hosts.size() > 1 ? "hosts" : "host", hosts_words(profile));
  if (profile.config.is_virtual) fact("machine", "a simulated cluster");
  if (profile.config.frequency_hz) {
    fact("frequency",
         format_significant(*profile.config.frequency_hz / 1e9) + " GHz while running");
  }
  fact("libraries", library_words(profile));
  fact("sampling", sampling_words(profile));
  fact("own cost", own_cost_words(profile.own_cost));
  fact("grade", grade_words(profile.grade));
  for (OptionalSection section :
       {rank_times_section(profile), functions_section(profile), mpi_section(profile)}) {
    if (section) report.sections.push_back(std::move(*section));
  }
  report.warnings = health_sentences(profile);
  return report;
}

}  // namespace apmt
