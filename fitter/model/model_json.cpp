#include "base/atomic_file.h"
#include "fitter/model/backtest_json.h"
#include "fitter/model/model.h"

namespace apmt {
namespace {

template <typename T>
Json list(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(to_json(value));
  return json;
}

std::vector<FitPoint> fit_points_from(const JsonAt& json) {
  std::vector<FitPoint> points;
  json.for_each([&](const JsonAt& p) { points.push_back(fit_point_from(p)); });
  return points;
}

std::vector<std::string> strings_from(const JsonAt& json) {
  std::vector<std::string> strings;
  json.for_each([&](const JsonAt& s) { strings.push_back(s.string()); });
  return strings;
}

std::map<std::string, double> numbers_from(const JsonAt& json) {
  std::map<std::string, double> numbers;
  json.for_each_member([&](const std::string& k, const JsonAt& v) { numbers[k] = v.number(); });
  return numbers;
}

int int_from(const JsonAt& json, std::int64_t low = 0) {
  return static_cast<int>(json.integer_in(low, 2147483647));
}

Json law_or_null(const std::optional<TimeLaw>& law) { return law ? to_json(*law) : Json(); }

std::optional<TimeLaw> optional_law(const JsonAt& json, const char* key) {
  const auto law = json.find(key);
  return law ? std::optional<TimeLaw>(time_law_from(*law)) : std::nullopt;
}

// ---- Measured values ----------------------------------------------------------------------------

Json measured_to_json(const std::optional<Measured>& m) {
  if (!m) return {};
  return {{"value_s", m->value},
          {"rel_sigma", m->rel_sigma},
          {"rel_sampling", m->rel_sampling},
          {"repetitions", m->repetitions}};
}

std::optional<Measured> measured_from(const JsonAt& json, const char* key) {
  const auto m = json.find(key);
  if (!m) return std::nullopt;
  return Measured{m->at("value_s").non_negative(), m->at("rel_sigma").non_negative(),
                  m->at("rel_sampling").non_negative(), int_from(m->at("repetitions"), 1)};
}

Json slowest_to_json(const SlowestRank& s) {
  return {{"rank", s.rank},
          {"beyond_mean_s", s.beyond_mean_s},
          {"kernel", s.kernel},
          {"in_kernel_s", s.in_kernel_s}};
}

SlowestRank slowest_from(const JsonAt& json) {
  return {int_from(json.at("rank"), 0), json.at("beyond_mean_s").non_negative(),
          json.at("kernel").string(), json.at("in_kernel_s").non_negative()};
}

Json longest_wait_to_json(const LongestWait& w) {
  return {{"op", w.op}, {"caller", w.caller}, {"wait_s", w.wait_s}, {"share", w.share}};
}

LongestWait longest_wait_from(const JsonAt& json) {
  return {json.at("op").string(), json.at("caller").string(), json.at("wait_s").non_negative(),
          json.at("share").non_negative()};
}

Json point_to_json(const ModelPoint& p) {
  return {{"procs", p.procs},
          {"params", p.params},
          {"work", p.work},
          {"oversubscribed", p.oversubscribed},
          {"repetitions", p.repetitions},
          {"simulated_runs", p.simulated_runs},
          {"elapsed_s", p.elapsed_s},
          {"rel_sigma", p.rel_sigma},
          {"known_s", p.known_s},
          {"complete", p.complete},
          {"fitted_s", p.fitted_s},
          {"coverage", p.coverage},
          {"load_balance", p.load_balance},
          {"busy_cores", p.busy_cores},
          {"slowest", p.slowest ? slowest_to_json(*p.slowest) : Json()},
          {"longest_wait", p.longest_wait ? longest_wait_to_json(*p.longest_wait) : Json()},
          {"closure_s", p.parts.closure_s},
          {"parts",
           {{"comp_s", measured_to_json(p.parts.comp_s)},
            {"comm_p2p_s", measured_to_json(p.parts.comm_p2p_s)},
            {"comm_coll_s", measured_to_json(p.parts.comm_coll_s)},
            {"comm_wait_s", measured_to_json(p.parts.comm_wait_s)},
            {"comm_other_s", measured_to_json(p.parts.comm_other_s)},
            {"off_cpu_s", measured_to_json(p.parts.off_cpu_s)},
            {"start_s", measured_to_json(p.parts.start_s)},
            {"end_s", measured_to_json(p.parts.end_s)}}}};
}

ModelPoint point_from(const JsonAt& json) {
  ModelPoint p;
  p.procs = int_from(json.at("procs"), 1);
  p.params = numbers_from(json.at("params"));
  p.work = json.at("work").non_negative();
  p.oversubscribed = json.at("oversubscribed").boolean();
  p.repetitions = int_from(json.at("repetitions"), 1);
  if (const auto simulated = json.find("simulated_runs"))
    p.simulated_runs = int_from(*simulated, 0);
  p.elapsed_s = json.at("elapsed_s").non_negative();
  p.rel_sigma = json.at("rel_sigma").non_negative();
  p.known_s = json.at("known_s").non_negative();
  p.complete = json.at("complete").boolean();
  p.fitted_s = json.at("fitted_s").non_negative();
  p.coverage = json.at("coverage").non_negative();
  p.load_balance = json.at("load_balance").non_negative();
  if (const auto cores = json.find("busy_cores")) p.busy_cores = int_from(*cores, 1);
  if (const auto slowest = json.find("slowest")) p.slowest = slowest_from(*slowest);
  if (const auto wait = json.find("longest_wait")) p.longest_wait = longest_wait_from(*wait);
  const JsonAt parts = json.at("parts");
  p.parts.closure_s = json.at("closure_s").number();
  p.parts.comp_s = measured_from(parts, "comp_s");
  p.parts.comm_p2p_s = measured_from(parts, "comm_p2p_s");
  p.parts.comm_coll_s = measured_from(parts, "comm_coll_s");
  p.parts.comm_wait_s = measured_from(parts, "comm_wait_s");
  p.parts.comm_other_s = measured_from(parts, "comm_other_s");
  p.parts.off_cpu_s = measured_from(parts, "off_cpu_s");
  p.parts.start_s = measured_from(parts, "start_s");
  p.parts.end_s = measured_from(parts, "end_s");
  return p;
}

// ---- Laws of the parts --------------------------------------------------------------------------

Json metrics_to_json(const std::vector<MetricModel>& metrics) {
  Json json = Json::array();
  for (const MetricModel& m : metrics) {
    json.push_back({{"metric", m.metric},
                    {"provenance", to_string(m.provenance)},
                    {"points", list(m.points)},
                    {"law", to_json(m.law)}});
    if (!m.ahead.empty()) json.back()["ahead"] = list(m.ahead);
  }
  return json;
}

MetricModel metric_from(const JsonAt& json) {
  MetricModel m{json.at("metric").string(), provenance_from(json.at("provenance")),
                fit_points_from(json.at("points")), count_law_from(json.at("law"))};
  if (const auto ahead = json.find("ahead")) m.ahead = fit_points_from(*ahead);
  return m;
}

Json refined_to_json(const std::optional<CpiRefinement>& r) {
  if (!r) return {};
  return {{"from", r->from},
          {"frequency_hz", r->frequency_hz},
          {"cpi_core", r->cpi_core},
          {"cpi_core_se", r->cpi_core_se},
          {"blocked_s", r->blocked_s},
          {"blocked_s_se", r->blocked_s_se},
          {"bf_mem", json_or_null(r->bf_mem)},
          {"bf_mem_se", json_or_null(r->bf_mem_se)},
          {"r_squared", r->r_squared},
          {"cpi_before", json_or_null(r->cpi_before)},
          {"bf_before", json_or_null(r->bf_before)}};
}

CpiRefinement refined_from(const JsonAt& json) {
  CpiRefinement r;
  r.from = json.at("from").string();
  r.frequency_hz = json.at("frequency_hz").non_negative();
  r.cpi_core = json.at("cpi_core").number();
  r.cpi_core_se = json.at("cpi_core_se").non_negative();
  r.blocked_s = json.at("blocked_s").number();
  r.blocked_s_se = json.at("blocked_s_se").non_negative();
  r.bf_mem = json.number_or_null("bf_mem");
  r.bf_mem_se = json.number_or_null("bf_mem_se");
  r.r_squared = json.at("r_squared").number();
  r.cpi_before = json.number_or_null("cpi_before");
  r.bf_before = json.number_or_null("bf_before");
  return r;
}

Json own_calls_to_json(const OwnCalls& c) {
  Json shares = Json::array();
  for (const OwnCalls::Share& s : c.shares)
    shares.push_back({{"part", s.part}, {"group", s.group}, {"share", s.share}});
  return {{"shares", std::move(shares)},
          {"transfer_points", list(c.transfer_points)},
          {"wait_points", list(c.wait_points)}};
}

OwnCalls own_calls_from(const JsonAt& json) {
  OwnCalls c;
  if (const auto shares = json.find("shares"))
    shares->for_each([&](const JsonAt& s) {
      c.shares.push_back(
          {s.at("part").string(), s.at("group").string(), s.at("share").non_negative()});
    });
  else  // files of older versions have one share for each part
    for (const char* part : {"p2p", "coll", "other", "wait"})
      if (const double share = json.at(part).non_negative(); share > 0)
        c.shares.push_back({part, {}, share});
  c.transfer_points = fit_points_from(json.at("transfer_points"));
  c.wait_points = fit_points_from(json.at("wait_points"));
  return c;
}

Json kernel_to_json(const KernelModel& k) {
  return {{"object", k.id.object},
          {"linkage_name", k.id.linkage_name},
          {"source", k.id.source},
          {"name", k.name},
          {"role", to_string(k.role)},
          {"functions", k.functions},
          {"max_share", k.max_share},
          {"points", list(k.points)},
          {"law", to_json(k.law)},
          {"metrics", metrics_to_json(k.metrics)},
          {"split", k.law.split ? to_json(*k.law.split) : Json()},
          {"costs", k.costs ? to_json(*k.costs) : Json()},
          {"refined", refined_to_json(k.refined)},
          {"own_calls", k.calls.any() ? own_calls_to_json(k.calls) : Json()}};
}

KernelRole role_from(const JsonAt& json) {
  const std::string text = json.string();
  for (const KernelRole role : {KernelRole::kCritical, KernelRole::kNonScalable, KernelRole::kRest})
    if (text == to_string(role)) return role;
  json.fail("'critical', 'non-scalable' or 'rest'");
}

KernelModel kernel_from(const JsonAt& json) {
  KernelModel k;
  k.id = {json.at("object").string(), json.at("linkage_name").string(), json.at("source").string()};
  k.name = json.at("name").string();
  k.role = role_from(json.at("role"));
  k.functions = int_from(json.at("functions"));
  k.max_share = json.at("max_share").non_negative();
  k.points = fit_points_from(json.at("points"));
  k.law = time_law_from(json.at("law"));
  json.at("metrics").for_each([&](const JsonAt& m) { k.metrics.push_back(metric_from(m)); });
  if (const auto split = json.find("split")) k.law.split = memory_split_from(*split);
  if (const auto costs = json.find("costs")) k.costs = kernel_cost_estimates_from(*costs);
  if (const auto refined = json.find("refined")) k.refined = refined_from(*refined);
  if (const auto calls = json.find("own_calls")) k.calls = own_calls_from(*calls);
  return k;
}

Json comm_to_json(const CommModel& c) {
  return {{"part", c.part}, {"group", c.group},         {"method", c.method},
          {"ops", c.ops},   {"points", list(c.points)}, {"law", law_or_null(c.law)}};
}

CommModel comm_from(const JsonAt& json) {
  CommModel c;
  c.part = json.at("part").string();
  if (c.part != "p2p" && c.part != "coll" && c.part != "wait" && c.part != "other")
    json.at("part").fail("'p2p', 'coll', 'wait' or 'other'");
  if (const auto group = json.find("group")) c.group = group->string();
  c.method = json.at("method").string();
  c.ops = strings_from(json.at("ops"));
  c.points = fit_points_from(json.at("points"));
  c.law = optional_law(json, "law");
  return c;
}

Json count_to_json(const CountModel& c) {
  return {{"op", c.op},
          {"op_class", c.op_class},
          {"calls_points", list(c.calls_points)},
          {"bytes_points", list(c.bytes_points)},
          {"calls", to_json(c.calls)},
          {"bytes", to_json(c.bytes)}};
}

CountModel count_from(const JsonAt& json) {
  CountModel c;
  c.op = json.at("op").string();
  c.op_class = json.at("op_class").string();
  c.calls_points = fit_points_from(json.at("calls_points"));
  c.bytes_points = fit_points_from(json.at("bytes_points"));
  c.calls = count_law_from(json.at("calls"));
  c.bytes = count_law_from(json.at("bytes"));
  return c;
}

Json part_to_json(const PartModel& p) {
  return {{"points", list(p.points)}, {"law", law_or_null(p.law)}};
}

PartModel part_from(const JsonAt& json) {
  return {fit_points_from(json.at("points")), optional_law(json, "law")};
}

Json baseline_to_json(const Baseline& b) {
  return {{"name", b.name}, {"formula", b.formula}, {"coefficients", b.coefficients}};
}

Baseline baseline_from(const JsonAt& json) {
  Baseline b{json.at("name").string(), json.at("formula").string(), {}};
  json.at("coefficients").for_each([&](const JsonAt& c) { b.coefficients.push_back(c.number()); });
  const std::size_t expected = b.name == "empirical" ? 4 : 2;
  if (b.coefficients.size() != expected)
    json.at("coefficients").fail(std::to_string(expected) + " numbers");
  return b;
}

Json paper_forms_to_json(const std::vector<PaperForm>& forms) {
  Json json = Json::array();
  for (const PaperForm& f : forms)
    json.push_back(
        {{"of", f.of}, {"formula", f.formula}, {"r_squared", f.r_squared}, {"note", f.note}});
  return json;
}

PaperForm paper_form_from(const JsonAt& json) {
  return {json.at("of").string(), json.at("formula").string(), json.at("r_squared").number(),
          json.at("note").string()};
}

Json summary_to_json(const FitSummary& s) {
  return {{"usable", s.usable},
          {"message", s.message},
          {"functions", s.functions},
          {"critical_kernels", s.critical_kernels},
          {"non_scalable_kernels", s.non_scalable_kernels},
          {"min_coverage", s.min_coverage},
          {"max_closure", s.max_closure},
          {"exact_count_laws", s.exact_count_laws},
          {"count_laws", s.count_laws}};
}

FitSummary summary_from(const JsonAt& json) {
  FitSummary s;
  s.usable = json.at("usable").boolean();
  s.message = json.at("message").string();
  s.functions = int_from(json.at("functions"));
  s.critical_kernels = int_from(json.at("critical_kernels"));
  s.non_scalable_kernels = int_from(json.at("non_scalable_kernels"));
  s.min_coverage = json.at("min_coverage").non_negative();
  s.max_closure = json.at("max_closure").non_negative();
  s.exact_count_laws = int_from(json.at("exact_count_laws"));
  s.count_laws = int_from(json.at("count_laws"));
  return s;
}

Scaling scaling_from(const JsonAt& json) {
  const std::string text = json.string();
  for (const Scaling s : {Scaling::kSinglePoint, Scaling::kStrong, Scaling::kWeak, Scaling::kMixed})
    if (text == to_string(s)) return s;
  json.fail("'strong', 'weak', 'mixed' or 'single point'");
}

}  // namespace

Json to_json(const Backtest& t) {
  return {{"possible", t.possible},
          {"note", t.note},
          {"procs", t.procs},
          {"from_procs", t.from_procs},
          {"measured_s", t.possible ? Json(t.measured_s) : Json()},
          {"time_s", t.possible ? Json(t.time_s) : Json()},
          {"low_s", t.possible ? Json(t.low_s) : Json()},
          {"high_s", t.possible ? Json(t.high_s) : Json()},
          {"error", t.possible ? Json(t.error) : Json()},
          {"covered", t.possible ? Json(t.covered) : Json()},
          {"baseline_errors", t.baseline_errors}};
}

Backtest backtest_from(const JsonAt& json) {
  Backtest t;
  t.possible = json.at("possible").boolean();
  t.note = json.at("note").string();
  t.procs = int_from(json.at("procs"));
  json.at("from_procs").for_each([&](const JsonAt& p) { t.from_procs.push_back(int_from(p, 1)); });
  t.baseline_errors = numbers_from(json.at("baseline_errors"));
  if (!t.possible) return t;
  t.measured_s = json.at("measured_s").non_negative();
  t.time_s = json.at("time_s").non_negative();
  t.low_s = json.at("low_s").non_negative();
  t.high_s = json.at("high_s").non_negative();
  t.error = json.at("error").number();
  t.covered = json.at("covered").boolean();
  return t;
}

Json to_json(const Model& m) {
  Json points = Json::array();
  for (const ModelPoint& p : m.points) points.push_back(point_to_json(p));
  Json kernels = Json::array();
  for (const KernelModel& k : m.kernels) kernels.push_back(kernel_to_json(k));
  Json comm = Json::array();
  for (const CommModel& c : m.comm) comm.push_back(comm_to_json(c));
  Json counts = Json::array();
  for (const CountModel& c : m.counts) counts.push_back(count_to_json(c));
  Json baselines = Json::array();
  for (const Baseline& b : m.baselines) baselines.push_back(baseline_to_json(b));
  return {{"format", Model::kFormat},
          {"format_version", std::to_string(Model::kMajor) + ".0"},
          {"program", m.program},
          {"grade", to_string(m.grade)},
          {"scaling", to_string(m.scaling)},
          {"method", m.method},
          {"paper_forms", paper_forms_to_json(m.paper_forms)},
          {"virtual", m.is_virtual},
          {"threshold", m.threshold},
          {"work", m.work},
          {"param_names", m.param_names},
          {"cores_per_node", m.cores_per_node},
          {"max_nodes", m.max_nodes},
          {"frequency_hz", json_or_null(m.frequency_hz)},
          {"memory_costs", m.memory_costs},
          {"shared_costs", m.shared_costs ? to_json(*m.shared_costs) : Json()},
          {"points", std::move(points)},
          {"kernels", std::move(kernels)},
          {"comm", std::move(comm)},
          {"counts", std::move(counts)},
          {"off_cpu", part_to_json(m.off_cpu)},
          {"start", part_to_json(m.start)},
          {"end", part_to_json(m.end)},
          {"baselines", std::move(baselines)},
          {"backtest", to_json(m.backtest)},
          {"summary", summary_to_json(m.summary)},
          {"warnings", m.warnings}};
}

Model model_from_json(const Json& document, const std::string& file) {
  const JsonAt json(document, file);
  Model m;
  m.program = json.at("program").string();
  m.grade = grade_from(json.at("grade"));
  m.scaling = scaling_from(json.at("scaling"));
  if (const auto method = json.find("method")) m.method = method->string();
  if (const auto forms = json.find("paper_forms"))
    forms->for_each([&](const JsonAt& f) { m.paper_forms.push_back(paper_form_from(f)); });
  m.is_virtual = json.at("virtual").boolean();
  m.threshold = json.at("threshold").non_negative();
  m.work = json.at("work").string();
  m.param_names = strings_from(json.at("param_names"));
  m.cores_per_node = int_from(json.at("cores_per_node"));
  m.max_nodes = int_from(json.at("max_nodes"), 1);
  m.frequency_hz = json.number_or_null("frequency_hz");
  if (const auto costs = json.find("memory_costs")) m.memory_costs = costs->string();
  if (const auto costs = json.find("shared_costs"))
    m.shared_costs = shared_cost_estimates_from(*costs);
  json.at("points").for_each([&](const JsonAt& p) { m.points.push_back(point_from(p)); });
  json.at("kernels").for_each([&](const JsonAt& k) { m.kernels.push_back(kernel_from(k)); });
  json.at("comm").for_each([&](const JsonAt& c) { m.comm.push_back(comm_from(c)); });
  for (const CommModel& c : m.comm)
    if (c.points.size() != m.comm_points(c.part).size())
      json.at("comm").fail("the same points in all entries of a part");
  json.at("counts").for_each([&](const JsonAt& c) { m.counts.push_back(count_from(c)); });
  m.off_cpu = part_from(json.at("off_cpu"));
  m.start = part_from(json.at("start"));
  m.end = part_from(json.at("end"));
  json.at("baselines").for_each([&](const JsonAt& b) { m.baselines.push_back(baseline_from(b)); });
  m.backtest = backtest_from(json.at("backtest"));
  m.summary = summary_from(json.at("summary"));
  m.warnings = strings_from(json.at("warnings"));
  if (m.points.empty()) json.at("points").fail("at least one profiled point");
  return m;
}

Model read_model(const std::filesystem::path& path) {
  return model_from_json(read_json_file(path, Model::kFormat, Model::kMajor), path.string());
}

void write_model(const Model& model, const std::filesystem::path& path) {
  write_file_atomically(path, format_json(to_json(model)));
}

}  // namespace apmt
