// Tables of the fields of laws in model.json.
#pragma once

#include <array>
#include <cmath>
#include <tuple>

#include "base/json_fields.h"
#include "fitter/laws/time_law.h"

namespace apmt {

inline constexpr double kPositive = 1e-300;  // least value of a number that must not be 0

constexpr auto fields_of(Of<FitPoint>) {
  using P = FitPoint;
  return std::tuple{field("procs", &P::procs).at_least(1),
                    field("work", &P::work).at_least(kPositive),
                    field("value", &P::value).at_least(0),
                    field("rel_sigma", &P::rel_sigma).at_least(0),
                    field("rel_sampling", &P::rel_sampling).at_least(0),
                    field("repetitions", &P::repetitions).from_to(1, 1000000)};
}

constexpr auto fields_of(Of<LawTerm>) {
  using T = LawTerm;
  return std::tuple{field("coefficient", &T::coefficient),
                    field("p_exponent", &T::p_exponent),
                    field("log2_power", &T::log2_power).from_to(0, 8),
                    field("work_exponent", &T::work_exponent),
                    field("shape", &T::shape),
                    field("exp_rate", &T::exp_rate),
                    field("from_x", &T::from_x).at_least(0).omitted_when([](const T& t) {
                      return !(t.from_x > 0);
                    }),
                    field("below_x", &T::below_x).at_least(0).omitted_when([](const T& t) {
                      return !std::isfinite(t.below_x);
                    })};
}

constexpr auto fields_of(Of<Hypothesis>) {
  using H = Hypothesis;
  return std::tuple{field("terms", &H::terms),
                    derived<H, std::string>("formula", [](const H& h) { return h.formula(); }),
                    field("free_numbers", &H::free_numbers).from_to(0, 100),
                    field("weight", &H::weight).at_least(0),
                    field("rel_residual", &H::rel_residual).at_least(0),
                    field("exact", &H::exact)};
}

constexpr auto only_member(Of<CountLaw>) { return &CountLaw::hypotheses; }

constexpr auto fields_of(Of<Feature::Expected>) {
  return std::tuple{field("cost", &Feature::Expected::cost).at_least(kPositive),
                    field("ln_sd", &Feature::Expected::ln_sd).at_least(kPositive)};
}

constexpr auto fields_of(Of<Feature>) {
  using F = Feature;
  return std::tuple{
      field("name", &F::name),
      field("unit", &F::unit),
      field("of", &F::of),
      field("steps", &F::steps),
      field("counts", &F::counts),
      field("cost", &F::cost).at_least(0),
      field("size_exponent", &F::size_exponent),
      field("cost_ln_sd", &F::cost_ln_sd).at_least(0).omitted_when([](const F& f) {
        return !f.cost_ln_sd;
      }),
      field("seen", &F::seen).at_least(kPositive).omitted_when([](const F& f) {
        return f.seen.empty();
      }),
      field("expected", &F::expected).omitted_when([](const F& f) { return !f.expected; })};
}

constexpr auto fields_of(Of<CountFamily>) {
  using F = CountFamily;
  return std::tuple{field("name", &F::name), field("prior", &F::prior).at_least(0),
                    field("posterior", &F::posterior).at_least(0), field("features", &F::features)};
}

constexpr auto fields_of(Of<TimeLaw::Unseen>) {
  using U = TimeLaw::Unseen;
  return std::tuple{field("unseen_algorithms", &U::algorithms).omitted_when([](const U& u) {
                      return !u.algorithms;
                    }),
                    field("cores_of_only_node", &U::cores_of_only_node)
                        .from_to(0, 1 << 24)
                        .omitted_when([](const U& u) { return u.cores_of_only_node <= 0; })};
}

/// finish_reading() reads `sharing` and `ways`.
constexpr auto fields_of(Of<MemorySplit>) {
  using M = MemorySplit;
  return std::tuple{field("from", &M::from),
                    field("core", &M::core),
                    field("unhidden_s", &M::unhidden),
                    field("transfers_s", &M::transfers),
                    derived<M, Json>("sharing", sharing_to_json),
                    field("only_work", &M::only_work).at_least(0),
                    field("foreseen", &M::is_foreseen),
                    field("prior", &M::prior).at_least(0),
                    field("posterior", &M::posterior).at_least(0),
                    derived<M, Json>("ways", ways_to_json)};
}

/// Without MemorySplit: it is written beside the law.
constexpr auto fields_of(Of<TimeLaw>) {
  using L = TimeLaw;
  return std::tuple{
      field("kind", &L::kind),
      field("size_rule", &L::size_rule),
      field("linear_exponent", &L::linear_exponent),
      field("linear_exponent_sd", &L::linear_exponent_sd)
          .at_least(0)
          .omitted_when([](const L& law) { return law.linear_exponent_sd == 0; }),
      field("prior", &L::prior),
      field("plain_weight", &L::plain_weight).from_to(0, 1).omitted_when([](const L& law) {
        return !law.plain_weight;
      }),
      field("points", &L::points),
      field("families", &L::families),
      embedded(&L::unseen),
      field("exact", &L::exact)};
}

void finish_reading(const JsonAt& json, MemorySplit& split);
void finish_reading(const JsonAt& json, const TimeLaw& law);

}  // namespace apmt
