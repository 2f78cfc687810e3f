// Every rank computes on a thread of its own and waits for it.
#include <math.h>
#include <mpi.h>
#include <pthread.h>

static void* work(void* x) {
  for (int i = 0; i < 10000000; ++i) *(double*)x = sqrt(*(double*)x + 1);
  return x;
}

int main(int argc, char** argv) {
  double x = 1;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  if (pthread_create(&thread, NULL, work, &x) != 0) return 1;
  pthread_join(thread, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return x > 0 ? 0 : 1;
}
