#include "fitter/runs/passes.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace apmt {

bool operation_has(std::string op, const char* word) {
  std::transform(op.begin(), op.end(), op.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return op.find(word) != std::string::npos;
}

Passes usual_calls(const std::string& op) {
  for (const char* word : {"alltoall", "reduce_scatter", "allgather"})
    if (operation_has(op, word)) return Passes::kRing;
  return Passes::kTree;
}

Passes usual_bytes(const std::string& op) {
  // The bytes counted for an allgather contain each block once, although it goes to all ranks;
  // those of MPI_Alltoall and MPI_Reduce_scatter contain a block once for each receiver.
  if (operation_has(op, "allgather")) return Passes::kRing;
  if (usual_calls(op) == Passes::kRing) return Passes::kToOthers;
  if (operation_has(op, "bcast")) return Passes::kTreeToAll;
  // All blocks pass through the network connection of the root.
  if (operation_has(op, "gather") || operation_has(op, "scatter")) return Passes::kRing;
  return Passes::kTree;
}

Passes plain_calls(const std::string&) { return Passes::kOnce; }

Passes plain_bytes(const std::string& op) {
  // Only the root of a broadcast counts the bytes, which every rank receives.
  return operation_has(op, "bcast") ? Passes::kToAll : Passes::kOnce;
}

double factor(Passes passes, double size) {
  switch (passes) {
    case Passes::kOnce:
      break;
    case Passes::kToOthers:
      return (size - 1) / size;
    case Passes::kTree:
      return std::log2(size);
    case Passes::kRing:
      return size - 1;
    case Passes::kToAll:
      return size;
    case Passes::kTreeToAll:
      return size * std::log2(size);
  }
  return 1;
}

double factor_on_nodes(Passes passes, double size, double procs, const Nodes& nodes,
                       double within) {
  const double plain = factor(passes, size);
  if (nodes.count == 1 || (size < procs && size <= nodes.ranks_per_node)) return within * plain;
  const bool is_tree = passes == Passes::kTree || passes == Passes::kTreeToAll;
  if (!is_tree || size < procs || nodes.count == 0) return plain;
  const double on_node = std::log2(std::min<double>(nodes.ranks_per_node, size));
  return plain * (within * on_node + std::log2(size) - on_node) / std::log2(size);
}

}  // namespace apmt
