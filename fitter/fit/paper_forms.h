// The forms of the APMT paper (Ding et al., tables 1 and 2), which replace apmt's own laws: one
// curve for each quantity, fitted with Ceres, chosen by the coefficient of determination, without
// an interval.
#pragma once

#include "fitter/model/machine_costs.h"
#include "fitter/model/model.h"

namespace apmt {

/// Replaces every law of a fitted model by the paper's form, and describes each in `paper_forms`.
/// The forms deviate from the paper where the paper's text cannot be used literally:
///   * T_comp + BF_mem * T_mem is instructions * CPI_comp / (f P) + stalls / (f P), where f is the
///     core frequency, because by equation (3) BF_mem * T_mem is the stalled time, whatever the
///     latencies are. If stalls or cycles were not counted, CPI_comp and BF_mem (at most 1) are
///     fitted to the kernel's times, with T_mem from accesses to all levels and the latencies in
///     `costs`. If these are not known either, or T_mem is proportional to the instructions, the
///     time is instructions times their mean CPU time.
///     Without instructions, the time itself is a function of P (or D/P).
///   * Communication times are times blocked inside MPI: BF_comm is measured, not a residual.
///   * Coefficients of T_p2p = a s + b and T_coll = a log2 P + b s + c are not negative, so that
///     no time is negative. s is the mean volume of one process.
///   * Equation (4) is a variance; reports show its square root as the deviation of CPI.
void use_paper_forms(const MemoryCosts& costs, Model* model);

}  // namespace apmt
