#include "profiler/sampler/papi_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

namespace apmt::sampler {
namespace {

PapiApi g_api;

template <typename Function>
bool find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

unsigned long this_thread() { return static_cast<unsigned long>(pthread_self()); }

const char* open_papi() {
  char soname[32];
  snprintf(soname, sizeof soname, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
           PAPI_VERSION_MINOR(PAPI_VERSION));
  char major[32];
  snprintf(major, sizeof major, "libpapi.so.%d", PAPI_VERSION_MAJOR(PAPI_VERSION));
  if (dlopen(soname, RTLD_NOLOAD | RTLD_LAZY) != nullptr || dlopen(major, RTLD_NOLOAD | RTLD_LAZY) != nullptr)
    return "the program uses PAPI itself";
  // RTLD_NOW: no symbol of it may be bound for the first time inside a signal handler.
  void* library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen(major, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "libpapi is not installed on this node";
  PapiApi& a = g_api;
  if (!find(library, "PAPI_library_init", &a.library_init) ||
      !find(library, "PAPI_thread_init", &a.thread_init) ||
      !find(library, "PAPI_register_thread", &a.register_thread) ||
      !find(library, "PAPI_event_name_to_code", &a.event_name_to_code) ||
      !find(library, "PAPI_create_eventset", &a.create_eventset) ||
      !find(library, "PAPI_add_event", &a.add_event) || !find(library, "PAPI_overflow", &a.overflow) ||
      !find(library, "PAPI_start", &a.start) || !find(library, "PAPI_stop", &a.stop) ||
      !find(library, "PAPI_read", &a.read) || !find(library, "PAPI_strerror", &a.strerror))
    return "libpapi lacks a function";
  if (a.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return "PAPI_library_init failed";
  if (a.thread_init(this_thread) != PAPI_OK) return "PAPI_thread_init failed";
  return nullptr;
}

}  // namespace

const PapiApi* papi(const char** why) {
  static const char* const failure = open_papi();
  *why = failure;
  return failure == nullptr ? &g_api : nullptr;
}

}  // namespace apmt::sampler
