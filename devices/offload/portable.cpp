#include "devices/offload/portable.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/input_error.h"
#include "base/source_function.h"
#include "base/words.h"
#include "fitter/kernels/kernel_join.h"
#include "fitter/runs/work.h"

namespace apmt::devices {
namespace {

constexpr const char* kHowToAnalyse =
    "apmt analyze --with mix,parallelism,all-operations,stack-distances,synchronisation,footprint "
    "-o RUN/analysis.json -- the run's command, built by apmt analyze build (docs/offload.md)";

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string names(const std::set<std::string>& all) {
  std::string list;
  for (const std::string& name : all) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// The analyses of a kernel at all sizes, and its CPU time in the recorded runs.
struct Found {
  std::string function, name, file, place;
  std::vector<AnalysedWorkload> analysed;
  std::string why_not;  // why its last analysis is of no use
  std::map<KernelId, double> cpu_s;

  bool is_in(const std::string& source) const {
    return file.empty() || source.empty() || base_name(file) == base_name(source);
  }
};

class Joiner {
 public:
  Joiner(const Experiment& e, const Model& model) : e_(e), model_(model), work_(model.work) {}

  Portables run() {
    if (model_.kernels.empty() || knows_only_wholes(model_))
      throw InputError("", "the model has no kernels, only total times",
                       "record runs of the program: apmt run", ExitCode::kNotEnoughData);
    if (e_.program != model_.program)
      throw InputError("", "the runs are of " + e_.program + ", the model of " + model_.program);
    if (e_.analyses.empty())
      throw InputError("", "no run has an analysis of its kernels", kHowToAnalyse,
                       ExitCode::kNotEnoughData);
    for (const AnalysedSize& analysed : e_.analyses) add(analysed);
    find_in_runs();
    return result();
  }

 private:
  const ExperimentPoint* point_of(const AnalysedSize& analysed) const {
    for (const ExperimentPoint& p : e_.points)
      if (p.procs == analysed.procs && p.params == analysed.params) return &p;
    return nullptr;
  }

  /// Throws InputError if the analysis is of other work than the run, or if it followed one of
  /// several threads.
  void check(const AnalysedSize& analysed, const ExperimentPoint& point) const {
    if (const std::string why = why_of_other_work(analysed, e_, point); !why.empty())
      throw InputError("", why,
                       "analyse the command of the run: " + e_.runs[point.runs.front()].command);
    if (point.threads_per_rank > 1)
      throw InputError(
          "",
          "the analysis in a run with " + counted(analysed.procs, "process", "processes") +
              " followed one thread, and each rank had " + std::to_string(point.threads_per_rank),
          "record and analyse runs with OMP_NUM_THREADS=1");
  }

  void add(const AnalysedSize& analysed) {
    const ExperimentPoint* point = point_of(analysed);
    if (point == nullptr) return;  // its run was left out
    check(analysed, *point);
    const double working_set = work_.value(analysed.params) / analysed.procs;
    for (const kernels::KernelAnalysis& kernel : analysed.analysis.kernels) {
      Found& found = kernel_at(source_function(kernel.function).name, kernel);
      Workload workload = workload_of(kernel);
      if (!workload.has_counts)
        found.why_not = "its analysis lacks counts of instructions";
      else if (!workload.lines || !(workload.lines->accesses > 0))
        found.why_not = "its analysis lacks stack distances, which give its footprint";
      else
        found.analysed.push_back({working_set, std::move(workload)});
    }
    scopes_.scopes.insert(scopes_.scopes.end(), analysed.analysis.scopes.begin(),
                          analysed.analysis.scopes.end());
  }

  Found& kernel_at(const std::string& source_name, const kernels::KernelAnalysis& kernel) {
    std::vector<Found>& same_name = found_[source_name];
    for (Found& f : same_name)
      if (f.file == kernel.file) return f;
    Found& f = same_name.emplace_back();
    f.function = kernel.function;
    f.name = kernel.name.empty() ? source_name : kernel.name;
    f.file = kernel.file;
    f.place = kernel.file + ":" + std::to_string(kernel.line);
    return f;
  }

  /// Adds up the time of each analysed kernel: the time in its own code and in code inlined into
  /// it, even where the recorded build inlined the kernel into another function.
  void find_in_runs() {
    const CountedFunctions counted(scopes_);
    for (const RunProfile& run : e_.runs)
      for (const RecordedPlace& place : recorded_places(run, counted)) {
        all_s_[place.id] += place.cpu_s;
        for (const std::string& name : place.names) {
          const auto same_name = found_.find(name);
          if (same_name == found_.end()) continue;
          const auto kernel = std::find_if(same_name->second.begin(), same_name->second.end(),
                                           [&](const Found& f) { return f.is_in(place.source); });
          if (kernel == same_name->second.end()) continue;
          kernel->cpu_s[place.id] += place.cpu_s;
          break;
        }
      }
  }

  std::optional<std::size_t> index_of(const KernelId& id) const {
    for (std::size_t i = 0; i < model_.kernels.size(); ++i)
      if (model_.kernels[i].role != KernelRole::kRest && model_.kernels[i].id == id) return i;
    return std::nullopt;
  }

  Portables result() const {
    Portables out;
    std::set<std::string> analysed, modelled;
    std::set<std::size_t> covered;
    for (const auto& [source_name, same_name] : found_)
      for (const Found& f : same_name) {
        analysed.insert(f.name);
        std::map<std::size_t, double> shares;
        for (const auto& [id, seconds] : f.cpu_s)
          if (const auto index = index_of(id); index && seconds > 0)
            shares[*index] = std::min(1.0, seconds / all_s_.at(id));
        for (const auto& [index, share] : shares) covered.insert(index);
        if (f.analysed.empty() && !shares.empty())
          out.left.push_back(f.name + " stays on the host: " + f.why_not + ".");
        else if (shares.empty() && !f.cpu_s.empty())
          out.left.push_back(f.name +
                             " stays on the host: it takes too little time to have a law.");
        else if (!shares.empty())
          out.kernels.push_back({f.function, f.name, f.place, shares, WorkloadLaw(f.analysed)});
      }
    for (std::size_t i = 0; i < model_.kernels.size(); ++i) {
      if (model_.kernels[i].role == KernelRole::kRest) continue;
      modelled.insert(model_.kernels[i].name);
      if (!covered.contains(i))
        out.left.push_back(model_.kernels[i].name + " stays on the host: it was not analysed.");
    }
    if (modelled.empty())
      throw InputError("",
                       "no kernel of the model has a law: its runs probably have too few samples",
                       "record a larger problem or more steps, so that each run takes some seconds",
                       ExitCode::kNotEnoughData);
    if (covered.empty())
      throw InputError("",
                       "the analyses are of other kernels (" + names(analysed) +
                           ") than the model (" + names(modelled) + ")",
                       kHowToAnalyse, ExitCode::kNotEnoughData);
    if (out.kernels.empty())
      throw InputError("", out.left.front(), kHowToAnalyse, ExitCode::kNotEnoughData);
    return out;
  }

  const Experiment& e_;
  const Model& model_;
  WorkExpression work_;
  kernels::Analysis scopes_;
  std::map<std::string, std::vector<Found>> found_;  // by name in the source
  std::map<KernelId, double> all_s_;
};

/// Whether the operation only receives: MPI_Recv, MPI_Mrecv and similar calls, and MPI_Wait and
/// similar calls, which complete receives that were posted before. False for MPI_Sendrecv, which
/// sends as well.
bool only_receives(const CountModel& count) {
  std::string op = count.op;
  std::transform(op.begin(), op.end(), op.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return count.op_class == "completion" ||
         (op.find("recv") != std::string::npos && op.find("sendrecv") == std::string::npos);
}

}  // namespace

Portables portables_of(const Experiment& experiment, const Model& model) {
  return Joiner(experiment, model).run();
}

std::vector<Messages> messages_of(const Model& model, double procs, double work,
                                  std::vector<std::string>* unknown) {
  std::vector<Messages> messages;
  for (const CountModel& count : model.counts) {
    const bool ever_moves = std::any_of(count.bytes_points.begin(), count.bytes_points.end(),
                                        [](const FitPoint& p) { return p.value > 0; });
    if (!ever_moves || only_receives(count) || procs <= 1) continue;
    if (count.bytes.hypotheses.empty() || count.calls.hypotheses.empty()) {
      unknown->push_back(count.op);
      continue;
    }
    messages.push_back(
        {count.op, count.calls.value(procs, work) / procs, count.bytes.value(procs, work) / procs});
  }
  return messages;
}

}  // namespace apmt::devices
