// Conditions that every prediction must meet, whatever its input.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "fitter/prediction/prediction.h"

namespace apmt {

inline void expect_sane(const TimeEstimate& t, const std::string& what) {
  EXPECT_TRUE(std::isfinite(t.low_s) && std::isfinite(t.time_s) && std::isfinite(t.high_s)) << what;
  EXPECT_GE(t.low_s, 0) << what;
  EXPECT_LE(t.low_s, t.time_s) << what;
  EXPECT_LE(t.time_s, t.high_s) << what;
}

inline void expect_no_nan(const Json& json, const std::string& place = "") {
  if (json.is_number_float()) {
    EXPECT_TRUE(std::isfinite(json.get<double>())) << place;
  }
  if (json.is_structured())
    for (const auto& [key, value] : json.items()) expect_no_nan(value, place + "/" + key);
}

inline void expect_sane(const Prediction& p) {
  expect_sane(p.time, "time at P = " + std::to_string(p.procs));
  for (const PredictedKernel& k : p.kernels) expect_sane(k.time, k.name);
  for (const auto* part : {&p.parts.comp, &p.parts.comm_p2p, &p.parts.comm_coll,
                           &p.parts.comm_other, &p.parts.off_cpu, &p.parts.start, &p.parts.end})
    if (*part) expect_sane(**part, "a part");
  EXPECT_EQ(p.worthless, p.extrapolation_factor > 1000);
  for (const auto& [name, s] : p.baselines_s) EXPECT_GE(s, 0) << name;
  expect_no_nan(to_json(p));
}

}  // namespace apmt
