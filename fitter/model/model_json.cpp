// Reads and writes model.json. For each struct, a function members() names its members once, for
// the Writer and for the Reader.
#include <initializer_list>
#include <limits>
#include <type_traits>

#include "base/atomic_file.h"
#include "base/json_fields.h"
#include "fitter/model/model.h"
#include "fitter/model/model_parts.h"

namespace apmt {
namespace {

constexpr double kAnySign = -1;  // the least value of a member that may be negative

template <typename T, typename Of>
concept Like = std::is_same_v<std::remove_const_t<T>, Of>;

/// Writes members into an object; see Reader.
struct Writer {
  static constexpr bool kReads = false;
  Json json = Json::object();

  template <typename T>
  void operator()(const char* key, const T& value, double /*least*/ = 0) {
    json[key] = of(value);
  }
  template <typename T>
  void maybe(const char* key, const T& value, double /*least*/ = 0) {
    json[key] = of(value);
  }
  void none(const char* key) { json[key] = nullptr; }

  template <typename T>
  static Json of(const T& value) {
    if constexpr (requires { to_json(value); }) {
      return to_json(value);
    } else if constexpr (std::is_enum_v<T>) {
      return to_string(value);
    } else if constexpr (by_table::kOptional<T>) {
      return value ? of(*value) : Json();
    } else if constexpr (by_table::kVector<T>) {
      Json list = Json::array();
      for (const auto& element : value) list.push_back(of(element));
      return list;
    } else if constexpr (requires(Writer writer) { members(writer, value); }) {
      return object(value);
    } else {
      return value;
    }
  }
  template <typename T>
  static Json object(const T& value) {
    Writer writer;
    members(writer, value);
    return std::move(writer.json);
  }
};

// ---- Reading ------------------------------------------------------------------------------------

/// The value whose name is in the file. `expected` lists the names for the error message.
template <typename Enum>
Enum named(const JsonAt& json, std::initializer_list<Enum> values, const char* expected) {
  const std::string name = json.string();
  for (const Enum value : values)
    if (name == to_string(value)) return value;
  json.fail(expected);
}

void read_own(const JsonAt& json, FitPoint& point) { point = fit_point_from(json); }
void read_own(const JsonAt& json, CountLaw& law) { law = count_law_from(json); }
void read_own(const JsonAt& json, TimeLaw& law) { law = time_law_from(json); }
void read_own(const JsonAt& json, MemorySplit& split) { split = memory_split_from(json); }
void read_own(const JsonAt& json, Grade& grade) { grade = grade_from(json); }
void read_own(const JsonAt& json, Provenance& source) { source = provenance_from(json); }
void read_own(const JsonAt& json, Scaling& scaling) {
  scaling = named(json, {Scaling::kSinglePoint, Scaling::kStrong, Scaling::kWeak, Scaling::kMixed},
                  "'strong', 'weak', 'mixed' or 'single point'");
}
void read_own(const JsonAt& json, KernelRole& role) {
  role = named(json, {KernelRole::kCritical, KernelRole::kNonScalable, KernelRole::kRest},
               "'critical', 'non-scalable' or 'rest'");
}
void read_own(const JsonAt& json, MemoryForm& form) {
  form = named(json, {MemoryForm::kWaits, MemoryForm::kLate, MemoryForm::kStreams},
               "'waits', 'late' or 'streams'");
}

// What else reading a struct does.

template <typename T>
void finish(const JsonAt&, T&) {}

void finish(const JsonAt& json, OwnCalls& calls) {
  if (json.find("shares")) return;
  // Files of older versions have one share for each part.
  for (const char* part : {"p2p", "coll", "other", "wait"})
    if (const double share = json.at(part).non_negative(); share > 0)
      calls.shares.push_back({part, {}, share});
}

void finish(const JsonAt& json, CommModel& comm) {
  if (comm.part != "p2p" && comm.part != "coll" && comm.part != "wait" && comm.part != "other")
    json.at("part").fail("'p2p', 'coll', 'wait' or 'other'");
}

void finish(const JsonAt& json, Baseline& baseline) {
  const std::size_t expected = baseline.name == "empirical" ? 4 : 2;
  if (baseline.coefficients.size() != expected)
    json.at("coefficients").fail(std::to_string(expected) + " numbers");
}

void finish(const JsonAt& json, Model& model) {
  for (const CommModel& c : model.comm)
    if (c.points.size() != model.comm_points(c.part).size())
      json.at("comm").fail("the same points in all entries of a part");
  if (model.points.empty()) json.at("points").fail("at least one profiled point");
}

/// Reads members from an object. Numbers must be at least `least`.
struct Reader {
  static constexpr bool kReads = true;
  const JsonAt& json;

  template <typename T>
  void operator()(const char* key, T& value, double least = 0) {
    if constexpr (by_table::kOptional<T>) {
      if (const auto found = json.find(key)) read(*found, value.emplace(), least);
    } else {
      read(json.at(key), value, least);
    }
  }
  /// A member that may be null, and that files of older versions may lack.
  template <typename T>
  void maybe(const char* key, T& value, double least = 0) {
    if (const auto found = json.find(key)) read(*found, value, least);
  }
  void none(const char* /*key*/) {}

  template <typename T>
  static void read(const JsonAt& json, T& value, double least = 0) {
    if constexpr (std::is_same_v<T, std::string>) {
      value = json.string();
    } else if constexpr (std::is_same_v<T, bool>) {
      value = json.boolean();
    } else if constexpr (std::is_same_v<T, int>) {
      value = static_cast<int>(
          json.integer_in(static_cast<int>(least), std::numeric_limits<int>::max()));
    } else if constexpr (std::is_same_v<T, double>) {
      value = least < 0 ? json.number() : json.non_negative();
    } else if constexpr (by_table::kMap<T>) {
      json.for_each_member([&](const std::string& k, const JsonAt& v) { value[k] = v.number(); });
    } else if constexpr (by_table::kVector<T>) {
      json.for_each([&](const JsonAt& element) { read(element, value.emplace_back(), least); });
    } else if constexpr (requires { read_own(json, value); }) {
      read_own(json, value);
    } else {
      Reader reader{json};
      members(reader, value);
      finish(json, value);
    }
  }
};

// ---- The members --------------------------------------------------------------------------------

void members(auto& io, Like<Measured> auto& m) {
  io("value_s", m.value);
  io("rel_sigma", m.rel_sigma);
  io("rel_sampling", m.rel_sampling);
  io("repetitions", m.repetitions, 1);
}

void members(auto& io, Like<MeasuredParts> auto& parts) {
  for (const Part part : kParts) io(key(part), parts.*measured_part(part));
}

void members(auto& io, Like<SlowestRank> auto& s) {
  io("rank", s.rank);
  io("beyond_mean_s", s.beyond_mean_s);
  io("kernel", s.kernel);
  io("in_kernel_s", s.in_kernel_s);
}

void members(auto& io, Like<LongestWait> auto& w) {
  io("op", w.op);
  io("caller", w.caller);
  io("wait_s", w.wait_s);
  io("share", w.share);
}

void members(auto& io, Like<ModelPoint> auto& p) {
  io("procs", p.procs, 1);
  io("params", p.params);
  io("work", p.work);
  io("oversubscribed", p.oversubscribed);
  io("repetitions", p.repetitions, 1);
  io.maybe("simulated_runs", p.simulated_runs);
  io("elapsed_s", p.elapsed_s);
  io("rel_sigma", p.rel_sigma);
  io("known_s", p.known_s);
  io("complete", p.complete);
  io("fitted_s", p.fitted_s);
  io("coverage", p.coverage);
  io("load_balance", p.load_balance);
  io.maybe("busy_cores", p.busy_cores, 1);
  io("slowest", p.slowest);
  io("longest_wait", p.longest_wait);
  io("closure_s", p.parts.closure_s, kAnySign);
  io("parts", p.parts);
}

void members(auto& io, Like<MetricModel> auto& m) {
  io("metric", m.metric);
  io("provenance", m.provenance);
  io("points", m.points);
  io("law", m.law);
  if (io.kReads || !m.ahead.empty()) io.maybe("ahead", m.ahead);
}

void members(auto& io, Like<CostEstimate> auto& e) {
  io("value", e.value);
  io("ln_sd", e.ln_sd, kAnySign);
}

void members(auto& io, Like<KernelCostEstimates> auto& costs) {
  io("form", costs.form);
  io("form_probability", costs.form_probability);
  io("core_s", costs.core_s);
  io("memory", costs.memory);
}

void members(auto& io, Like<SharedCostEstimates> auto& costs) {
  io("latency", costs.latency);
  io("transfer", costs.transfer);
}

void members(auto& io, Like<CpiRefinement> auto& r) {
  io("from", r.from);
  io("frequency_hz", r.frequency_hz);
  io("cpi_core", r.cpi_core, kAnySign);
  io("cpi_core_se", r.cpi_core_se);
  io("blocked_s", r.blocked_s, kAnySign);
  io("blocked_s_se", r.blocked_s_se);
  io("bf_mem", r.bf_mem, kAnySign);
  io("bf_mem_se", r.bf_mem_se, kAnySign);
  io("r_squared", r.r_squared, kAnySign);
  io("cpi_before", r.cpi_before, kAnySign);
  io("bf_before", r.bf_before, kAnySign);
}

void members(auto& io, Like<OwnCalls::Share> auto& s) {
  io("part", s.part);
  io("group", s.group);
  io("share", s.share);
}

void members(auto& io, Like<OwnCalls> auto& c) {
  io.maybe("shares", c.shares);
  io("transfer_points", c.transfer_points);
  io("wait_points", c.wait_points);
}

void members(auto& io, Like<KernelModel> auto& k) {
  io("object", k.id.object);
  io("linkage_name", k.id.linkage_name);
  io("source", k.id.source);
  io("name", k.name);
  io("role", k.role);
  io("functions", k.functions);
  io("max_share", k.max_share);
  io("points", k.points);
  io("law", k.law);
  io("metrics", k.metrics);
  io("split", k.law.split);
  io("costs", k.costs);
  io("refined", k.refined);
  if (io.kReads || k.calls.any())
    io.maybe("own_calls", k.calls);
  else
    io.none("own_calls");
}

void members(auto& io, Like<CommModel> auto& c) {
  io("part", c.part);
  io.maybe("group", c.group);
  io("method", c.method);
  io("ops", c.ops);
  io("points", c.points);
  io("law", c.law);
}

void members(auto& io, Like<CountModel> auto& c) {
  io("op", c.op);
  io("op_class", c.op_class);
  io("calls_points", c.calls_points);
  io("bytes_points", c.bytes_points);
  io("calls", c.calls);
  io("bytes", c.bytes);
}

void members(auto& io, Like<PartModel> auto& p) {
  io("points", p.points);
  io("law", p.law);
}

void members(auto& io, Like<Baseline> auto& b) {
  io("name", b.name);
  io("formula", b.formula);
  io("coefficients", b.coefficients, kAnySign);
}

void members(auto& io, Like<PaperForm> auto& f) {
  io("of", f.of);
  io("formula", f.formula);
  io("r_squared", f.r_squared, kAnySign);
  io("note", f.note);
}

void members(auto& io, Like<FitSummary> auto& s) {
  io("usable", s.usable);
  io("message", s.message);
  io("functions", s.functions);
  io("critical_kernels", s.critical_kernels);
  io("non_scalable_kernels", s.non_scalable_kernels);
  io("min_coverage", s.min_coverage);
  io("max_closure", s.max_closure);
  io("exact_count_laws", s.exact_count_laws);
  io("count_laws", s.count_laws);
}

void members(auto& io, Like<Backtest> auto& t) {
  io("possible", t.possible);
  io("note", t.note);
  io("procs", t.procs);
  io("from_procs", t.from_procs, 1);
  io("baseline_errors", t.baseline_errors);
  const auto result = [&](const char* key, auto& value, double least = 0) {
    if (t.possible)
      io(key, value, least);
    else
      io.none(key);
  };
  result("measured_s", t.measured_s);
  result("time_s", t.time_s);
  result("low_s", t.low_s);
  result("high_s", t.high_s);
  result("error", t.error, kAnySign);
  result("covered", t.covered);
}

void members(auto& io, Like<Model> auto& m) {
  io("program", m.program);
  io("grade", m.grade);
  io("scaling", m.scaling);
  io.maybe("method", m.method);
  io.maybe("paper_forms", m.paper_forms);
  io("virtual", m.is_virtual);
  io("threshold", m.threshold);
  io("work", m.work);
  io("param_names", m.param_names);
  io("cores_per_node", m.cores_per_node);
  io("max_nodes", m.max_nodes, 1);
  io("frequency_hz", m.frequency_hz, kAnySign);
  io.maybe("memory_costs", m.memory_costs);
  io("shared_costs", m.shared_costs);
  io("points", m.points);
  io("kernels", m.kernels);
  io("comm", m.comm);
  io("counts", m.counts);
  io("off_cpu", m.off_cpu);
  io("start", m.start);
  io("end", m.end);
  io("baselines", m.baselines);
  io("backtest", m.backtest);
  io("summary", m.summary);
  io("warnings", m.warnings);
}

}  // namespace

Json to_json(const Backtest& test) { return Writer::object(test); }

Json to_json(const Model& model) {
  Json json = Writer::object(model);
  json["format"] = Model::kFormat;
  json["format_version"] = std::to_string(Model::kMajor) + ".0";
  return json;
}

Model model_from_json(const Json& json, const std::string& file) {
  Model model;
  Reader::read(JsonAt(json, file), model);
  return model;
}

Model read_model(const std::filesystem::path& path) {
  return model_from_json(read_json_file(path, Model::kFormat, Model::kMajor), path.string());
}

void write_model(const Model& model, const std::filesystem::path& path) {
  write_file_atomically(path, format_json(to_json(model)));
}

}  // namespace apmt
