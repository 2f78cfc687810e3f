#include "pmpi-shim/core/neighbours.h"

#include "pmpi-shim/core/targets.h"

namespace apmt::shim {

Neighbours::Neighbours(MPI_Comm comm) {
  for (bool& p : present_) p = true;
  int topology = MPI_UNDEFINED;
  pmpi<Op::kTopo_test>(comm, &topology);
  if (topology == MPI_CART) {
    int dimensions = 0;
    pmpi<Op::kCartdim_get>(comm, &dimensions);
    in_ = out_ = 2 * dimensions;
    for (int d = 0; d < dimensions; ++d) {
      int before = MPI_PROC_NULL, behind = MPI_PROC_NULL;
      pmpi<Op::kCart_shift>(comm, d, 1, &before, &behind);
      absent_ += (before == MPI_PROC_NULL) + (behind == MPI_PROC_NULL);
      if (2 * d + 1 >= kMaxMarked) continue;
      present_[2 * d] = before != MPI_PROC_NULL;
      present_[2 * d + 1] = behind != MPI_PROC_NULL;
    }
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    pmpi<Op::kComm_rank>(comm, &rank);
    pmpi<Op::kGraph_neighbors_count>(comm, rank, &in_);
    out_ = in_;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    pmpi<Op::kDist_graph_neighbors_count>(comm, &in_, &out_, &weighted);
  }
}

}  // namespace apmt::shim
