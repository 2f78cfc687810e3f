// Reads and writes model.json. For each struct, a function members() lists its members once, for
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

/// A member in the file.
template <typename T>
struct Item {
  const char* key;
  T& value;
  double least;   // of numbers
  bool may_lack;  // files of older versions may lack it, or it may be null
};
template <typename T>
Item<T> item(const char* key, T& value, double least = 0) {
  return {key, value, least, by_table::kOptional<std::remove_const_t<T>>};
}
template <typename T>
Item<T> newer(const char* key, T& value, double least = 0) {
  return {key, value, least, true};
}

template <typename T, typename Of>
concept Like = std::is_same_v<std::remove_const_t<T>, Of>;

/// Writes members into an object.
struct Writer {
  static constexpr bool kReads = false;
  Json json = Json::object();

  void operator()(const auto&... items) { ((json[items.key] = of(items.value)), ...); }
  /// Writes null unless there is something to write.
  void only_if(bool is_there, const auto&... items) {
    ((json[items.key] = is_there ? of(items.value) : Json()), ...);
  }

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

/// Reads members from an object.
struct Reader {
  static constexpr bool kReads = true;
  const JsonAt& json;

  void operator()(const auto&... items) { (read_item(items), ...); }
  void read_item(const auto& item) const {
    const std::optional<JsonAt> found = item.may_lack ? json.find(item.key) : json.at(item.key);
    if (found) read(*found, item.value, item.least);
  }
  void only_if(bool is_there, const auto&... items) {
    if (is_there) (*this)(items...);
  }

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
    } else if constexpr (by_table::kOptional<T>) {
      read(json, value.emplace(), least);
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
  io(item("value_s", m.value), item("rel_sigma", m.rel_sigma), item("rel_sampling", m.rel_sampling),
     item("repetitions", m.repetitions, 1));
}

void members(auto& io, Like<MeasuredParts> auto& parts) {
  for (const Part part : kParts) io(item(key(part), parts.*measured_part(part)));
}

void members(auto& io, Like<SlowestRank> auto& s) {
  io(item("rank", s.rank), item("beyond_mean_s", s.beyond_mean_s), item("kernel", s.kernel),
     item("in_kernel_s", s.in_kernel_s));
}

void members(auto& io, Like<LongestWait> auto& w) {
  io(item("op", w.op), item("caller", w.caller), item("wait_s", w.wait_s), item("share", w.share));
}

void members(auto& io, Like<OtherCall> auto& c) {
  io(item("op", c.op), item("caller", c.caller), item("time_s", c.time_s), item("share", c.share));
}

void members(auto& io, Like<ModelPoint> auto& p) {
  io(item("procs", p.procs, 1), item("params", p.params), item("work", p.work),
     item("oversubscribed", p.oversubscribed), item("repetitions", p.repetitions, 1),
     newer("simulated_runs", p.simulated_runs), item("elapsed_s", p.elapsed_s),
     item("rel_sigma", p.rel_sigma), item("known_s", p.known_s), item("complete", p.complete),
     item("fitted_s", p.fitted_s), item("coverage", p.coverage),
     item("load_balance", p.load_balance), newer("busy_cores", p.busy_cores, 1),
     item("slowest", p.slowest), item("longest_wait", p.longest_wait),
     newer("costliest_other_call", p.costliest_other_call),
     newer("wait_chain", p.wait_chain), item("closure_s", p.parts.closure_s, kAnySign),
     item("parts", p.parts));
}

void members(auto& io, Like<MetricModel> auto& m) {
  io(item("metric", m.metric), item("provenance", m.provenance), item("points", m.points),
     item("law", m.law));
  if (io.kReads || !m.ahead.empty()) io(newer("ahead", m.ahead));
}

void members(auto& io, Like<CostEstimate> auto& e) {
  io(item("value", e.value), item("ln_sd", e.ln_sd, kAnySign));
}

void members(auto& io, Like<KernelCostEstimates> auto& costs) {
  io(item("form", costs.form), item("form_probability", costs.form_probability),
     item("core_s", costs.core_s), item("memory", costs.memory));
}

void members(auto& io, Like<SharedCostEstimates> auto& costs) {
  io(item("latency", costs.latency), item("transfer", costs.transfer));
}

void members(auto& io, Like<CpiRefinement> auto& r) {
  io(item("from", r.from), item("frequency_hz", r.frequency_hz),
     item("cpi_core", r.cpi_core, kAnySign), item("cpi_core_se", r.cpi_core_se),
     item("blocked_s", r.blocked_s, kAnySign), item("blocked_s_se", r.blocked_s_se),
     item("bf_mem", r.bf_mem, kAnySign), item("bf_mem_se", r.bf_mem_se, kAnySign),
     item("r_squared", r.r_squared, kAnySign), item("cpi_before", r.cpi_before, kAnySign),
     item("bf_before", r.bf_before, kAnySign));
}

void members(auto& io, Like<OwnCalls::Share> auto& s) {
  io(item("part", s.part), item("group", s.group), item("share", s.share));
}

void members(auto& io, Like<OwnCalls> auto& c) {
  io(newer("shares", c.shares), item("transfer_points", c.transfer_points),
     item("wait_points", c.wait_points));
}

void members(auto& io, Like<KernelModel> auto& k) {
  io(item("object", k.id.object), item("linkage_name", k.id.linkage_name),
     item("source", k.id.source), item("name", k.name), item("role", k.role),
     item("functions", k.functions), item("max_share", k.max_share), item("points", k.points),
     item("law", k.law), item("metrics", k.metrics), item("split", k.law.split),
     item("costs", k.costs), item("refined", k.refined));
  io.only_if(io.kReads || k.calls.any(), newer("own_calls", k.calls));
}

void members(auto& io, Like<CommModel> auto& c) {
  io(item("part", c.part), newer("group", c.group), item("method", c.method), item("ops", c.ops),
     item("points", c.points), item("law", c.law));
}

void members(auto& io, Like<CountModel> auto& c) {
  io(item("op", c.op), item("op_class", c.op_class), item("calls_points", c.calls_points),
     item("bytes_points", c.bytes_points), item("calls", c.calls), item("bytes", c.bytes));
}

void members(auto& io, Like<PartModel> auto& p) {
  io(item("points", p.points), item("law", p.law));
}

void members(auto& io, Like<Baseline> auto& b) {
  io(item("name", b.name), item("formula", b.formula),
     item("coefficients", b.coefficients, kAnySign));
}

void members(auto& io, Like<PaperForm> auto& f) {
  io(item("of", f.of), item("formula", f.formula), item("r_squared", f.r_squared, kAnySign),
     item("note", f.note));
}

void members(auto& io, Like<FitSummary> auto& s) {
  io(item("usable", s.usable), item("message", s.message), item("functions", s.functions),
     item("critical_kernels", s.critical_kernels),
     item("non_scalable_kernels", s.non_scalable_kernels), item("min_coverage", s.min_coverage),
     item("max_closure", s.max_closure), item("exact_count_laws", s.exact_count_laws),
     item("count_laws", s.count_laws));
}

void members(auto& io, Like<Backtest> auto& t) {
  io(item("possible", t.possible), item("note", t.note), item("procs", t.procs),
     item("from_procs", t.from_procs, 1), item("baseline_errors", t.baseline_errors));
  io.only_if(t.possible, item("measured_s", t.measured_s), item("time_s", t.time_s),
             item("low_s", t.low_s), item("high_s", t.high_s), item("error", t.error, kAnySign),
             item("covered", t.covered));
}

void members(auto& io, Like<Model> auto& m) {
  io(item("program", m.program), item("grade", m.grade), item("scaling", m.scaling),
     newer("method", m.method), newer("paper_forms", m.paper_forms), item("virtual", m.is_virtual),
     item("threshold", m.threshold), item("work", m.work), item("param_names", m.param_names),
     item("cores_per_node", m.cores_per_node), item("max_nodes", m.max_nodes, 1),
     item("frequency_hz", m.frequency_hz, kAnySign), newer("memory_costs", m.memory_costs),
     item("shared_costs", m.shared_costs), item("points", m.points), item("kernels", m.kernels),
     item("comm", m.comm), item("counts", m.counts), item("off_cpu", m.off_cpu),
     item("start", m.start), item("end", m.end), item("baselines", m.baselines),
     item("backtest", m.backtest), item("summary", m.summary), item("warnings", m.warnings));
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
