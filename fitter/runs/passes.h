// How an operation passes on its messages and bytes among the processes of a communicator, and what
// collectives that move few bytes cost: mostly the latency of their steps.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace apmt {

/// A count is multiplied by a function of the communicator's size c.
enum class Passes {
  kOnce,      // 1
  kToOthers,  // (c - 1) / c: a rank keeps its own part
  kTree,      // log2(c): along a tree
  kRing,      // c - 1: along a ring, or between a root and all others
  kToAll,     // c: every rank gets what one rank sends
  kTreeToAll  // c * log2(c): the same, along a tree
};

/// The algorithms that MPI libraries usually use: for the steps of a call, and for its bytes.
Passes usual_calls(const std::string& op);
Passes usual_bytes(const std::string& op);

/// The factors for the calls and for the bytes if nothing is assumed about the algorithm. The bytes
/// are those that the ranks send or receive, without bytes that they pass on.
Passes plain_calls(const std::string& op);
Passes plain_bytes(const std::string& op);

using PassesOf = Passes (*)(const std::string& op);

/// The factor for a communicator of `size` processes.
double factor(Passes passes, double size);

/// The nodes on which the processes of a run are.
struct Nodes {
  int count = 1;           // 0: not known
  int ranks_per_node = 1;  // of the fullest
};

/// The factor if a pass within a node costs `within` times as much as one between nodes, for a
/// communicator of all processes or of fewer. A tree first joins the processes of each node, and
/// then the nodes. Few processes are assumed to be on one node if they may be.
double factor_on_nodes(Passes passes, double size, double procs, const Nodes& nodes, double within);

/// Calls that move fewer bytes than this are light: a network of 10 Gbit/s transfers them in less
/// than a microsecond.
inline constexpr double kMostLightBytes = 1024;

/// The calls of one operation, at one point, that involve all processes and move few bytes: means
/// over runs and ranks.
struct LightCalls {
  double procs = 0;
  double calls = 0;
  double transfer_s = 0;       // without waiting
  double ln_sd = 0;            // calls of a benchmark: sd of ln(the program's cost / theirs)
  Nodes nodes = {.count = 0};  // of the point; calls of a benchmark: not known
};

/// The light calls of each operation. Operations without such calls, or with unknown waiting, are
/// absent. So are points with one process.
using LightCallsOf = std::map<std::string, std::vector<LightCalls>>;

/// Whether the operation's name contains this lower-case word.
bool operation_has(std::string op, const char* word);

}  // namespace apmt
