#include "machine/event_catalog.h"

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include <cstdlib>
#include <cstring>

namespace apmt {
namespace {

/// More than the number of PMUs in any libpfm4. PFM_PMU_MAX of the header is too small for a newer
/// library.
constexpr int kMostPmus = 4096;

Pmu describe(const pfm_pmu_info_t& info) {
  Pmu pmu;
  pmu.name = info.name;
  pmu.title = info.desc;
  pmu.counters = info.num_cntrs;
  pmu.fixed = info.num_fixed_cntrs;
  pmu.is_present = info.is_present != 0;
  return pmu;
}

std::optional<pfm_pmu_info_t> info_of(int number) {
  pfm_pmu_info_t info;
  std::memset(&info, 0, sizeof info);
  info.size = sizeof info;
  if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(number), &info) != PFM_SUCCESS) return std::nullopt;
  return info;
}

bool is_core(const pfm_pmu_info_t& info) {
  return info.type == PFM_PMU_TYPE_CORE && std::strcmp(info.name, "ix86arch") != 0 &&
         std::strncmp(info.name, "perf", 4) != 0;
}

}  // namespace

EventCatalog::EventCatalog() { pfm_initialize(); }
EventCatalog::~EventCatalog() { pfm_terminate(); }

std::optional<Pmu> EventCatalog::find(const std::string& name) const {
  for (int number = 0; number < kMostPmus; ++number)
    if (const auto info = info_of(number); info && name == info->name) return describe(*info);
  return std::nullopt;
}

std::vector<Pmu> EventCatalog::present() const {
  // libpfm4 also reports a PMU as present if LIBPFM_FORCE_PMU named it in an earlier session of
  // this process. So while the variable is set, only the PMU that it names now is accepted.
  const char* forced = std::getenv("LIBPFM_FORCE_PMU");
  std::vector<Pmu> found;
  for (int number = 0; number < kMostPmus; ++number)
    if (const auto info = info_of(number); info && info->is_present != 0 && is_core(*info))
      if (forced == nullptr || std::strcmp(forced, info->name) == 0)
        found.push_back(describe(*info));
  return found;
}

std::optional<std::string> EventCatalog::problem_with(const std::string& pmu,
                                                      const std::string& event) const {
  pfm_pmu_encode_arg_t encoded;
  std::memset(&encoded, 0, sizeof encoded);
  encoded.size = sizeof encoded;
  const std::string name = pmu.empty() ? event : pmu + "::" + event;
  const int error = pfm_get_os_event_encoding(name.c_str(), PFM_PLM3, PFM_OS_NONE, &encoded);
  std::free(encoded.codes);
  if (error == PFM_SUCCESS) return std::nullopt;
  return pfm_strerror(error);
}

}  // namespace apmt
