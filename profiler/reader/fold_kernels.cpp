#include "profiler/reader/fold_kernels.h"

#include <array>
#include <string>

#include "profiler/reader/fold_counters.h"
#include "profiler/reader/fold_virtual.h"

namespace apmt {
namespace {

/// The object that contains a program counter, and the address to look up in the object's symbol
/// table.
struct Location {
  const RawModule* module = nullptr;  // nullptr: in no recorded object
  std::uint64_t address = 0;          // without a module: the program counter itself
};

Location location_of(const RawRecording& raw, std::uint64_t pc) {
  if ((pc & format::kUnloadedBit) != 0) {
    const std::uint64_t index = format::unloaded_module(pc);
    if (index >= raw.modules.size()) return {nullptr, pc};
    const RawModule& m = raw.modules[index];
    return {&m, m.begin + format::unloaded_offset(pc) - m.bias};
  }
  for (const RawModule& m : raw.modules)
    if (!m.unloaded && pc >= m.begin && pc < m.end) return {&m, pc - m.bias};
  return {nullptr, pc};
}

/// Whether an object belongs to an MPI library or its transports. The threads of these libraries
/// poll for messages, which is communication and not the program's computation.
bool is_mpi_object(const std::string& object) {
  static const std::array<const char*, 12> prefixes = {
      "libmpi", "libopen-rte", "libopen-pal", "libpmix", "mca_",      "libmpich",
      "libucp", "libuct",      "libucs",      "libucm",  "libfabric", "libpsm"};
  for (const char* prefix : prefixes)
    if (object.starts_with(prefix)) return true;
  return false;
}

bool is_our_object(const std::string& object) {
  return object.starts_with("libapmt-") || object.starts_with("libsimgrid") ||
         object.starts_with("libpapi") || object.starts_with("libpfm");
}

}  // namespace

Function function_of(const RawRecording& raw, Symbols& symbols, std::uint64_t pc) {
  const Location at = location_of(raw, pc);
  if (at.module == nullptr) return symbols.function_at("", "", at.address);
  return symbols.function_at(at.module->path, at.module->build_id, at.address);
}

Place place_of(const RawRecording& raw, Symbols& symbols, std::uint64_t pc) {
  const Location at = location_of(raw, pc);
  if (at.module == nullptr) return {};
  return symbols.place_at(at.module->path, at.module->build_id, at.address);
}

std::vector<std::string> inlined_at(const RawRecording& raw, Symbols& symbols, std::uint64_t pc) {
  const Location at = location_of(raw, pc);
  if (at.module == nullptr) return {};
  return symbols.inlined_at(at.module->path, at.module->build_id, at.address);
}

void fold_kernels(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile) {
  struct Found {
    Function function;
    EventCounts counts;
  };
  const Metrics metrics(ranks);
  profile->config.frequency_hz = metrics.frequency_hz();
  profile->times.frequency_hz.per_rank = metrics.rank_frequencies_hz();
  std::map<KernelId, Found> kernels;
  // On a simulated cluster, the simulator reads the operating system's clocks after every MPI call.
  // The code that reads them is in the vDSO (code that Linux maps into every process), so samples
  // in the vDSO are not computation of the program.
  const std::string clocks = is_virtual(ranks) ? "[vdso]" : "";
  std::uint64_t in_libraries = 0;
  std::uint64_t all = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RawRecording& raw = ranks[r];
    for (const format::Sample& sample : raw.samples) {
      if (format::sample_op(sample.key) != 0 ||
          format::sample_stage(sample.key) != format::Stage::kMain)
        continue;
      const Function f = function_of(raw, symbols, format::sample_pc(sample.key));
      all += sample.counts[0];
      if (is_mpi_object(f.id.object) || is_our_object(f.id.object) ||
          (!clocks.empty() && f.id.object == clocks)) {
        in_libraries += sample.counts[0];
        continue;
      }
      Found& found = kernels[f.id];
      if (found.counts.empty()) found = {f, EventCounts(ranks.size())};
      for (std::uint32_t e = 0; e < raw.header.event_count; ++e)
        found.counts[r][e] += sample.counts[e];
      if (const std::uint32_t squares = raw.header.squares_column; squares != 0)
        found.counts[r][squares] += sample.counts[squares];
    }
  }
  if (in_libraries * 10 > all)
    profile->health.notes.push_back(
        std::to_string(in_libraries) + " of " + std::to_string(all) +
        " samples outside MPI calls fell into the libraries of MPI, of apmt or of PAPI (in their "
        "threads, for example)" +
        (clocks.empty() ? "" : ", or into code that reads clocks for the simulator") +
        "; they are not computation");
  profile->health.notes.insert(profile->health.notes.end(), metrics.notes().begin(),
                               metrics.notes().end());
  profile->times.sampled_cpu_s.per_rank.assign(ranks.size(), 0.0);
  for (const auto& [id, found] : kernels) {
    KernelProfile kernel;
    kernel.id = id;
    kernel.name = found.function.name;
    kernel.build_id = found.function.build_id;
    kernel.counters = metrics.counters(found.counts);
    profile->kernels.push_back(std::move(kernel));
    for (std::size_t r = 0; r < ranks.size(); ++r)
      profile->times.sampled_cpu_s.per_rank[r] += metrics.seconds(found.counts[r], r);
  }
}

}  // namespace apmt
