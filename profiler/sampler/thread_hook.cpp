// Wraps pthread_create, so that a new thread registers itself before it executes code of the
// program.

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "profiler/runtime/threads.h"

namespace apmt::sampler {
namespace {

using Routine = void* (*)(void*);
using PthreadCreate = int (*)(pthread_t*, const pthread_attr_t*, Routine, void*);

struct Beginning {
  Routine routine;
  void* argument;
};

void* begin_thread(void* data) {
  const Beginning beginning = *static_cast<Beginning*>(data);
  free(data);
  rt::enter_thread();
  return beginning.routine(beginning.argument);
}

PthreadCreate real_pthread_create() {
  static const PthreadCreate real =
      reinterpret_cast<PthreadCreate>(dlsym(RTLD_NEXT, "pthread_create"));
  return real;
}

}  // namespace

int create(pthread_t* thread, const pthread_attr_t* attributes, Routine routine, void* argument) {
  const PthreadCreate real = real_pthread_create();
  Beginning* beginning =
      rt::followed() ? static_cast<Beginning*>(malloc(sizeof(Beginning))) : nullptr;
  if (beginning == nullptr) return real(thread, attributes, routine, argument);
  *beginning = {routine, argument};
  const int error = real(thread, attributes, begin_thread, beginning);
  if (error != 0) free(beginning);
  return error;
}

}  // namespace apmt::sampler

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  return apmt::sampler::create(thread, attributes, routine, argument);
}
