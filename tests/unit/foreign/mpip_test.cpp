// Tests of reading reports of mpiP: public ones, shortened; their figures are unchanged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/foreign/reading.h"

namespace apmt {
namespace {

using testing::HasSubstr;

/// From a test of reductions on 8 ranks with mpiP 3.4.1 (github.com/ParkerM/hpc-mpip, README.md): 4
/// of its 9 call sites, some of the ranks' lines.
constexpr const char* kReport = R"(@ mpiP
@ Command : /hpc/lab3/./driver -n 3
@ Version                  : 3.4.1
@ MPI Task Assignment      : 0 f6f0fa466bc7

---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0       20.4       9.91    48.52
   1       20.4       17.2    84.40
   2       20.4       14.2    69.71
   3       20.4       16.6    81.63
   4       20.4       12.3    60.23
   5       20.4       17.2    84.12
   6       20.4         14    68.55
   7       20.4       16.8    82.41
   *        163        118    72.44
---------------------------------------------------------------------------
@--- Callsites: 9 ---------------------------------------------------------
---------------------------------------------------------------------------
 ID Lev File/Address        Line Parent_Funct             MPI_Call
  1   0 0x405b76                 [unknown]                Irecv
---------------------------------------------------------------------------
@--- Aggregate Time (top twenty, descending, milliseconds) ----------------
---------------------------------------------------------------------------
Call                 Site       Time    App%    MPI%     COV
Wait                    8    5.4e+04   33.13   45.74    0.32
---------------------------------------------------------------------------
@--- Callsite Time statistics (all, milliseconds): 62 ---------------------
---------------------------------------------------------------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Allreduce            2    0    247    0.077    0.013    0.004   0.02   0.03
Allreduce            2    *   1976    0.082   0.0107    0.003   0.01   0.02

Allreduce            3    *    216      662     28.8    0.004   3.82   5.27

Wait                 5    0 1047618      144  0.00656    0.001  33.65  69.35
Wait                 5    * 2444442      170  0.00645    0.001   9.66  13.33

Wait                 8    * 2444442      912   0.0221    0.001  33.13  45.74
---------------------------------------------------------------------------
@--- Callsite Message Sent statistics (all, sent bytes) -------------------
---------------------------------------------------------------------------
Name              Site Rank   Count       Max      Mean       Min       Sum
Allreduce            2    *    1976         8         8         8 1.581e+04
---------------------------------------------------------------------------
@--- End of Report --------------------------------------------------------
---------------------------------------------------------------------------
)";

TEST(Mpip, SumsSitesOverRanksAndLeavesTheRestToTheProgram) {
  const ForeignFile report = read_foreign(kReport, "driver.8.253.1.mpiP");
  EXPECT_EQ(report.program, "driver");
  ASSERT_EQ(report.values.size(), 7u);  // five of the sites are left out here
  const ForeignValues* main = find(report, "main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->params, (std::map<std::string, double>{{"p", 8}}));
  const double mpi = 9.91 + 17.2 + 14.2 + 16.6 + 12.3 + 17.2 + 14 + 16.8;
  EXPECT_NEAR(main->values.at(0), (8 * 20.4 - mpi) / 8, 1e-12);
  EXPECT_NEAR(find(report, "main->MPI_Allreduce")->values.at(0),
              (1976 * 0.0107 + 216 * 28.8) * 1e-3 / 8, 1e-12);
  EXPECT_NEAR(find(report, "main->MPI_Wait")->values.at(0), 2444442 * (0.00645 + 0.0221) * 1e-3 / 8,
              1e-9);
  EXPECT_EQ(find(report, "main->MPI_Allreduce", "calls")->values.at(0), (1976 + 216) / 8.0);
  EXPECT_EQ(find(report, "main->MPI_Allreduce", "bytes")->values.at(0), 15810 / 8.0);
  EXPECT_EQ(find(report, "main->MPI_Wait", "calls")->values.at(0), 2 * 2444442 / 8.0);
  EXPECT_EQ(find(report, "main->MPI_Wait", "bytes"), nullptr) << "it sends nothing";
}

TEST(Mpip, WhatNoListedSiteAccountsForIsStillInsideMpi) {
  double sum = 0;
  for (const ForeignValues& v : read_mpip(kReport, "a.mpiP").values)
    if (v.metric == "time") sum += v.values.at(0);
  EXPECT_NEAR(sum, 20.4, 1e-9);
}

TEST(Mpip, ReportsOfOneProgramAreOneExperimentOfRepetitions) {
  ForeignFile all = joined({read_mpip(kReport, "a.mpiP"), read_mpip(kReport, "b.mpiP")}, "");
  EXPECT_EQ(all.program, "driver");
  const std::vector<RunProfile> runs = profiles_from(all.values, {.program = all.program});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].config.procs, 8);
  EXPECT_EQ(runs[1].config.repetition, 2);
  EXPECT_GT(runs[0].times.mpi_coll_s.per_rank.at(0), 0);
  EXPECT_GT(runs[0].times.mpi_p2p_s.per_rank.at(0), 0);
}

TEST(Mpip, AReportThatIsCutOffOrIsNoneIsRefused) {
  const std::string text = kReport;
  EXPECT_THAT(refusal(text.substr(0, text.find("@--- End of Report")), "a.mpiP"),
              HasSubstr("the report is cut off"));
  EXPECT_THAT(refusal("@ mpiP\n@ Command : ./app\n", "a.mpiP"),
              HasSubstr("no section 'MPI Time (seconds)'"));
  std::string broken = text;
  broken.replace(broken.find("9.91"), 4, "x.91");
  EXPECT_THAT(refusal(broken, "a.mpiP"), HasSubstr("a.mpiP:10: expected a number, found 'x.91'"));
}

// From a run of AMG on 16 ranks (github.com/manfredcalvo/mpiP_cm,
// examples/AMG2013/results/myComputer). The report is of a modified mpiP 3.4.1, which writes a
// matrix of its own into the last section. This text has 2 of its 73 call sites.
TEST(Mpip, AMatrixOfAModifiedMpipIsNoSite) {
  const ForeignFile report = read_foreign(R"(@ mpiP
@ Command : amg2013 -pooldist 1 -P 2 1 1 -r 1 1 1 -printstats
@ Version                  : 3.4.1
@ Report generation        : Collective
---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0     0.0316     0.0278    87.70
   1     0.0321     0.0281    87.67
   2     0.0321     0.0283    88.10
   3     0.0321     0.0282    87.80
   4     0.0321     0.0283    88.23
   5     0.0318      0.028    88.00
   6     0.0317     0.0278    87.66
   7      0.032      0.028    87.58
   8     0.0316     0.0278    87.83
   9     0.0316     0.0277    87.62
  10     0.0321     0.0283    88.12
  11     0.0296     0.0261    88.19
  12      0.032     0.0278    86.70
  13     0.0316     0.0279    88.34
  14      0.032     0.0284    88.72
  15      0.032     0.0284    88.64
   *      0.508      0.447    87.93
---------------------------------------------------------------------------
@--- Callsite Time statistics (all, milliseconds): 1128 -------------------
---------------------------------------------------------------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Scan                12    *     64   0.0357    0.011   0.0014   0.14   0.16
Allgather           65    *    128   0.0189  0.00676   0.0028   0.17   0.19
---------------------------------------------------------------------------
@--- Callsite Message Sent statistics (all, sent bytes) -------------------
---------------------------------------------------------------------------
Name              Site Rank   Count       Max      Mean       Min       Sum
Scan                12    *      64         8         8         8       512
Allgather           65    *     128         4         4         4       512
------- Start Communication Matrix -------------
Source	Target	Total Amount	Total Count
15	14	9960	353
------- End Communication Matrix -------------
---------------------------------------------------------------------------
@--- End of Report --------------------------------------------------------
---------------------------------------------------------------------------
)",
                                          "amg2013.16.28862.1.mpiP");
  EXPECT_EQ(report.program, "amg2013");
  EXPECT_EQ(report.values.front().params.at("p"), 16);
  EXPECT_NEAR(report.values.front().values.at(0), (0.5080 - 0.4469) / 16, 1e-12);
  EXPECT_NEAR(find(report, "main->MPI_Scan")->values.at(0), 64 * 0.011e-3 / 16, 1e-12);
  EXPECT_EQ(find(report, "main->MPI_Scan", "bytes")->values.at(0), 512 / 16.0);
  EXPECT_EQ(find(report, "main->MPI_Allgather", "calls")->values.at(0), 128 / 16.0);
  EXPECT_EQ(report.values.size(),
            8u);  // main, three values of each operation, and the sites left out
}

// The first section of a concise report (github.com/LLNL/mpiP, issue 35).
TEST(Mpip, AConciseReportIsNamed) {
  EXPECT_THAT(
      refusal("@ mpiP\n@ Command : ./athena -i athinput.sod\n"
              "@--- Task Time Statistics (seconds) ---\n"
              "Max                 3.705009          0.638030                 0          1\n"
              "@--- End of Report ---\n",
              "athena.4.3708.1.mpiP"),
      HasSubstr("is a concise report"));
}

// Aggregates of a run of 256 tasks from a computing centre's manual (mpiP 3.4.1 on Mahti). The
// manual omits the lines of the tasks; in this text they are all equal.
TEST(Mpip, AReportOfManyTasksKeepsItsAggregates) {
  std::string text =
      "@ mpiP\n@ Command : /users/somebody/./TwoDMPIPFC \n@ Version : 3.4.1\n"
      "@--- MPI Time (seconds) ---\nTask    AppTime    MPITime     MPI%\n";
  for (int rank = 0; rank < 256; ++rank)
    text += "   " + std::to_string(rank) + "       8.11       4.09    50.4\n";
  text +=
      "   *   2.08e+03   1.05e+03    50.36\n"
      "@--- Callsite Time statistics (all, milliseconds): 2048 ---\n"
      "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%\n"
      "Alltoall             1    *    512      342      226      200   5.57  11.05\n"
      "Alltoall             3    *    512      250      225      205   5.54  11.00\n"
      "Alltoall             4    *    512      250      223      206   5.50  10.92\n"
      "Alltoall             5    *    512      838      426      126  10.50  20.85\n"
      "Alltoall             6    *    512 1.83e+03      898      178  22.16  44.00\n"
      "Barrier              8    *    256      161     85.7     10.7   1.06   2.10\n"
      "Reduce               2    *    256     16.9     0.43  0.00985   0.01   0.01\n"
      "Reduce               7    *    256      101     2.79   0.0364   0.03   0.07\n"
      "@--- End of Report ---\n";
  const ForeignFile report = read_foreign(text, "pfc.256.1.mpiP");
  EXPECT_EQ(report.program, "TwoDMPIPFC");
  EXPECT_EQ(report.values.front().params.at("p"), 256);
  EXPECT_NEAR(find(report, "main->MPI_Alltoall")->values.at(0), 512 * 1.998 / 256, 1e-9);
  EXPECT_NEAR(find(report, "main->MPI_Reduce")->values.at(0), 0.43e-3 + 2.79e-3, 1e-9);
  EXPECT_EQ(find(report, "main->MPI_ (not listed)"), nullptr);
}

}  // namespace
}  // namespace apmt
