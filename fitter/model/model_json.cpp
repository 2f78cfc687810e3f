// Reads and writes model.json.
#include <array>
#include <tuple>

#include "base/atomic_file.h"
#include "base/json_fields.h"
#include "fitter/laws/law_fields.h"
#include "fitter/model/model.h"
#include "profile/profile_fields.h"

namespace apmt {
namespace {

constexpr std::array kCommParts = {"p2p", "coll", "wait", "other"};

}  // namespace

constexpr auto fields_of(Of<Measured>) {
  return std::tuple{field("value_s", &Measured::value).at_least(0),
                    field("rel_sigma", &Measured::rel_sigma).at_least(0),
                    field("rel_sampling", &Measured::rel_sampling).at_least(0),
                    field("repetitions", &Measured::repetitions).at_least(1)};
}

/// Without closure_s, which is written beside the parts.
constexpr auto fields_of(Of<MeasuredParts>) {
  using P = MeasuredParts;
  return std::tuple{field("comp_s", &P::comp_s),
                    field("comm_p2p_s", &P::comm_p2p_s),
                    field("comm_coll_s", &P::comm_coll_s),
                    field("comm_wait_s", &P::comm_wait_s),
                    field("comm_other_s", &P::comm_other_s),
                    field("off_cpu_s", &P::off_cpu_s),
                    field("start_s", &P::start_s),
                    field("end_s", &P::end_s)};
}

constexpr auto fields_of(Of<SlowestRank>) {
  using S = SlowestRank;
  return std::tuple{field("rank", &S::rank).at_least(0),
                    field("beyond_mean_s", &S::beyond_mean_s).at_least(0),
                    field("kernel", &S::kernel), field("in_kernel_s", &S::in_kernel_s).at_least(0)};
}

constexpr auto fields_of(Of<LongestWait>) {
  using W = LongestWait;
  return std::tuple{field("op", &W::op), field("caller", &W::caller),
                    field("wait_s", &W::wait_s).at_least(0), field("share", &W::share).at_least(0)};
}

constexpr auto fields_of(Of<CostliestCall>) {
  using C = CostliestCall;
  return std::tuple{field("op", &C::op), field("caller", &C::caller),
                    field("time_s", &C::time_s).at_least(0), field("share", &C::share).at_least(0)};
}

constexpr auto fields_of(Of<ModelPoint>) {
  using P = ModelPoint;
  return std::tuple{field("procs", &P::procs).at_least(1),
                    field("params", &P::params),
                    field("work", &P::work).at_least(0),
                    field("oversubscribed", &P::oversubscribed),
                    field("repetitions", &P::repetitions).at_least(1),
                    field("simulated_runs", &P::simulated_runs).at_least(0),
                    field("elapsed_s", &P::elapsed_s).at_least(0),
                    field("rel_sigma", &P::rel_sigma).at_least(0),
                    field("known_s", &P::known_s).at_least(0),
                    field("complete", &P::complete),
                    field("fitted_s", &P::fitted_s).at_least(0),
                    field("coverage", &P::coverage).at_least(0),
                    field("load_balance", &P::load_balance).at_least(0),
                    field("busy_cores", &P::busy_cores).at_least(1),
                    field("slowest", &P::slowest),
                    field("longest_wait", &P::longest_wait),
                    field("costliest_other_call", &P::costliest_other_call),
                    field("wait_chain", &P::wait_chain).at_least(0),
                    derived<P>("closure_s", [](const P& p) { return p.parts.closure_s; }),
                    field("parts", &P::parts)};
}

constexpr auto fields_of(Of<MetricModel>) {
  using M = MetricModel;
  return std::tuple{
      field("metric", &M::metric), field("provenance", &M::provenance), field("points", &M::points),
      field("law", &M::law),
      field("ahead", &M::ahead).omitted_when([](const M& m) { return m.ahead.empty(); })};
}

constexpr auto fields_of(Of<CostEstimate>) {
  return std::tuple{field("value", &CostEstimate::value).at_least(0),
                    field("ln_sd", &CostEstimate::ln_sd)};
}

constexpr auto fields_of(Of<KernelCostEstimates>) {
  using C = KernelCostEstimates;
  return std::tuple{field("form", &C::form),
                    field("form_probability", &C::form_probability).at_least(0),
                    field("core_s", &C::core_s), field("memory", &C::memory)};
}

constexpr auto fields_of(Of<SharedCostEstimates>) {
  return std::tuple{field("latency", &SharedCostEstimates::latency),
                    field("transfer", &SharedCostEstimates::transfer)};
}

constexpr auto fields_of(Of<CpiRefinement>) {
  using R = CpiRefinement;
  return std::tuple{
      field("from", &R::from),           field("frequency_hz", &R::frequency_hz).at_least(0),
      field("cpi_core", &R::cpi_core),   field("cpi_core_se", &R::cpi_core_se).at_least(0),
      field("blocked_s", &R::blocked_s), field("blocked_s_se", &R::blocked_s_se).at_least(0),
      field("bf_mem", &R::bf_mem),       field("bf_mem_se", &R::bf_mem_se),
      field("r_squared", &R::r_squared), field("cpi_before", &R::cpi_before),
      field("bf_before", &R::bf_before)};
}

constexpr auto fields_of(Of<OwnCalls::Share>) {
  using S = OwnCalls::Share;
  return std::tuple{field("part", &S::part), field("group", &S::group),
                    field("share", &S::share).at_least(0)};
}

constexpr auto fields_of(Of<OwnCalls>) {
  using C = OwnCalls;
  return std::tuple{field("shares", &C::shares), field("transfer_points", &C::transfer_points),
                    field("wait_points", &C::wait_points)};
}

constexpr auto fields_of(Of<KernelModel>) {
  using K = KernelModel;
  return std::tuple{
      embedded(&K::id),
      field("name", &K::name),
      field("role", &K::role),
      field("functions", &K::functions).at_least(0),
      field("max_share", &K::max_share).at_least(0),
      field("points", &K::points),
      field("law", &K::law),
      field("metrics", &K::metrics),
      derived<K, Json>("split", [](const K& k) { return struct_to_json(k.law.split); }),
      field("costs", &K::costs),
      field("refined", &K::refined),
      field("own_calls", &K::calls).null_when([](const K& k) { return !k.calls.any(); })};
}

constexpr auto fields_of(Of<CommModel>) {
  using C = CommModel;
  return std::tuple{field("part", &C::part).one_of(kCommParts), field("group", &C::group),
                    field("ops", &C::ops), field("points", &C::points), field("law", &C::law)};
}

constexpr auto fields_of(Of<CountModel>) {
  using C = CountModel;
  return std::tuple{field("op", &C::op),
                    field("op_class", &C::op_class),
                    field("calls_points", &C::calls_points),
                    field("bytes_points", &C::bytes_points),
                    field("calls", &C::calls),
                    field("bytes", &C::bytes)};
}

constexpr auto fields_of(Of<PartModel>) {
  return std::tuple{field("points", &PartModel::points), field("law", &PartModel::law)};
}

constexpr auto fields_of(Of<Baseline>) {
  return std::tuple{field("name", &Baseline::name), field("formula", &Baseline::formula),
                    field("coefficients", &Baseline::coefficients)};
}

constexpr auto fields_of(Of<PaperForm>) {
  using F = PaperForm;
  return std::tuple{field("of", &F::of), field("formula", &F::formula),
                    field("r_squared", &F::r_squared), field("note", &F::note)};
}

constexpr auto fields_of(Of<FitSummary>) {
  using S = FitSummary;
  return std::tuple{field("functions", &S::functions).at_least(0),
                    field("critical_kernels", &S::critical_kernels).at_least(0),
                    field("non_scalable_kernels", &S::non_scalable_kernels).at_least(0),
                    field("min_coverage", &S::min_coverage).at_least(0),
                    field("exact_count_laws", &S::exact_count_laws).at_least(0),
                    field("count_laws", &S::count_laws).at_least(0)};
}

constexpr auto fields_of(Of<Backtest>) {
  using T = Backtest;
  constexpr auto kIsNot = [](const T& t) { return !t.possible; };
  return std::tuple{field("possible", &T::possible),
                    field("note", &T::note),
                    field("procs", &T::procs).at_least(0),
                    field("from_procs", &T::from_procs).at_least(1),
                    field("baseline_errors", &T::baseline_errors),
                    field("measured_s", &T::measured_s).at_least(0).null_when(kIsNot),
                    field("time_s", &T::time_s).at_least(0).null_when(kIsNot),
                    field("low_s", &T::low_s).at_least(0).null_when(kIsNot),
                    field("high_s", &T::high_s).at_least(0).null_when(kIsNot),
                    field("error", &T::error).null_when(kIsNot),
                    field("covered", &T::covered).null_when(kIsNot)};
}

constexpr auto fields_of(Of<Model>) {
  using M = Model;
  return std::tuple{field("program", &M::program),
                    field("grade", &M::grade),
                    field("scaling", &M::scaling),
                    field("method", &M::method),
                    field("paper_forms", &M::paper_forms),
                    field("virtual", &M::is_virtual),
                    field("threshold", &M::threshold).at_least(0),
                    field("work", &M::work),
                    field("param_names", &M::param_names),
                    field("cores_per_node", &M::cores_per_node).at_least(0),
                    field("max_nodes", &M::max_nodes).at_least(1),
                    field("frequency_hz", &M::frequency_hz),
                    field("memory_costs", &M::memory_costs),
                    field("shared_costs", &M::shared_costs),
                    field("points", &M::points),
                    field("kernels", &M::kernels),
                    field("comm", &M::comm),
                    field("counts", &M::counts),
                    field("off_cpu", &M::off_cpu),
                    field("start", &M::start),
                    field("end", &M::end),
                    field("baselines", &M::baselines),
                    field("backtest", &M::backtest),
                    field("summary", &M::summary),
                    field("warnings", &M::warnings)};
}

void finish_reading(const JsonAt& json, ModelPoint& point) {
  point.parts.closure_s = json.at("closure_s").number();
}

void finish_reading(const JsonAt& json, KernelModel& kernel) {
  if (const auto split = json.find("split"))
    kernel.law.split = checked_struct_from<MemorySplit>(*split);
}

void finish_reading(const JsonAt& json, const Baseline& baseline) {
  const std::size_t expected = baseline.name == "empirical" ? 4 : 2;
  if (baseline.coefficients.size() != expected)
    json.at("coefficients").fail(std::to_string(expected) + " numbers");
}

void finish_reading(const JsonAt& json, const Model& model) {
  for (const CommModel& c : model.comm)
    if (c.points.size() != model.comm_points(c.part).size())
      json.at("comm").fail("the same points in all entries of a part");
  if (model.points.empty()) json.at("points").fail("at least one profiled point");
}

Json to_json(const Backtest& test) { return struct_to_json(test); }

Json to_json(const Model& model) {
  Json json = struct_to_json(model);
  json["format"] = Model::kFormat;
  json["format_version"] = std::to_string(Model::kMajor) + ".0";
  return json;
}

Model model_from_json(const Json& json, const std::string& file) {
  return checked_struct_from<Model>(JsonAt(json, file));
}

Model read_model(const std::filesystem::path& path) {
  return model_from_json(read_json_file(path, Model::kFormat, Model::kMajor), path.string());
}

void write_model(const Model& model, const std::filesystem::path& path) {
  write_file_atomically(path, format_json(to_json(model)));
}

}  // namespace apmt
