// Tables of the fields of profile.json. docs/profile-fields.md is generated from these tables;
// docs/formats.md explains the fields.
#pragma once

#include <array>
#include <tuple>

#include "base/described_struct.h"
#include "profile/number_limits.h"
#include "profile/run_profile.h"

namespace apmt {

inline constexpr std::array kGrades = {"A", "B", "C", "D"};
inline constexpr std::array kProvenances = {"hardware", "clock", "simulated", "derived", "assumed"};
inline constexpr std::array kOpClasses = {"p2p",       "completion", "collective", "rooted",
                                          "one-sided", "io",         "other"};
inline constexpr std::array kPeers = {"none", "same-node", "other-node", "mixed", "nobody"};
inline constexpr std::array kRotations = {"", "ranks", "time"};

constexpr const auto& names_of(Of<Grade>) { return kGrades; }
constexpr const auto& names_of(Of<Provenance>) { return kProvenances; }

/// A column is written as the list of its entries.
constexpr auto only_member(Of<Column>) { return &Column::per_rank; }

constexpr auto fields_of(Of<RunConfig>) {
  using C = RunConfig;
  return std::tuple{field("procs", &C::procs).at_least(1),
                    field("params", &C::params),
                    field("repetition", &C::repetition).at_least(1),
                    field("threads_per_rank", &C::threads_per_rank).at_least(1),
                    field("nodes", &C::nodes).at_least(1),
                    field("max_ranks_per_node", &C::max_ranks_per_node).at_least(1),
                    field("oversubscribed", &C::oversubscribed),
                    field("virtual", &C::is_virtual),
                    field("frequency_hz", &C::frequency_hz).from_to(0, kMostFrequency_hz)};
}

constexpr auto fields_of(Of<HostInfo>) {
  return std::tuple{field("name", &HostInfo::name), field("cpu_model", &HostInfo::cpu_model),
                    field("usable_cpus", &HostInfo::usable_cpus).at_least(0),
                    field("ranks", &HostInfo::ranks).at_least(0),
                    field("kernel", &HostInfo::kernel).missing_in_older_files()};
}

constexpr auto fields_of(Of<Placement>) {
  return std::tuple{field("cpu", &Placement::cpu).at_least(-1),
                    field("affinity", &Placement::affinity)};
}

template <Column RankTimes::*column>
bool not_measured(const RankTimes& times) {
  return (times.*column).per_rank.empty();
}

constexpr auto fields_of(Of<RankTimes>) {
  using T = RankTimes;
  return std::tuple{field("wall_s", &T::wall_s).from_to(0, kMostElapsed_s),
                    field("init_s", &T::init_s).from_to(0, kMostElapsed_s),
                    field("finalize_s", &T::finalize_s).from_to(0, kMostElapsed_s),
                    field("main_s", &T::main_s).from_to(0, kMostElapsed_s),
                    field("mpi_s", &T::mpi_s).from_to(0, kMostElapsed_s),
                    field("mpi_p2p_s", &T::mpi_p2p_s).from_to(0, kMostElapsed_s),
                    field("mpi_coll_s", &T::mpi_coll_s).from_to(0, kMostElapsed_s),
                    field("mpi_other_s", &T::mpi_other_s).from_to(0, kMostElapsed_s),
                    field("main_cpu_s", &T::main_cpu_s)
                        .from_to(0, kMostSummed_s)
                        .null_when(not_measured<&T::main_cpu_s>),
                    field("sampled_cpu_s", &T::sampled_cpu_s)
                        .from_to(0, kMostSummed_s)
                        .null_when(not_measured<&T::sampled_cpu_s>),
                    field("frequency_hz", &T::frequency_hz)
                        .from_to(0, kMostFrequency_hz)
                        .null_when(not_measured<&T::frequency_hz>)};
}

constexpr auto fields_of(Of<EventTotal>) {
  return std::tuple{field("event", &EventTotal::event),
                    field("counted", &EventTotal::counted).from_to(0, kMostCount),
                    field("intervals", &EventTotal::intervals).from_to(0, kMostCount),
                    field("sampled_share", &EventTotal::sampled_share).from_to(0, kMostShare)};
}

constexpr auto fields_of(Of<Sampling>) {
  return std::tuple{
      field("source", &Sampling::source),
      field("event", &Sampling::event),
      field("interval_s", &Sampling::interval_s).from_to(0, kMostElapsed_s),
      field("samples", &Sampling::samples),
      field("dropped", &Sampling::dropped),
      field("rotation", &Sampling::rotation).one_of(kRotations).missing_in_older_files(),
      field("totals", &Sampling::totals).missing_in_older_files()};
}

inline Column values_of(const Counter& counter) {
  Column values;
  for (std::size_t rank = 0; rank < counter.samples.size(); ++rank)
    values.per_rank.push_back(counter.rank_value(rank));
  return values;
}

constexpr auto fields_of(Of<Counter>) {
  using C = Counter;
  return std::tuple{
      field("provenance", &C::provenance),
      field("event", &C::event),
      field("unit_per_sample", &C::unit_per_sample).from_to(0, kMostCount),
      field("samples", &C::samples),
      derived<C>("total", [](const C& c) { return values_of(c).total(); }),
      derived<C>("mean", [](const C& c) { return values_of(c).mean(); }),
      derived<C>("min", [](const C& c) { return values_of(c).min(); }),
      derived<C>("max", [](const C& c) { return values_of(c).max(); }),
      field("measured_fraction", &C::measured_fraction).from_to(0, 1).omitted_when([](const C& c) {
        return c.measured_fraction == 1;
      }),
      field("scale", &C::scale).from_to(0, kMostCount).omitted_when([](const C& c) {
        return c.scale.empty();
      }),
      field("squares", &C::squares).omitted_when([](const C& c) { return c.squares.empty(); })};
}

constexpr auto fields_of(Of<LineProfile>) {
  return std::tuple{field("inlined", &LineProfile::inlined), field("source", &LineProfile::source),
                    field("line", &LineProfile::line).at_least(0),
                    field("samples", &LineProfile::samples)};
}

constexpr auto fields_of(Of<InlinedProfile>) {
  using I = InlinedProfile;
  return std::tuple{field("functions", &I::functions),
                    field("cpu_s", &I::cpu_s).from_to(0, kMostSummed_s)};
}

constexpr auto fields_of(Of<LargerCaches>) {
  return std::tuple{field("factor", &LargerCaches::factor).from_to(1, kMostCount),
                    field("counts", &LargerCaches::counts).from_to(0, kMostCount)};
}

inline bool has_no_larger_caches(const KernelProfile& kernel) {
  return kernel.larger_caches.empty();
}

constexpr auto fields_of(Of<KernelId>) {
  return std::tuple{field("object", &KernelId::object),
                    field("linkage_name", &KernelId::linkage_name),
                    field("source", &KernelId::source)};
}

constexpr auto fields_of(Of<KernelProfile>) {
  using K = KernelProfile;
  return std::tuple{embedded(&K::id),
                    field("name", &K::name),
                    field("build_id", &K::build_id),
                    field("counters", &K::counters),
                    field("lines", &K::lines).missing_in_older_files(),
                    field("inlined", &K::inlined).missing_in_older_files(),
                    field("larger_caches", &K::larger_caches).omitted_when(has_no_larger_caches)};
}

constexpr auto fields_of(Of<MpiRow>) {
  using R = MpiRow;
  return std::tuple{
      field("op", &R::op).holds("the name of an MPI call"),
      field("op_class", &R::op_class).one_of(kOpClasses),
      field("comm_size", &R::comm_size).at_least(0),
      field("size_class", &R::size_class).from_to(0, 64),
      field("peer", &R::peer).one_of(kPeers),
      field("caller", &R::caller),
      field("calls", &R::calls),
      field("bytes_sent", &R::bytes_sent),
      field("bytes_received", &R::bytes_received),
      field("time_s", &R::time_s).from_to(0, kMostSummed_s),
      field("blocked_s", &R::blocked_s).from_to(0, kMostSummed_s),
      field("min_s", &R::min_s).from_to(0, kMostElapsed_s),
      field("max_s", &R::max_s).from_to(0, kMostElapsed_s),
      field("message_s", &R::message_s).from_to(0, kMostElapsed_s).omitted_when([](const R& r) {
        return !r.message_s;
      }),
      field("arrivals", &R::arrivals).omitted_when([](const R& r) { return !r.message_s; })};
}

constexpr auto fields_of(Of<PeerRow>) {
  using R = PeerRow;
  return std::tuple{field("from", &R::from).at_least(0), field("to", &R::to).at_least(0),
                    field("messages", &R::messages), field("bytes", &R::bytes),
                    field("to_last", &R::to_last)
                        .at_least(0)
                        .omitted_when([](const R& r) { return r.to_last == r.to; },
                                      [](R& r) { r.to_last = r.to; })};
}

constexpr auto fields_of(Of<MpiOperation>) {
  using O = MpiOperation;
  return std::tuple{field("op", &O::op).holds("the name of an MPI call"),
                    field("op_class", &O::op_class),
                    field("comm_size", &O::comm_size).at_least(0),
                    field("size_class", &O::size_class).from_to(0, 64),
                    field("calls", &O::calls),
                    field("bytes_sent", &O::bytes_sent),
                    field("bytes_received", &O::bytes_received),
                    field("time_s", &O::time_s).from_to(0, kMostSummed_s),
                    field("low_s", &O::low_s).from_to(0, kMostElapsed_s),
                    field("transfer_s", &O::transfer_s).from_to(0, kMostSummed_s),
                    field("transfer_from", &O::transfer_from).null_when([](const O& o) {
                      return o.transfer_from.empty();
                    }),
                    field("completed", &O::completed),
                    field("flight_s", &O::flight_s).from_to(0, kMostSummed_s),
                    field("min_flight_s", &O::min_flight_s).from_to(0, kMostElapsed_s),
                    field("blocked_s", &O::blocked_s).from_to(0, kMostSummed_s)};
}

constexpr auto fields_of(Of<Pattern>) {
  using P = Pattern;
  return std::tuple{
      field("kind", &P::kind),
      field("dims", &P::dims).at_least(1),
      field("periodic", &P::periodic),
      field("diagonals", &P::diagonals),
      field("one_way", &P::one_way),
      field("master", &P::master).at_least(0).null_when([](const P& p) { return p.master < 0; })};
}

constexpr auto fields_of(Of<Efficiencies>) {
  using E = Efficiencies;
  return std::tuple{field("load_balance", &E::load_balance).from_to(0, kMostShare),
                    field("communication", &E::communication).from_to(0, kMostShare),
                    field("parallel", &E::parallel).from_to(0, kMostShare),
                    field("transfer", &E::transfer).from_to(0, kMostShare),
                    field("serialisation", &E::serialisation).from_to(0, kMostShare)};
}

constexpr auto fields_of(Of<Communication>) {
  using C = Communication;
  return std::tuple{
      field("operations", &C::operations),
      field("bf_comm", &C::bf_comm).from_to(0, kMostShare),
      field("coll_wait_s", &C::coll_wait_s).from_to(0, kMostElapsed_s),
      field("coll_wait_coverage", &C::coll_wait_coverage).from_to(0, kMostShare),
      field("pattern", &C::pattern).null_when([](const C& c) { return c.pattern.kind.empty(); }),
      field("pop", &C::pop)};
}

constexpr auto fields_of(Of<ThreadRow>) {
  using T = ThreadRow;
  return std::tuple{field("rank", &T::rank).at_least(0),
                    field("wall_s", &T::wall_s).from_to(0, kMostElapsed_s),
                    field("cpu_s", &T::cpu_s).from_to(0, kMostElapsed_s),
                    field("samples", &T::samples),
                    field("cycles", &T::cycles).from_to(0, kMostCount),
                    field("sampled_share", &T::sampled_share).from_to(0, kMostShare),
                    field("main_cpu_s", &T::main_cpu_s).from_to(0, kMostElapsed_s),
                    field("main_sampled_s", &T::main_sampled_s).from_to(0, kMostElapsed_s)};
}

constexpr auto fields_of(Of<OwnCost>) {
  using C = OwnCost;
  return std::tuple{field("sample_s", &C::sample_s).from_to(0, kMostElapsed_s),
                    field("delivery_s", &C::delivery_s).from_to(0, kMostElapsed_s),
                    field("handler_s", &C::handler_s).from_to(0, kMostElapsed_s),
                    field("handler_in_run_s", &C::handler_in_run_s).from_to(0, kMostElapsed_s),
                    field("task_clock_s", &C::task_clock_s).from_to(0, kMostElapsed_s),
                    field("mpi_call_s", &C::mpi_call_s).from_to(0, kMostElapsed_s)};
}

constexpr auto fields_of(Of<ImportedValue>) {
  using V = ImportedValue;
  return std::tuple{field("callpath", &V::callpath), field("metric", &V::metric),
                    field("value", &V::value).at_least(0)};
}

constexpr auto fields_of(Of<Health>) {
  using H = Health;
  return std::tuple{
      field("ranks_expected", &H::ranks_expected).at_least(0),
      field("ranks_present", &H::ranks_present).at_least(0),
      field("ranks_cut_off", &H::ranks_cut_off).at_least(0),
      field("ranks_running", &H::ranks_running).at_least(0).omitted_when([](const H& h) {
        return h.ranks_running == 0;
      }),
      field("ranks_aborted", &H::ranks_aborted).at_least(0),
      field("ranks_unfinalized", &H::ranks_unfinalized).at_least(0).missing_in_older_files(),
      field("table_drops", &H::table_drops),
      field("overhead_fraction", &H::overhead_fraction).from_to(0, kMostCount),
      field("before_init_s", &H::before_init_s).from_to(0, kMostElapsed_s).missing_in_older_files(),
      field("created_threads_s", &H::created_threads_s)
          .from_to(0, kMostSummed_s)
          .missing_in_older_files(),
      field("notes", &H::notes)};
}

constexpr auto fields_of(Of<RunProfile>) {
  using P = RunProfile;
  return std::tuple{
      field("program", &P::program),
      field("build_id", &P::build_id).missing_in_older_files(),
      field("command", &P::command),
      field("mpi_library", &P::mpi_library),
      field("started_at", &P::started_at),
      field("config", &P::config),
      field("grade", &P::grade),
      field("environment", &P::environment),
      field("hosts", &P::hosts),
      field("host_of_rank", &P::host_of_rank).at_least(0),
      field("placement", &P::placement).missing_in_older_files(),
      field("times", &P::times),
      field("sampling", &P::sampling),
      field("kernels", &P::kernels),
      field("mpi", &P::mpi),
      field("peers", &P::peers),
      field("communication", &P::communication).missing_in_older_files(),
      field("threads", &P::threads).missing_in_older_files(),
      field("own_cost", &P::own_cost).missing_in_older_files(),
      field("libraries", &P::libraries).missing_in_older_files(),
      field("imported", &P::imported).omitted_when([](const P& p) { return p.imported.empty(); }),
      field("health", &P::health)};
}

}  // namespace apmt
