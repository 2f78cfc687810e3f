// Tests that the fits find the planted values (those from which the data were computed) of CPI_core
// and blocking factors (BF), and refuse data that do not determine these values.
#include "refine/frequency_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace apmt {
namespace {

struct Planted {
  double cpi_core = 1.3;
  double bf_mem = 0.35;
  double memory_s = 1.2e-9;  // per instruction
};

CpiObservation observe(const Planted& p, double hz) {
  CpiObservation o;
  o.procs = 8;
  o.frequency.hz = hz;
  o.cpi = p.cpi_core + p.bf_mem * p.memory_s * hz;
  o.memory_s = p.memory_s;
  o.stall_cpi = p.bf_mem * p.memory_s * hz;
  return o;
}

std::vector<CpiObservation> observe_all(const Planted& p, const std::vector<double>& ghz) {
  std::vector<CpiObservation> all;
  for (const double f : ghz) all.push_back(observe(p, f * 1e9));
  return all;
}

TEST(FrequencyFit, RecoversPlantedValuesWithoutNoise) {
  for (const double core : {0.4, 1.3, 3.0})
    for (const double bf : {0.02, 0.35, 0.95}) {
      const CpiLine line = fit_frequency_line(observe_all({core, bf, 1.2e-9}, {1.2, 1.8, 2.6}));
      ASSERT_TRUE(line.is_usable()) << line.why;
      EXPECT_NEAR(line.cpi_core, core, 0.01 * core);
      EXPECT_NEAR(line.bf_mem.value(), bf, 0.01 * bf);
      EXPECT_NEAR(line.blocked_s, bf * 1.2e-9, 0.01 * bf * 1.2e-9);
      EXPECT_GT(line.r_squared, 0.9999);
    }
}

TEST(FrequencyFit, TwoFrequenciesAreEnough) {
  const CpiLine line = fit_frequency_line(observe_all({}, {1.5, 3.0}));
  ASSERT_TRUE(line.is_usable()) << line.why;
  EXPECT_NEAR(line.cpi_core, 1.3, 1e-6);
}

/// The form of equation (6) that is printed in the paper takes the gradient as CPI_core and derives
/// BF_mem from it. Both values are wrong.
TEST(FrequencyFit, ThePrintedEquationSixIsWrong) {
  const Planted p;
  const CpiObservation slow = observe(p, 1.5e9), fast = observe(p, 3.0e9);
  const double m_slow = *slow.memory_s * slow.frequency.hz;
  const double m_fast = *fast.memory_s * fast.frequency.hz;
  const double printed_cpi_core = (slow.cpi - fast.cpi) / (m_slow - m_fast);
  const double printed_bf = (slow.cpi - printed_cpi_core) / m_slow;
  EXPECT_NEAR(printed_cpi_core, p.bf_mem, 1e-9);
  EXPECT_GT(std::abs(printed_cpi_core / p.cpi_core - 1), 0.5);
  EXPECT_GT(std::abs(printed_bf / p.bf_mem - 1), 0.5);
  const CpiLine line = fit_frequency_line({slow, fast});
  EXPECT_NEAR(line.cpi_core, p.cpi_core, 1e-6);
  EXPECT_NEAR(*line.bf_mem, p.bf_mem, 1e-6);
}

struct Hits {
  int usable = 0;
  int core = 0;
  int bf = 0;
};

/// Counts in how many of 1000 noisy cases the fitted values lie within two reported standard errors
/// of the planted values.
template <typename Fit>
Hits hits(const std::vector<Planted>& planted, const std::vector<double>& ghz, Fit fit) {
  std::mt19937 random(20240611);
  std::normal_distribution<double> normal;
  Hits found;
  for (int n = 0; n < 1000; ++n) {
    std::vector<CpiObservation> all;
    for (std::size_t i = 0; i < ghz.size(); ++i) {
      CpiObservation o = observe(planted[i % planted.size()], ghz[i] * 1e9);
      o.cycles_sigma = 0.004;
      o.instructions_sigma = 0.004;
      o.memory_sigma = 0.02;
      o.frequency.spread = 0.001;
      const double instructions = 1 + o.instructions_sigma * normal(random);
      o.cpi *= (1 + o.cycles_sigma * normal(random)) / instructions;
      *o.memory_s *= (1 + o.memory_sigma * normal(random)) / instructions;
      o.frequency.hz *= 1 + o.frequency.spread * normal(random);
      o.stall_cpi.reset();
      all.push_back(o);
    }
    const CpiLine line = fit(all);
    if (!line.is_usable()) continue;
    ++found.usable;
    found.core += std::abs(line.cpi_core - planted[0].cpi_core) <= 2 * line.cpi_core_se;
    found.bf += std::abs(*line.bf_mem - planted[0].bf_mem) <= 2 * *line.bf_mem_se;
  }
  return found;
}

TEST(FrequencyFit, StandardErrorsHoldIn95PercentOfNoisyCases) {
  const Hits found = hits({Planted{}}, {1.2, 1.2, 1.8, 1.8, 2.6, 2.6}, fit_frequency_line);
  EXPECT_EQ(found.usable, 1000);
  EXPECT_GE(found.core, 950);
  EXPECT_GE(found.bf, 950);
  // Standard errors ten times too large would pass the checks above, but not these.
  EXPECT_LE(found.core, 990);
  EXPECT_LE(found.bf, 990);
}

TEST(SpreadFit, StandardErrorsHoldIn95PercentOfNoisyCases) {
  const std::vector<Planted> planted = {
      {1.3, 0.35, 0.4e-9}, {1.3, 0.35, 0.9e-9}, {1.3, 0.35, 1.6e-9}, {1.3, 0.35, 2.4e-9}};
  const Hits found = hits(planted, std::vector<double>(8, 2.6), fit_spread_line);
  EXPECT_EQ(found.usable, 1000);
  EXPECT_GE(found.core, 950);
  EXPECT_GE(found.bf, 950);
  EXPECT_LE(found.core, 992);
}

TEST(SpreadFit, IsRefusedWhereTheSpreadDoesNotIdentifyIt) {
  const auto runs = [](std::vector<double> memory_ns, double noise) {
    std::vector<CpiObservation> all;
    for (const double ns : memory_ns) {
      CpiObservation o = observe({1.3, 0.35, ns * 1e-9}, 2.6e9);
      o.cycles_sigma = noise;
      all.push_back(o);
    }
    return all;
  };
  EXPECT_EQ(fit_spread_line(runs({0.5, 1.0, 2.0}, 0.002)).verdict, line_verdict::kGood);
  EXPECT_EQ(fit_spread_line(runs({1.0, 1.05, 1.1}, 0.002)).verdict, line_verdict::kNotIdentified);
  EXPECT_EQ(fit_spread_line(runs({1.0, 1.2, 1.4}, 0.04)).verdict, line_verdict::kNotIdentified);
  EXPECT_EQ(fit_spread_line(runs({0.5, 2.0}, 0.002)).verdict, line_verdict::kNotIdentified);
  auto without = runs({0.5, 1.0, 2.0}, 0.002);
  without[1].memory_s.reset();
  EXPECT_EQ(fit_spread_line(without).verdict, line_verdict::kNotIdentified);
  // CPI_core differs between the runs, so the points are not on a line.
  auto bent = runs({0.5, 1.0, 2.0}, 0.002);
  bent[1].cpi *= 1.3;
  EXPECT_FALSE(fit_spread_line(bent).is_usable());
}

TEST(FrequencyFit, SaysWhenTurboMoved) {
  auto all = observe_all({}, {1.2, 2.6});
  all[1].asked_hz = 2.0e9;
  EXPECT_EQ(fit_frequency_line(all).verdict, line_verdict::kTurboMoved);
  all[1].asked_hz = 2.6e9;
  EXPECT_TRUE(fit_frequency_line(all).is_usable());
  all[0].frequency.spread = 0.08;
  EXPECT_EQ(fit_frequency_line(all).verdict, line_verdict::kTurboMoved);
}

TEST(FrequencyFit, OneSlowRankOfManyIsNamedThoughTheirMeanHardlyMoves) {
  auto all = observe_all({}, {1.2, 2.6});
  all[1].frequency = {2.6e9, 0.01, "rank 7", 1.3e9, "rank 3", 2.62e9};
  const CpiLine line = fit_frequency_line(all);
  EXPECT_EQ(line.verdict, line_verdict::kTurboMoved);
  EXPECT_NE(line.why.find("rank 7 ran at 1.30 GHz"), std::string::npos) << line.why;
  EXPECT_EQ(fit_spread_line(all).verdict, line_verdict::kTurboMoved);
}

TEST(FrequencyFit, SaysWhenThereAreTooFewInstructions) {
  auto all = observe_all({}, {1.2, 2.6});
  all[0].instructions_sigma = 0.2;
  EXPECT_EQ(fit_frequency_line(all).verdict, line_verdict::kTooFewInstructions);
}

TEST(FrequencyFit, SaysWhenTheMemoryClockMoved) {
  auto all = observe_all({}, {1.2, 1.8, 2.6});
  for (CpiObservation& o : all) {  // the memory is faster as well: equal cycles at all frequencies
    o.cpi = all[0].cpi;
    o.stall_cpi = all[0].stall_cpi;
    o.stall_sigma = 0.01;
  }
  const CpiLine line = fit_frequency_line(all);
  EXPECT_EQ(line.verdict, line_verdict::kMemoryClockMoved) << line.why;
}

TEST(FrequencyFit, ASettingWithoutEffectIsFoundOut) {
  std::vector<CpiObservation> all = observe_all({}, {2.6, 2.6});
  CpiLine line;
  all[0].asked_hz = 2.6e9;
  EXPECT_FALSE(differs_from_asked(all, &line));
  EXPECT_EQ(line.verdict, CpiLine{}.verdict);
  all[1].asked_hz = 1.3e9;
  EXPECT_TRUE(differs_from_asked(all, &line));
  EXPECT_EQ(line.verdict, line_verdict::kTurboMoved);
  all[1].frequency.hz = 0;  // not measured
  EXPECT_FALSE(differs_from_asked(all, &line));
}

TEST(FrequencyFit, SaysWhenFrequenciesDoNotDiffer) {
  EXPECT_EQ(fit_frequency_line(observe_all({}, {2.6, 2.61})).verdict, line_verdict::kNotIdentified);
  EXPECT_EQ(fit_frequency_line({}).verdict, line_verdict::kNotIdentified);
  // The frequencies are close together and the cycles are noisy, so the intercept is not
  // determined.
  auto all = observe_all({0.2, 0.9, 2e-9}, {2.4, 2.6});
  for (CpiObservation& o : all) o.cycles_sigma = 0.02;
  EXPECT_EQ(fit_frequency_line(all).verdict, line_verdict::kNotIdentified);
}

TEST(FrequencyFit, SaysWhenThePointsAreNoLine) {
  auto all = observe_all({}, {1.2, 1.8, 2.6});
  all[1].cpi *= 1.2;
  for (CpiObservation& o : all) o.cycles_sigma = 0.003;
  EXPECT_EQ(fit_frequency_line(all).verdict, line_verdict::kNotALine);
  auto falling = observe_all({}, {1.2, 2.6});
  falling[1].cpi = 0.7 * falling[0].cpi;
  for (CpiObservation& o : falling) o.stall_cpi.reset();
  EXPECT_EQ(fit_frequency_line(falling).verdict, line_verdict::kNotALine);
}

TEST(FrequencyFit, WorksWithoutCountsOfAccesses) {
  auto all = observe_all({}, {1.2, 2.6});
  for (CpiObservation& o : all) o.memory_s.reset();
  const CpiLine line = fit_frequency_line(all);
  ASSERT_TRUE(line.is_usable()) << line.why;
  EXPECT_NEAR(line.cpi_core, 1.3, 1e-6);
  EXPECT_NEAR(line.blocked_s, 0.35 * 1.2e-9, 1e-15);
  EXPECT_FALSE(line.bf_mem.has_value());
}

}  // namespace
}  // namespace apmt
