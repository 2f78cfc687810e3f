#include "machine/papi_counters.h"

#include <dlfcn.h>
#include <papi.h>

namespace apmt {
namespace {

struct Papi {
  decltype(&PAPI_library_init) library_init;
  decltype(&PAPI_event_name_to_code) event_name_to_code;
  decltype(&PAPI_create_eventset) create_eventset;
  decltype(&PAPI_cleanup_eventset) cleanup_eventset;
  decltype(&PAPI_destroy_eventset) destroy_eventset;
  decltype(&PAPI_add_event) add_event;
  decltype(&PAPI_start) start;
  decltype(&PAPI_stop) stop;
  decltype(&PAPI_strerror) strerror;
  decltype(&PAPI_get_component_index) get_component_index;
  decltype(&PAPI_get_component_info) get_component_info;
  std::string problem;
};

template <typename Function>
bool find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(::dlsym(library, name));
  return *out != nullptr;
}

/// Why PAPI's component for hardware counters is disabled, in PAPI's words.
std::string disabled_because(const Papi& papi) {
  const int index = papi.get_component_index("perf_event");
  if (index < 0) return "PAPI was built without perf_event";
  const PAPI_component_info_t* info = papi.get_component_info(index);
  if (info == nullptr || info->disabled == 0) return "";
  return std::string("PAPI has switched its perf_event component off: ") + info->disabled_reason;
}

Papi open_papi() {
  Papi papi{};
  const std::string major = std::to_string(PAPI_VERSION_MAJOR(PAPI_VERSION));
  void* library = nullptr;
  for (const std::string& name :
       {"libpapi.so." + major + "." + std::to_string(PAPI_VERSION_MINOR(PAPI_VERSION)),
        "libpapi.so." + major})
    if (library == nullptr) library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    papi.problem = "libpapi.so." + major + " is not installed";
    return papi;
  }
  const bool complete = find(library, "PAPI_library_init", &papi.library_init) &&
                        find(library, "PAPI_event_name_to_code", &papi.event_name_to_code) &&
                        find(library, "PAPI_create_eventset", &papi.create_eventset) &&
                        find(library, "PAPI_cleanup_eventset", &papi.cleanup_eventset) &&
                        find(library, "PAPI_destroy_eventset", &papi.destroy_eventset) &&
                        find(library, "PAPI_add_event", &papi.add_event) &&
                        find(library, "PAPI_start", &papi.start) &&
                        find(library, "PAPI_stop", &papi.stop) &&
                        find(library, "PAPI_strerror", &papi.strerror) &&
                        find(library, "PAPI_get_component_index", &papi.get_component_index) &&
                        find(library, "PAPI_get_component_info", &papi.get_component_info);
  if (!complete) {
    papi.problem = "libpapi lacks a function";
    return papi;
  }
  if (papi.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
    papi.problem = "PAPI_library_init failed";
  else
    papi.problem = disabled_because(papi);
  return papi;
}

const Papi& papi() {
  static const Papi opened = open_papi();
  return opened;
}

std::string add_and_count(int set, const std::vector<std::string>& events,
                          const std::function<void()>& work, std::vector<std::int64_t>* counts) {
  for (const std::string& event : events) {
    int code = 0;
    int error = papi().event_name_to_code(event.c_str(), &code);
    if (error == PAPI_OK) error = papi().add_event(set, code);
    if (error == PAPI_ENOEVNT) return event + ": PAPI has no such event on this processor";
    if (error != PAPI_OK) return event + ": " + papi().strerror(error);
  }
  if (const int error = papi().start(set); error != PAPI_OK)
    return std::string("does not start: ") + papi().strerror(error);
  work();
  std::vector<long long> values(events.size(), 0);
  if (const int error = papi().stop(set, values.data()); error != PAPI_OK)
    return std::string("cannot be read: ") + papi().strerror(error);
  counts->assign(values.begin(), values.end());
  return "";
}

}  // namespace

std::optional<std::string> problem_with_papi() {
  if (papi().problem.empty()) return std::nullopt;
  return papi().problem;
}

Trial count_with_papi(const std::vector<std::string>& events, const std::function<void()>& work) {
  Trial trial;
  trial.problem = papi().problem;
  int set = PAPI_NULL;
  if (!trial.problem.empty()) return trial;
  if (papi().create_eventset(&set) != PAPI_OK) {
    trial.problem = "PAPI_create_eventset failed";
    return trial;
  }
  trial.problem = add_and_count(set, events, work, &trial.counts);
  papi().cleanup_eventset(set);
  papi().destroy_eventset(&set);
  return trial;
}

}  // namespace apmt
