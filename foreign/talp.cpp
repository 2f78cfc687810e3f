// Reads the JSON of TALP, a part of DLB: times of regions, summed over CPUs (except the elapsed
// time). Regions may be nested, so one of them must stand for the run.

#include <algorithm>

#include "base/checked_json.h"
#include "base/listed.h"
#include "foreign/files.h"

namespace apmt {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr const char* kRegions[] = {"Application", "popMetrics"};  // differ by version of DLB
constexpr const char* kWholeRun[] = {"Global", "Application", "MPI Execution"};

/// The region `asked`. If `asked` is empty: the region of the whole run, which TALP defines by
/// itself.
JsonAt region_of(const JsonAt& regions, const std::string& asked) {
  if (!asked.empty())
    if (const auto found = regions.find(asked)) return *found;
  std::vector<std::string> names;
  regions.for_each_member([&](const std::string& name, const JsonAt&) { names.push_back(name); });
  if (asked.empty())
    for (const char* name : kWholeRun)
      if (const auto found = regions.find(name)) return *found;
  regions.fail(asked.empty()
                   ? "the region of the whole run; name one with --region: " + listed(names)
                   : "region '" + asked + "'; there are " + listed(names));
}

}  // namespace

ForeignFile read_talp(const std::string& text, const std::string& file,
                      const std::string& region_name) {
  const Json document = parse_json(text, file);
  const JsonAt json(document, file);
  std::optional<JsonAt> regions;
  for (const char* key : kRegions)
    if (!regions) regions = json.find(key);
  if (!regions) json.fail("\"Application\" or \"popMetrics\", the regions");
  const JsonAt region = region_of(*regions, region_name);
  constexpr std::int64_t kMost = 1 << 24;
  const auto count = [&](const char* key) {
    for (const std::optional<JsonAt>& place : {json.find("resources"), std::optional(region)})
      if (place)
        if (const auto found = place->find(key)) return found->integer_in(0, kMost);
    return std::int64_t{0};
  };
  const auto cpus = static_cast<double>(std::max<std::int64_t>(count("numCpus"), 1));
  const auto ranks = static_cast<double>(count("numMpiRanks"));
  const auto seconds = [&](const char* key) { return region.at(key).non_negative() * kNanosecond; };
  const double elapsed_s = seconds("elapsedTime");
  // All times except the elapsed one are sums over CPUs.
  const double useful_s = std::min(seconds("usefulTime") / cpus, elapsed_s);
  const double mpi_s = std::min(seconds("mpiTime") / cpus, elapsed_s - useful_s);
  const double rest_s = elapsed_s - useful_s - mpi_s;
  ForeignFile result;
  const std::map<std::string, double> params = {{"p", ranks > 0 ? ranks : cpus}};
  result.values = {{"useful computation", "time", params, {useful_s}},
                   {"main->MPI_ (all calls)", "time", params, {mpi_s}}};
  // Clocks are read one after the other, which causes differences smaller than this.
  constexpr double kRounding = 1e-4;
  if (rest_s > kRounding * elapsed_s)
    result.values.push_back(
        {"waiting in OpenMP, and what TALP does not see", "time", params, {rest_s}});
  return result;
}

}  // namespace apmt
