// kinds KIND KIBIBYTES ROUNDS: runs a kernel whose bound is known, with MPI_Allreduce after each
// round. KIND is
//   chase    loads in random order from all of the memory; each load depends on the one before
//   triad    a = b + s c; the three arrays share the memory
//   product  a matrix product in the order i k j; the three matrices share the memory
// The memory (KIBIBYTES in all) is divided among the ranks; in product, only the rows of the result
// are divided. The work of a round hardly depends on the size of the memory.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLine = 64 };

struct Node {
  struct Node* next;
  char rest[kLine - sizeof(void*)];
};

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

// Links all nodes in one random cycle (Sattolo's shuffle).
static struct Node* make_cycle(size_t count) {
  struct Node* nodes = malloc(count * sizeof *nodes);
  size_t* order = malloc(count * sizeof *order);
  if (nodes == NULL || order == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) order[i] = i;
  for (size_t i = count - 1; i > 0; --i) {
    const size_t other = next_random() % i;
    const size_t swapped = order[i];
    order[i] = order[other];
    order[other] = swapped;
  }
  for (size_t i = 0; i < count; ++i) nodes[order[i]].next = &nodes[order[(i + 1) % count]];
  free(order);
  return nodes;
}

__attribute__((noinline)) static const struct Node* chase(const struct Node* at, long steps) {
  for (long i = 0; i < steps; ++i) at = at->next;
  return at;
}

__attribute__((noinline)) static void triad(double* a, const double* b, const double* c, size_t from,
                                            size_t to) {
  for (size_t i = from; i < to; ++i) a[i] = b[i] + 3.0 * c[i];
}

__attribute__((noinline)) static void product(double* c, const double* a, const double* b, size_t rows,
                                              size_t n) {
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void reduce(double* sum) {
  MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static double* array(size_t count, double value) {
  double* values = malloc(count * sizeof *values);
  if (values == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  for (size_t i = 0; i < count; ++i) values[i] = value;
  return values;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const size_t bytes = argc == 4 ? strtoull(argv[2], NULL, 10) * 1024 : 0;
  const long rounds = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
  if (bytes < 4096 || rounds < 1) {
    if (rank == 0) fprintf(stderr, "usage: kinds chase|triad|product KIBIBYTES ROUNDS\n");
    MPI_Finalize();
    return 2;
  }
  const size_t mine = bytes / (size_t)ranks;
  double sum = 0;
  if (strcmp(argv[1], "chase") == 0) {
    const struct Node* nodes = make_cycle(mine / sizeof *nodes);
    if (nodes == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    const struct Node* at = nodes;
    const long steps = 200000 / ranks;
    for (long r = 0; r < rounds; ++r) {
      at = chase(at, steps);
      sum = at == NULL;
      reduce(&sum);
    }
  } else if (strcmp(argv[1], "triad") == 0) {
    const size_t count = mine / (3 * sizeof(double)), share = 4000000 / (size_t)ranks;
    double* a = array(count, 0);
    const double *b = array(count, 1), *c = array(count, 2);
    size_t from = 0;
    for (long r = 0; r < rounds; ++r) {
      for (size_t done = 0; done < share;) {
        const size_t now = count - from < share - done ? count - from : share - done;
        triad(a, b, c, from, from + now);
        done += now;
        from = (from + now) % count;
      }
      sum = a[0];
      reduce(&sum);
    }
  } else if (strcmp(argv[1], "product") == 0) {
    size_t n = 8;
    while (3 * (n + 8) * (n + 8) * sizeof(double) <= bytes) n += 8;
    const size_t rows = n / (size_t)ranks;
    double* c = array(n * n, 0);
    const double *a = array(n * n, 1e-6), *b = array(n * n, 1e-6);
    const long times = (long)(20000000 / (n * n * n)) + 1;
    for (long r = 0; r < rounds; ++r) {
      for (long t = 0; t < times; ++t) product(c, a, b, rows, n);
      sum = c[0];
      reduce(&sum);
    }
  } else {
    if (rank == 0) fprintf(stderr, "no such kind: %s\n", argv[1]);
    MPI_Finalize();
    return 2;
  }
  if (rank == 0) printf("ok %g\n", sum);
  MPI_Finalize();
  return 0;
}
