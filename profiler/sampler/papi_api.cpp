#include "profiler/sampler/papi_api.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

namespace apmt::sampler {
namespace {

PapiApi g_api;
char g_version[64] = "";

template <typename Function>
bool find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

unsigned long this_thread() { return static_cast<unsigned long>(pthread_self()); }

/// Whether enough descriptors are free: PAPI opens files under /sys when it starts, and ends the
/// process if it cannot open one.
bool descriptors_are_plenty() {
  constexpr int kNeeded = 24;
  int fds[kNeeded];
  int opened = 0;
  while (opened < kNeeded && (fds[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) ++opened;
  for (int i = 0; i < opened; ++i) close(fds[i]);
  return opened == kNeeded;
}

const char* open_papi() {
  if (!descriptors_are_plenty())
    return "too few file descriptors are left (ulimit -n) to start PAPI safely";
  char soname[32];
  snprintf(soname, sizeof soname, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
           PAPI_VERSION_MINOR(PAPI_VERSION));
  char major[32];
  snprintf(major, sizeof major, "libpapi.so.%d", PAPI_VERSION_MAJOR(PAPI_VERSION));
  if (dlopen(soname, RTLD_NOLOAD | RTLD_LAZY) != nullptr ||
      dlopen(major, RTLD_NOLOAD | RTLD_LAZY) != nullptr)
    return "the program uses PAPI itself";
  // RTLD_NOW, so that no symbol is bound for the first time inside a signal handler.
  void* library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen(major, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "libpapi is not installed on this node";
  PapiApi& a = g_api;
  if (!find(library, "PAPI_library_init", &a.library_init) ||
      !find(library, "PAPI_thread_init", &a.thread_init) ||
      !find(library, "PAPI_register_thread", &a.register_thread) ||
      !find(library, "PAPI_unregister_thread", &a.unregister_thread) ||
      !find(library, "PAPI_event_name_to_code", &a.event_name_to_code) ||
      !find(library, "PAPI_create_eventset", &a.create_eventset) ||
      !find(library, "PAPI_cleanup_eventset", &a.cleanup_eventset) ||
      !find(library, "PAPI_destroy_eventset", &a.destroy_eventset) ||
      !find(library, "PAPI_add_event", &a.add_event) ||
      !find(library, "PAPI_overflow", &a.overflow) ||
      !find(library, "PAPI_get_overflow_event_index", &a.get_overflow_event_index) ||
      !find(library, "PAPI_get_component_index", &a.get_component_index) ||
      !find(library, "PAPI_get_component_info", &a.get_component_info) ||
      !find(library, "PAPI_get_event_info", &a.get_event_info) ||
      !find(library, "PAPI_get_opt", &a.get_opt) || !find(library, "PAPI_strerror", &a.strerror))
    return "libpapi lacks a function";
  if (a.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return "PAPI_library_init failed";
  if (a.thread_init(this_thread) != PAPI_OK) return "PAPI_thread_init failed";
  const int version = a.get_opt(PAPI_LIB_VERSION, nullptr);
  snprintf(g_version, sizeof g_version, "%d.%d.%d.%d", PAPI_VERSION_MAJOR(version),
           PAPI_VERSION_MINOR(version), PAPI_VERSION_REVISION(version),
           PAPI_VERSION_INCREMENT(version));
  return nullptr;
}

}  // namespace

const PapiApi* papi(const char** why) {
  static const char* const failure = open_papi();
  *why = failure;
  return failure == nullptr ? &g_api : nullptr;
}

const char* papi_version() { return g_version[0] != '\0' ? g_version : nullptr; }

}  // namespace apmt::sampler
