/* Rank 0 stays where the program was started. Every other rank makes a directory and changes to it, by name or by
 * descriptor. All ranks write a file there at the beginning, after many messages, and after MPI_Finalize. */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char* when, int rank) {
  char name[32];
  snprintf(name, sizeof name, "%s%d", when, rank);
  FILE* file = fopen(name, "w");
  if (file == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  fprintf(file, "%d\n", rank);
  fclose(file);
}

int main(int argc, char** argv) {
  int rank, ranks, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank > 0) {
    char name[32];
    snprintf(name, sizeof name, "rank%d", rank);
    if (chdir("no such directory") == 0 || errno != ENOENT) MPI_Abort(MPI_COMM_WORLD, 2);
    if (mkdir(name, 0777) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank % 2 == 1) {
      if (chdir(name) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
    } else {
      const int directory = open(name, O_RDONLY | O_DIRECTORY);
      if (directory < 0 || fchdir(directory) != 0) MPI_Abort(MPI_COMM_WORLD, 5);
      close(directory);
    }
  }
  write_file("begin", rank);
  for (int i = 0; i < 20; ++i) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &sum, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0 && i == 10) { /* up and down again: relative to the rank's own directory */
      char back[64];
      snprintf(back, sizeof back, "rank%d", rank);
      if (chdir("..") != 0) MPI_Abort(MPI_COMM_WORLD, 6);
      MPI_Barrier(MPI_COMM_WORLD);
      if (chdir(back) != 0) MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (i == 10) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  write_file("middle", rank);
  MPI_Finalize();
  write_file("end", rank);
  return 0;
}
