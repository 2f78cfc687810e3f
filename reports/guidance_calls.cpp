// Advice on collectives and on other MPI calls.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>

#include "reports/guidance_words.h"
#include "reports/numbers.h"
#include "reports/vocabulary.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr double kNearlyAll = 0.95;   // an operation with a larger share takes nearly all the time
constexpr double kSmallBytes = 4096;  // calls with at most this many bytes cost mostly latency

/// A collective operation at the target's process count, with its share of the time of all
/// collectives.
struct Collective {
  std::string op;
  double calls = 0;  // all processes together
  double bytes = 0;
  double share = 0;
  std::optional<double> latency = {};  // the share of latency in its time, if it is known
  double each() const { return calls > 0 ? bytes / calls : 0; }
};

/// The predicted count; without a law, the count at the largest profiled process count.
double count_at(const Model& model, const CountLaw& law, const std::vector<FitPoint>& points,
                const Prediction& target) {
  const std::optional<double> work = work_at(model, target);
  if (work && !law.hypotheses.empty()) return law.value(target.procs, *work);
  return value_at(points, model.max_procs()).value_or(0);
}

/// Divides the time of collectives that share one law: each operation gets a part of the time for
/// latency in proportion to its calls, and of the time for bandwidth in proportion to its bytes. If
/// `latency` is absent, only the bytes count, if there are any.
void divide(double share, std::optional<double> latency, const std::vector<Collective*>& together) {
  double calls = 0;
  double bytes = 0;
  for (const Collective* each : together) {
    calls += each->calls;
    bytes += each->bytes;
  }
  const double of_latency = bytes > 0 ? latency.value_or(0) : 1;
  for (Collective* each : together) {
    each->latency = latency;
    each->share = share * ((calls > 0 ? of_latency * each->calls / calls : 0) +
                           (bytes > 0 ? (1 - of_latency) * each->bytes / bytes : 0));
  }
}

/// The collective operation that takes the most time.
std::optional<Collective> costliest_collective(const Model& model, const Prediction& target) {
  std::vector<Collective> list;
  double calls = 0;
  for (const CountModel& count : model.counts) {
    if (count.op_class != "collective" && count.op_class != "rooted") continue;
    list.push_back({count.op, count_at(model, count.calls, count.calls_points, target),
                    count_at(model, count.bytes, count.bytes_points, target)});
    calls += list.back().calls;
  }
  if (calls <= 0) return std::nullopt;
  double others_share = 1;
  std::optional<double> others_latency = target.coll_latency;
  std::vector<Collective*> others;
  for (Collective& each : list) others.push_back(&each);
  for (const PredictedGroup& own : target.collectives) {
    if (own.name == kOtherCollectives) {
      others_latency = own.latency;
      continue;
    }
    const auto named = std::find_if(others.begin(), others.end(),
                                    [&](const Collective* each) { return each->op == own.name; });
    if (named == others.end()) continue;
    (*named)->share = own.time.time_s / target.parts.comm_coll->time_s;
    (*named)->latency = own.latency;
    others_share -= (*named)->share;
    others.erase(named);
  }
  divide(std::max(others_share, 0.0), others_latency, others);
  return *std::max_element(list.begin(), list.end(),
                           [](const auto& a, const auto& b) { return a.share < b.share; });
}

/// What to do about a kind of collective operation, depending on what makes it expensive.
struct CollectiveRemedy {
  const char* in_name;  // applies to operations whose name contains this, in lower case
  const char* if_latency;
  const char* if_bandwidth;
};

constexpr CollectiveRemedy kCollectiveRemedies[] = {
    {"barrier", "remove barriers that the program would be correct without",
     "remove barriers that the program would be correct without"},
    {"neighbor", "combine several exchanges into one", "exchange less data"},
    {"reduce", "combine several reductions into one call, or reduce less often",
     "reduce shorter arrays, or leave the result distributed (MPI_Reduce_scatter)"},
    {"scan", "combine several scans into one call, or scan less often", "scan shorter arrays"},
    {"bcast", "combine several broadcasts into one, or broadcast once before the loop",
     "broadcast less data, or let each process compute or read its own"},
    {"alltoall", "exchange in smaller communicators, or only with processes that need the data",
     "exchange less data, or in smaller communicators (rows and columns of a process grid)"},
    {"allgather",
     "collect only from the processes whose data are needed (neighbourhood collectives)",
     "keep the data distributed, and collect only the part that is needed"},
    {"gather", "collect less often", "collect less data, or write it in parallel (MPI-IO)"},
    {"scatter", "distribute less often", "distribute less data, or read it in parallel (MPI-IO)"},
    {"", "combine several calls into one, or call less often", "reduce the data exchanged"},
};

const CollectiveRemedy& remedy_of(std::string op) {
  std::transform(op.begin(), op.end(), op.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return *std::find_if(std::begin(kCollectiveRemedies), std::end(kCollectiveRemedies),
                       [&](const auto& r) { return op.find(r.in_name) != std::string::npos; });
}

/// The non-blocking form of a blocking operation, such as "MPI_Iallreduce"; empty if there is none.
std::string nonblocking(const std::string& op) {
  constexpr std::size_t kPrefix = 4;  // MPI_
  const bool is_already = op.size() > kPrefix + 1 && op[kPrefix] == 'I' &&
                          std::islower(static_cast<unsigned char>(op[kPrefix + 1])) != 0;
  if (is_already || op.size() <= kPrefix || op.ends_with("_init")) return {};
  std::string name = op;
  name[kPrefix] = static_cast<char>(std::tolower(static_cast<unsigned char>(op[kPrefix])));
  return name.insert(kPrefix, "I");
}

}  // namespace

std::string advice_on_collectives(const Model& model, const Prediction& target) {
  const std::string cost = cost_words("Collectives", "cost", target.parts.comm_coll, target);
  const std::optional<Collective> most = costliest_collective(model, target);
  if (cost.empty() || !most) return {};
  const std::string in_it =
      most->share > kNearlyAll
          ? ", nearly all of it"
          : ", about " + format_seconds(most->share * target.parts.comm_coll->time_s, 2) + " of it";
  const std::string traffic =
      " in " + most->op + " (" + format_count(most->calls / target.procs) + " calls per process" +
      (most->bytes > 0 ? " of " + format_bytes(std::round(most->each())) : std::string()) + "). ";
  const CollectiveRemedy& remedies = remedy_of(most->op);
  // On usual networks, the latency of a call is about as long as the transfer of a few thousand
  // bytes.
  const bool is_small = most->each() <= kSmallBytes;
  std::string text = cost + in_it + traffic;
  if (most->latency)
    text += remedy(most->latency, remedies.if_latency, remedies.if_bandwidth);
  else
    text += std::string(
                "These runs do not separate latency from bandwidth (apmt calibrate measures "
                "the network), but calls of this size cost mostly ") +
            (is_small ? "latency: " : "bandwidth: ") +
            (is_small ? remedies.if_latency : remedies.if_bandwidth) + ".";
  const std::string other = nonblocking(most->op);
  return other.empty() ? text : text + " " + other + " overlaps it with computation.";
}

std::string advice_on_other_calls(const Model& model, const Prediction& target) {
  const std::string cost = cost_words("Other MPI calls", "cost", target.parts.comm_other, target);
  const ModelPoint* const point = largest_point(model);
  if (cost.empty() || point == nullptr || !point->costliest_other_call) return {};
  const CostliestCall& most = *point->costliest_other_call;
  const auto is_of = [&](std::initializer_list<const char*> beginnings) {
    return std::ranges::any_of(beginnings, [&](const char* beginning) {
      return most.op.starts_with(std::string("MPI_") + beginning);
    });
  };
  const char* const remedy =
      is_of({"Comm_split", "Comm_dup", "Comm_idup", "Comm_create", "Cart_create", "Cart_sub",
             "Graph_create", "Dist_graph_create", "Intercomm_"})
          ? "Make communicators once, before the loop, and use them again."
      : is_of({"Win_", "Put", "Get_acc", "Accumulate", "Fetch_and_op", "Compare_and_swap", "Rput",
               "Rget", "Raccumulate"}) ||
              most.op == "MPI_Get"
          ? "Make windows once, and synchronise them less often."
      : is_of({"File_"}) ? "Read and write less often, in larger blocks, or collectively."
                         : "Call it less often.";
  return cost + ". In the runs with " + processes(point->procs) + ", " + format_share(most.share) +
         " of it was in " + most.op +
         (most.caller.empty() ? std::string() : ", called by " + short_name(most.caller)) + ". " +
         remedy;
}

}  // namespace apmt
