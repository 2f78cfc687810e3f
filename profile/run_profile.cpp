#include "profile/run_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "base/atomic_file.h"
#include "base/input_error.h"

namespace apmt {
namespace {

constexpr std::array<const char*, 4> kGrades = {"A", "B", "C", "D"};
constexpr std::array<const char*, 5> kProvenances = {"hardware", "clock", "simulated", "derived",
                                                     "assumed"};
constexpr std::int64_t kMaxInt = 2147483647;
constexpr std::int64_t kMaxExact = 9007199254740992;  // 2^53

/// The columns by their JSON names: one list for reading, writing and checking.
struct NamedColumn {
  const char* name;
  Column RankTimes::*member;
  bool may_be_absent;  // CPU clocks are not read at every grade; an empty column says so
};
constexpr std::array<NamedColumn, 11> kColumns = {{
    {"wall_s", &RankTimes::wall_s, false},
    {"init_s", &RankTimes::init_s, false},
    {"finalize_s", &RankTimes::finalize_s, false},
    {"main_s", &RankTimes::main_s, false},
    {"mpi_s", &RankTimes::mpi_s, false},
    {"mpi_p2p_s", &RankTimes::mpi_p2p_s, false},
    {"mpi_coll_s", &RankTimes::mpi_coll_s, false},
    {"mpi_other_s", &RankTimes::mpi_other_s, false},
    {"main_cpu_s", &RankTimes::main_cpu_s, true},
    {"sampled_cpu_s", &RankTimes::sampled_cpu_s, true},
    {"frequency_hz", &RankTimes::frequency_hz, true},
}};

int int_in(const JsonAt& json, std::int64_t low, std::int64_t high = kMaxInt) {
  return static_cast<int>(json.integer_in(low, high));
}

std::uint64_t count(const JsonAt& json) {
  return static_cast<std::uint64_t>(json.integer_in(0, kMaxExact));
}

template <std::size_t n>
std::size_t one_of(const JsonAt& json, const std::array<const char*, n>& names) {
  const std::string found = json.string();
  std::string expected;
  for (std::size_t i = 0; i < n; ++i) {
    if (found == names[i]) return i;
    expected += (i ? ", '" : "one of '") + std::string(names[i]) + "'";
  }
  json.fail(expected + " (not '" + found + "')");
}

std::map<std::string, std::string> string_map(const JsonAt& json) {
  std::map<std::string, std::string> map;
  json.for_each_member([&](const std::string& k, const JsonAt& v) { map[k] = v.string(); });
  return map;
}

// ---- Configuration, hosts, health ---------------------------------------------------------------

Json config_to_json(const RunConfig& c) {
  return {{"procs", c.procs},
          {"params", c.params},
          {"repetition", c.repetition},
          {"threads_per_rank", c.threads_per_rank},
          {"nodes", c.nodes},
          {"max_ranks_per_node", c.max_ranks_per_node},
          {"oversubscribed", c.oversubscribed},
          {"virtual", c.is_virtual},
          {"frequency_hz", json_or_null(c.frequency_hz)}};
}

RunConfig config_from(const JsonAt& json) {
  RunConfig c;
  c.procs = int_in(json.at("procs"), 1);
  json.at("params").for_each_member(
      [&](const std::string& name, const JsonAt& value) { c.params[name] = value.number(); });
  c.repetition = int_in(json.at("repetition"), 1);
  c.threads_per_rank = int_in(json.at("threads_per_rank"), 1);
  c.nodes = int_in(json.at("nodes"), 1);
  c.max_ranks_per_node = int_in(json.at("max_ranks_per_node"), 1);
  c.oversubscribed = json.at("oversubscribed").boolean();
  c.is_virtual = json.at("virtual").boolean();
  c.frequency_hz = json.number_or_null("frequency_hz");
  return c;
}

Json hosts_to_json(const std::vector<HostInfo>& hosts) {
  Json list = Json::array();
  for (const HostInfo& h : hosts)
    list.push_back({{"name", h.name},
                    {"cpu_model", h.cpu_model},
                    {"usable_cpus", h.usable_cpus},
                    {"ranks", h.ranks},
                    {"kernel", h.kernel}});
  return list;
}

HostInfo host_from(const JsonAt& json) {
  const auto kernel = json.find("kernel");
  return {json.at("name").string(), json.at("cpu_model").string(),
          int_in(json.at("usable_cpus"), 0), int_in(json.at("ranks"), 0),
          kernel ? kernel->string() : std::string()};
}

Json placement_to_json(const std::vector<Placement>& placement) {
  Json list = Json::array();
  for (const Placement& p : placement) list.push_back({{"cpu", p.cpu}, {"affinity", p.affinity}});
  return list;
}

Json sampling_to_json(const Sampling& s) {
  return {{"source", s.source},         {"event", s.event},     {"interval_s", s.interval_s},
          {"samples", s.samples},       {"dropped", s.dropped}, {"rotation", s.rotation},
          {"totals", to_json(s.totals)}};
}

Sampling sampling_from(const JsonAt& json) {
  const auto rotation = json.find("rotation");
  const auto totals = json.find("totals");
  return {json.at("source").string(),
          json.at("event").string(),
          json.at("interval_s").non_negative(),
          count(json.at("samples")),
          count(json.at("dropped")),
          rotation ? rotation->string() : "",
          totals ? event_totals_from_json(*totals) : std::vector<EventTotal>{}};
}

Json health_to_json(const Health& h) {
  return {{"ranks_expected", h.ranks_expected},
          {"ranks_present", h.ranks_present},
          {"ranks_cut_off", h.ranks_cut_off},
          {"ranks_aborted", h.ranks_aborted},
          {"ranks_unfinalized", h.ranks_unfinalized},
          {"table_drops", h.table_drops},
          {"overhead_fraction", h.overhead_fraction},
          {"before_init_s", h.before_init_s},
          {"notes", h.notes}};
}

Health health_from(const JsonAt& json) {
  Health h;
  h.ranks_expected = int_in(json.at("ranks_expected"), 0);
  h.ranks_present = int_in(json.at("ranks_present"), 0);
  h.ranks_cut_off = int_in(json.at("ranks_cut_off"), 0);
  h.ranks_aborted = int_in(json.at("ranks_aborted"), 0);
  if (const auto unfinalized = json.find("ranks_unfinalized"))
    h.ranks_unfinalized = int_in(*unfinalized, 0);
  h.table_drops = count(json.at("table_drops"));
  h.overhead_fraction = json.at("overhead_fraction").non_negative();
  if (const auto before = json.find("before_init_s")) h.before_init_s = before->non_negative();
  json.at("notes").for_each([&](const JsonAt& note) { h.notes.push_back(note.string()); });
  return h;
}

// ---- Kernels and MPI ----------------------------------------------------------------------------

/// total, mean, min and max repeat the column for people; readers take the column.
Json counter_to_json(const Counter& c) {
  Column values;
  for (std::size_t r = 0; r < c.samples.size(); ++r) values.per_rank.push_back(c.rank_value(r));
  Json json = {{"provenance", to_string(c.provenance)},
               {"event", c.event},
               {"unit_per_sample", c.unit_per_sample},
               {"samples", c.samples},
               {"total", values.total()},
               {"mean", values.mean()},
               {"min", values.min()},
               {"max", values.max()}};
  if (c.measured_fraction < 1) json["measured_fraction"] = c.measured_fraction;
  if (!c.scale.empty()) json["scale"] = c.scale;
  if (!c.squares.empty()) json["squares"] = c.squares;
  return json;
}

Json kernel_to_json(const KernelProfile& k) {
  Json counters = Json::object();
  for (const auto& [metric, c] : k.counters) counters[metric] = counter_to_json(c);
  Json lines = Json::array();
  for (const LineProfile& l : k.lines)
    lines.push_back(
        {{"inlined", l.inlined}, {"source", l.source}, {"line", l.line}, {"samples", l.samples}});
  return {{"object", k.id.object},    {"linkage_name", k.id.linkage_name},
          {"source", k.id.source},    {"name", k.name},
          {"build_id", k.build_id},   {"counters", std::move(counters)},
          {"lines", std::move(lines)}};
}

KernelProfile kernel_from(const JsonAt& json) {
  KernelProfile k;
  k.id = {json.at("object").string(), json.at("linkage_name").string(), json.at("source").string()};
  k.name = json.at("name").string();
  k.build_id = json.at("build_id").string();
  json.at("counters").for_each_member([&](const std::string& metric, const JsonAt& at) {
    Counter& c = k.counters[metric];
    c.provenance = provenance_from(at.at("provenance"));
    c.event = at.at("event").string();
    c.unit_per_sample = at.at("unit_per_sample").non_negative();
    at.at("samples").for_each([&](const JsonAt& n) { c.samples.push_back(count(n)); });
    if (const auto fraction = at.find("measured_fraction"))
      c.measured_fraction = fraction->non_negative();
    if (const auto scale = at.find("scale"))
      scale->for_each([&](const JsonAt& n) { c.scale.push_back(n.non_negative()); });
    if (const auto squares = at.find("squares"))
      squares->for_each([&](const JsonAt& n) { c.squares.push_back(count(n)); });
  });
  if (const auto lines = json.find("lines"))
    lines->for_each([&](const JsonAt& l) {
      k.lines.push_back({l.at("inlined").string(), l.at("source").string(), int_in(l.at("line"), 0),
                         count(l.at("samples"))});
    });
  return k;
}

Json mpi_to_json(const MpiRow& r) {
  return {{"op", r.op},
          {"op_class", r.op_class},
          {"comm_size", r.comm_size},
          {"size_class", r.size_class},
          {"peer", r.peer},
          {"caller", r.caller},
          {"calls", r.calls},
          {"bytes_sent", r.bytes_sent},
          {"bytes_received", r.bytes_received},
          {"time_s", r.time_s},
          {"blocked_s", r.blocked_s},
          {"min_s", r.min_s},
          {"max_s", r.max_s}};
}

MpiRow mpi_from(const JsonAt& json) {
  static constexpr std::array<const char*, 7> kClasses = {
      "p2p", "completion", "collective", "rooted", "one-sided", "io", "other"};
  static constexpr std::array<const char*, 5> kPeers = {"none", "same-node", "other-node", "mixed",
                                                        "nobody"};
  MpiRow r;
  r.op = json.at("op").string();
  r.op_class = kClasses[one_of(json.at("op_class"), kClasses)];
  r.comm_size = json.at("comm_size").integer_in(0, kMaxInt);
  r.size_class = int_in(json.at("size_class"), 0, 64);
  r.peer = kPeers[one_of(json.at("peer"), kPeers)];
  r.caller = json.at("caller").string();
  r.calls = count(json.at("calls"));
  r.bytes_sent = count(json.at("bytes_sent"));
  r.bytes_received = count(json.at("bytes_received"));
  r.time_s = json.at("time_s").non_negative();
  r.blocked_s = json.at("blocked_s").non_negative();
  r.min_s = json.at("min_s").non_negative();
  r.max_s = json.at("max_s").non_negative();
  return r;
}

// ---- Rules across fields ------------------------------------------------------------------------

class Checker {
 public:
  Checker(const RunProfile& profile, std::string file) : p_(profile), file_(std::move(file)) {}

  void run() const {
    require(p_.config.procs >= 1, "/config/procs", "at least one process");
    require(p_.health.ranks_present >= 1 && p_.health.ranks_present <= p_.config.procs,
            "/health/ranks_present", "from 1 to " + std::to_string(p_.config.procs));
    for (const NamedColumn& column : kColumns) check_column(column);
    check_hosts();
    check_kernels();
    check_mpi();
    check_peers();
    check_communication();
    check_threads();
    check_number(p_.sampling.interval_s, "/sampling/interval_s");
    require(p_.sampling.rotation.empty() || p_.sampling.rotation == "ranks" ||
                p_.sampling.rotation == "time",
            "/sampling/rotation", "'ranks', 'time' or nothing");
    check_number(p_.health.overhead_fraction, "/health/overhead_fraction");
    check_number(p_.health.before_init_s, "/health/before_init_s");
    if (p_.config.frequency_hz) check_number(*p_.config.frequency_hz, "/config/frequency_hz");
    for (const auto& [name, value] : p_.config.params)
      require(std::isfinite(value), "/config/params/" + name, "a finite number");
  }

 private:
  void require(bool rule, const std::string& place, const std::string& expected) const {
    if (!rule) throw InputError(file_ + ":" + place, "expected " + expected);
  }

  void check_number(double x, const std::string& place) const {
    require(std::isfinite(x), place, "a finite number");
    require(x >= 0, place, "a number that is not negative, found " + std::to_string(x));
  }

  void check_length(std::size_t found, const std::string& place) const {
    require(found == ranks(), place,
            "one entry per recorded rank (" + std::to_string(ranks()) + "), found " +
                std::to_string(found));
  }

  void check_column(const NamedColumn& column) const {
    const std::string place = std::string("/times/") + column.name;
    const std::vector<double>& values = (p_.times.*column.member).per_rank;
    if (values.empty() && column.may_be_absent) return;
    check_length(values.size(), place);
    for (std::size_t r = 0; r < values.size(); ++r)
      check_number(values[r], place + "/" + std::to_string(r));
  }

  void check_hosts() const {
    if (p_.host_of_rank.empty() && p_.hosts.empty()) return;
    check_length(p_.host_of_rank.size(), "/host_of_rank");
    if (!p_.placement.empty()) check_length(p_.placement.size(), "/placement");
    for (std::size_t r = 0; r < ranks(); ++r)
      require(
          p_.host_of_rank[r] >= 0 && static_cast<std::size_t>(p_.host_of_rank[r]) < p_.hosts.size(),
          "/host_of_rank/" + std::to_string(r),
          "an index into the " + std::to_string(p_.hosts.size()) + " hosts");
  }

  void check_kernels() const {
    std::set<KernelId> seen;
    for (std::size_t i = 0; i < p_.kernels.size(); ++i) {
      const KernelProfile& k = p_.kernels[i];
      const std::string place = "/kernels/" + std::to_string(i);
      require(seen.insert(k.id).second, place,
              "every kernel once, found '" + k.id.linkage_name + "' of '" + k.id.object +
                  "' (source '" + k.id.source + "') again");
      for (const auto& [metric, c] : k.counters) {
        const std::string at = place + "/counters/" + metric;
        check_number(c.unit_per_sample, at + "/unit_per_sample");
        check_length(c.samples.size(), at + "/samples");
        if (!c.scale.empty()) check_length(c.scale.size(), at + "/scale");
        if (!c.squares.empty()) check_length(c.squares.size(), at + "/squares");
        require(c.measured_fraction > 0 && c.measured_fraction <= 1, at + "/measured_fraction",
                "a number above 0 and at most 1");
      }
    }
  }

  void check_mpi() const {
    for (std::size_t i = 0; i < p_.mpi.size(); ++i) {
      const MpiRow& r = p_.mpi[i];
      const std::string place = "/mpi/" + std::to_string(i);
      require(!r.op.empty(), place + "/op", "the name of an MPI call");
      check_number(r.time_s, place + "/time_s");
      check_number(r.blocked_s, place + "/blocked_s");
      check_number(r.min_s, place + "/min_s");
      check_number(r.max_s, place + "/max_s");
      require(r.min_s <= r.max_s, place + "/min_s", "at most max_s");
    }
  }

  void check_peers() const {
    const auto is_rank = [&](int rank) { return rank >= 0 && rank < p_.config.procs; };
    for (std::size_t i = 0; i < p_.peers.size(); ++i)
      require(is_rank(p_.peers[i].from) && is_rank(p_.peers[i].to) &&
                  is_rank(p_.peers[i].to_last) && p_.peers[i].to <= p_.peers[i].to_last,
              "/peers/" + std::to_string(i), "ranks below " + std::to_string(p_.config.procs));
  }

  void check_communication() const {
    for (std::size_t i = 0; i < p_.communication.operations.size(); ++i) {
      const MpiOperation& o = p_.communication.operations[i];
      const std::string place = "/communication/operations/" + std::to_string(i);
      require(!o.op.empty(), place + "/op", "the name of an MPI call");
      check_number(o.time_s, place + "/time_s");
      check_number(o.flight_s, place + "/flight_s");
      check_number(o.blocked_s, place + "/blocked_s");
      if (o.min_flight_s) check_number(*o.min_flight_s, place + "/min_flight_s");
      if (o.transfer_s) check_number(*o.transfer_s, place + "/transfer_s");
    }
  }

  void check_threads() const {
    for (std::size_t i = 0; i < p_.threads.size(); ++i)
      require(p_.threads[i].rank >= 0 && static_cast<std::size_t>(p_.threads[i].rank) < ranks(),
              "/threads/" + std::to_string(i) + "/rank",
              "a number below " + std::to_string(ranks()));
  }

  /// Ranks whose recording was lost have no entry; health says how many those are.
  std::size_t ranks() const { return static_cast<std::size_t>(p_.health.ranks_present); }

  const RunProfile& p_;
  std::string file_;
};

RunProfile profile_from(const JsonAt& json) {
  RunProfile p;
  p.program = json.at("program").string();
  p.command = json.at("command").string();
  p.mpi_library = json.at("mpi_library").string();
  p.started_at = json.at("started_at").string();
  p.config = config_from(json.at("config"));
  p.grade = grade_from(json.at("grade"));
  p.environment = string_map(json.at("environment"));
  json.at("hosts").for_each([&](const JsonAt& h) { p.hosts.push_back(host_from(h)); });
  json.at("host_of_rank").for_each([&](const JsonAt& h) {
    p.host_of_rank.push_back(int_in(h, 0));
  });
  if (const auto placement = json.find("placement"))
    placement->for_each([&](const JsonAt& at) {
      p.placement.push_back({int_in(at.at("cpu"), -1), at.at("affinity").string()});
    });
  const JsonAt times = json.at("times");
  for (const NamedColumn& column : kColumns)
    if (!column.may_be_absent || times.find(column.name))
      (p.times.*column.member).per_rank = times.at(column.name).non_negative_numbers();
  p.sampling = sampling_from(json.at("sampling"));
  json.at("kernels").for_each([&](const JsonAt& k) { p.kernels.push_back(kernel_from(k)); });
  json.at("mpi").for_each([&](const JsonAt& r) { p.mpi.push_back(mpi_from(r)); });
  json.at("peers").for_each([&](const JsonAt& r) {
    const int to = int_in(r.at("to"), 0);
    const auto to_last = r.find("to_last");
    p.peers.push_back({int_in(r.at("from"), 0), to, count(r.at("messages")), count(r.at("bytes")),
                       to_last ? int_in(*to_last, 0) : to});
  });
  if (const auto c = json.find("communication")) p.communication = communication_from(*c);
  if (const auto threads = json.find("threads")) p.threads = threads_from_json(*threads);
  if (const auto cost = json.find("own_cost")) p.own_cost = own_cost_from_json(*cost);
  if (const auto libraries = json.find("libraries")) p.libraries = string_map(*libraries);
  p.health = health_from(json.at("health"));
  return p;
}

}  // namespace

// ---- Values -------------------------------------------------------------------------------------

std::string to_string(Grade grade) { return kGrades[static_cast<std::size_t>(grade)]; }
std::string to_string(Provenance p) { return kProvenances[static_cast<std::size_t>(p)]; }
Grade grade_from(const JsonAt& json) { return static_cast<Grade>(one_of(json, kGrades)); }
Provenance provenance_from(const JsonAt& json) {
  return static_cast<Provenance>(one_of(json, kProvenances));
}

double Column::total() const { return std::accumulate(per_rank.begin(), per_rank.end(), 0.0); }
double Column::mean() const {
  return per_rank.empty() ? 0 : total() / static_cast<double>(per_rank.size());
}
double Column::min() const {
  return per_rank.empty() ? 0 : *std::min_element(per_rank.begin(), per_rank.end());
}
double Column::max() const {
  return per_rank.empty() ? 0 : *std::max_element(per_rank.begin(), per_rank.end());
}

double Counter::rank_value(std::size_t rank) const {
  const double by_samples = static_cast<double>(samples.at(rank)) * unit_per_sample;
  return scale.empty() ? by_samples : by_samples * scale.at(rank);
}
std::uint64_t Counter::total_samples() const {
  return std::accumulate(samples.begin(), samples.end(), std::uint64_t{0});
}
double Counter::independent_samples() const {
  const auto all = static_cast<double>(total_samples());
  const auto even =
      static_cast<double>(std::accumulate(squares.begin(), squares.end(), std::uint64_t{0}));
  return even > all ? all * all / even : all;
}
double Counter::total() const {
  if (scale.empty()) return static_cast<double>(total_samples()) * unit_per_sample;
  double sum = 0;
  for (std::size_t r = 0; r < samples.size(); ++r) sum += rank_value(r);
  return sum;
}

// ---- Files --------------------------------------------------------------------------------------

void RunProfile::check(const std::string& file) const { Checker(*this, file).run(); }

Json to_json(const RunProfile& p) {
  Json times = Json::object();
  for (const NamedColumn& column : kColumns) {
    const Column& values = p.times.*column.member;
    times[column.name] =
        values.per_rank.empty() && column.may_be_absent ? Json() : Json(values.per_rank);
  }
  Json kernels = Json::array();
  for (const KernelProfile& k : p.kernels) kernels.push_back(kernel_to_json(k));
  Json mpi = Json::array();
  for (const MpiRow& r : p.mpi) mpi.push_back(mpi_to_json(r));
  Json peers = Json::array();
  for (const PeerRow& r : p.peers) {
    peers.push_back({{"from", r.from}, {"to", r.to}, {"messages", r.messages}, {"bytes", r.bytes}});
    if (r.to_last > r.to) peers.back()["to_last"] = r.to_last;
  }
  return {{"format", RunProfile::kFormat},
          {"format_version", std::to_string(RunProfile::kMajor) + ".0"},
          {"program", p.program},
          {"command", p.command},
          {"mpi_library", p.mpi_library},
          {"started_at", p.started_at},
          {"config", config_to_json(p.config)},
          {"grade", to_string(p.grade)},
          {"environment", p.environment},
          {"hosts", hosts_to_json(p.hosts)},
          {"host_of_rank", p.host_of_rank},
          {"placement", placement_to_json(p.placement)},
          {"times", std::move(times)},
          {"sampling", sampling_to_json(p.sampling)},
          {"kernels", std::move(kernels)},
          {"mpi", std::move(mpi)},
          {"peers", std::move(peers)},
          {"communication", to_json(p.communication)},
          {"threads", to_json(p.threads)},
          {"own_cost", to_json(p.own_cost)},
          {"libraries", p.libraries},
          {"health", health_to_json(p.health)}};
}

RunProfile run_profile_from_json(const Json& json, const std::string& file) {
  RunProfile profile = profile_from(JsonAt(json, file));
  profile.check(file);
  return profile;
}

RunProfile read_run_profile(const std::filesystem::path& path) {
  const Json json = read_json_file(path, RunProfile::kFormat, RunProfile::kMajor);
  return run_profile_from_json(json, path.string());
}

void write_run_profile(const RunProfile& profile, const std::filesystem::path& path) {
  profile.check(path.string());
  write_file_atomically(path, format_json(to_json(profile)));
}

}  // namespace apmt
