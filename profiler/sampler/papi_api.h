// Loads PAPI at run time. On a node without PAPI, there are no counters, but the program runs. If
// the program uses PAPI itself, the recorder does not use it.
#pragma once

#include <papi.h>

namespace apmt::sampler {

struct PapiApi {
  decltype(&PAPI_library_init) library_init;
  decltype(&PAPI_thread_init) thread_init;
  decltype(&PAPI_register_thread) register_thread;
  decltype(&PAPI_event_name_to_code) event_name_to_code;
  decltype(&PAPI_create_eventset) create_eventset;
  decltype(&PAPI_add_event) add_event;
  decltype(&PAPI_overflow) overflow;
  decltype(&PAPI_cleanup_eventset) cleanup_eventset;
  decltype(&PAPI_destroy_eventset) destroy_eventset;
  decltype(&PAPI_unregister_thread) unregister_thread;
  decltype(&PAPI_get_overflow_event_index) get_overflow_event_index;
  decltype(&PAPI_get_component_index) get_component_index;
  decltype(&PAPI_get_component_info) get_component_info;
  decltype(&PAPI_get_event_info) get_event_info;
  decltype(&PAPI_get_opt) get_opt;
  decltype(&PAPI_strerror) strerror;
};

/// Loads and initialises PAPI at the first call. Returns nullptr and sets `*why` if that failed.
const PapiApi* papi(const char** why);

/// The version, such as "7.0.0.0", if PAPI is in use; nullptr otherwise.
const char* papi_version();

}  // namespace apmt::sampler
