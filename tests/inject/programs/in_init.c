// A library that is preloaded after the recorder: its PMPI_Init_thread starts a thread, as some
// MPIs and tools do.
#define _GNU_SOURCE
#include <dlfcn.h>

typedef int Init(int*, char***, int, int*);

int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  void (*const begin)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "begin_worker");
  if (begin != 0) begin();
  return ((Init*)dlsym(RTLD_NEXT, "PMPI_Init_thread"))(argc, argv, required, provided);
}
