// A program without MPI that loads an extension with MPI. It uses RTLD_LOCAL, as interpreters do,
// so that only the extension sees MPI's symbols. This file is compiled twice: as the program and,
// with PLUGIN defined, as the extension.
#ifdef PLUGIN

#include <mpi.h>

#include "expect.h"

int work(void) {
  int rank, size, one = 1, sum = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_call("MPI_Allreduce", size, 4, 4);
  MPI_Finalize();
  expect_write(rank);
  return sum == size ? 0 : 1;
}

#else

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* const plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  int (*work)(void) = (int (*)(void))dlsym(plugin, "work");
  return work();
}

#endif
