/* halo2d: Jacobi iteration on a square grid that is divided into a 2-D grid of blocks.
 *
 * In each iteration a rank exchanges one layer of points with up to four neighbouring ranks and
 * replaces every point by the mean of its four neighbours; then the largest change is reduced over
 * all ranks. The grid starts with the steady state plus two eigenmodes of the iteration, so the
 * result after any number of iterations is known in closed form and is checked point by point.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum {
  kDefaultPoints = 2000,
  kDefaultIterations = 200,
  kMaxPoints = 32768,
  kMaxIterations = 1000000
};
enum { kWest, kEast, kSouth, kNorth, kSides };

static const double kTolerance = 1e-9;
static const double kPi = 3.14159265358979323846;

/* The block of one rank: nx x ny points, of which the first is the global point (x0, y0), counted
 * from 1. A layer of one point around it contains the neighbours' points or the fixed boundary. */
typedef struct {
  int x0, y0, nx, ny;
  int neighbour[kSides]; /* MPI_PROC_NULL at the edge of the grid */
} Block;

static size_t at(const Block* b, int x, int y) {
  return (size_t)y * ((size_t)b->nx + 2) + (size_t)x;
}

static void print_usage(FILE* out) {
  fprintf(out,
          "usage: halo2d [points [iterations]]\n"
          "  points      points of the grid along each side, 1 to %d (default %d)\n"
          "  iterations  Jacobi iterations, 1 to %d (default %d)\n",
          kMaxPoints, kDefaultPoints, kMaxIterations, kDefaultIterations);
}

/* Ends the program. All ranks call this, with the same status. */
static void leave(int status) {
  MPI_Finalize();
  exit(status);
}

static int parse_count(const char* text, const char* what, int max, int rank) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 1 || value > max) {
    if (rank == 0) {
      fprintf(stderr, "halo2d: '%s' is not a number of %s from 1 to %d\n", text, what, max);
      print_usage(stderr);
    }
    leave(2);
  }
  return (int)value;
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "halo2d: no memory for %zu values\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* The largest divisor of `ranks` that is not above its square root. */
static int blocks_along_x(int ranks) {
  int best = 1;
  for (int d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0) best = d;
  return best;
}

/* Divides the points 1 .. points into `parts`, of which the first ones may have one point more.
 * Returns the first point of part `index` and its number of points. */
static void cut(int points, int parts, int index, int* first, int* count) {
  const int least = points / parts, more = points % parts;
  *count = least + (index < more);
  *first = 1 + index * least + (index < more ? index : more);
}

static Block make_block(int points, int px, int py, int rank) {
  const int cx = rank % px, cy = rank / px;
  Block b;
  cut(points, px, cx, &b.x0, &b.nx);
  cut(points, py, cy, &b.y0, &b.ny);
  b.neighbour[kWest] = cx > 0 ? rank - 1 : MPI_PROC_NULL;
  b.neighbour[kEast] = cx < px - 1 ? rank + 1 : MPI_PROC_NULL;
  b.neighbour[kSouth] = cy > 0 ? rank - px : MPI_PROC_NULL;
  b.neighbour[kNorth] = cy < py - 1 ? rank + px : MPI_PROC_NULL;
  return b;
}

/* sin(mode * pi * i / (points + 1)) for the points i of the block and of the layer around it. */
static double* sine_table(int mode, int points, int first, int count) {
  double* table = allocate((size_t)count + 2, sizeof *table);
  for (int i = 0; i < count + 2; ++i) table[i] = sin(mode * kPi * (first - 1 + i) / (points + 1));
  return table;
}

/* The factors of the two eigenmodes, x1[x] * y1[y] and x2[x] * y3[y], and the grid's spacing. */
typedef struct {
  double *x1, *y1, *x2, *y3;
  double spacing;
} Modes;

static Modes make_modes(const Block* b, int points) {
  Modes m = {sine_table(1, points, b->x0, b->nx), sine_table(1, points, b->y0, b->ny),
             sine_table(2, points, b->x0, b->nx), sine_table(3, points, b->y0, b->ny),
             1.0 / (points + 1)};
  return m;
}

/* The exact value of a point when the two modes have shrunk to the given factors. */
static double exact_value(const Modes* m, const Block* b, int x, int y, double factor1,
                          double factor2) {
  const double gx = (b->x0 - 1 + x) * m->spacing, gy = (b->y0 - 1 + y) * m->spacing;
  const double steady = 1.0 + gx + 0.5 * gy + gx * gy;
  return steady + factor1 * m->x1[x] * m->y1[y] + factor2 * m->x2[x] * m->y3[y];
}

/* Fills the block and the layer around it, which is the boundary where there is no neighbour. */
static void set_start(double* u, const Block* b, const Modes* m) {
  for (int y = 0; y < b->ny + 2; ++y)
    for (int x = 0; x < b->nx + 2; ++x) u[at(b, x, y)] = exact_value(m, b, x, y, 1.0, 0.5);
}

NOINLINE static void exchange_halo(double* u, const Block* b, MPI_Datatype column) {
  double* const receive_at[kSides] = {u + at(b, 0, 1), u + at(b, b->nx + 1, 1), u + at(b, 1, 0),
                                      u + at(b, 1, b->ny + 1)};
  double* const send_from[kSides] = {u + at(b, 1, 1), u + at(b, b->nx, 1), u + at(b, 1, 1),
                                     u + at(b, 1, b->ny)};
  MPI_Request request[2 * kSides];
  MPI_Status status[2 * kSides];
  int requests = 0;
  for (int side = 0; side < kSides; ++side) {
    if (b->neighbour[side] == MPI_PROC_NULL) continue;
    const int is_column = side == kWest || side == kEast;
    MPI_Irecv(receive_at[side], is_column ? 1 : b->nx, is_column ? column : MPI_DOUBLE,
              b->neighbour[side], side ^ 1, MPI_COMM_WORLD, &request[requests++]);
  }
  for (int side = 0; side < kSides; ++side) {
    if (b->neighbour[side] == MPI_PROC_NULL) continue;
    const int is_column = side == kWest || side == kEast;
    MPI_Isend(send_from[side], is_column ? 1 : b->nx, is_column ? column : MPI_DOUBLE,
              b->neighbour[side], side, MPI_COMM_WORLD, &request[requests++]);
  }
  MPI_Waitall(requests, request, status);
}

NOINLINE static void jacobi_sweep(double* restrict to, const double* restrict from,
                                  const Block* b) {
  const size_t stride = (size_t)b->nx + 2;
  for (int y = 1; y <= b->ny; ++y) {
    const double* row = from + (size_t)y * stride;
    const double *south = row - stride, *north = row + stride;
    double* out = to + (size_t)y * stride;
    for (int x = 1; x <= b->nx; ++x)
      out[x] = 0.25 * ((row[x - 1] + row[x + 1]) + (south[x] + north[x]));
  }
}

NOINLINE static double largest_change(const double* a, const double* c, const Block* b) {
  double largest = 0.0;
  for (int y = 1; y <= b->ny; ++y)
    for (int x = 1; x <= b->nx; ++x) {
      const double change = fabs(a[at(b, x, y)] - c[at(b, x, y)]);
      if (change > largest) largest = change;
    }
  return largest;
}

/* The checksum does not depend on the number of ranks: every point has the same bits with any
 * number of ranks, and the order in which integers are added does not matter. */
static double checksum(const double* u, const Block* b, int points) {
  const double scale = 268435456.0; /* 2^28 */
  int64_t sum = 0, total = 0;
  for (int y = 1; y <= b->ny; ++y)
    for (int x = 1; x <= b->nx; ++x) sum += (int64_t)llrint(u[at(b, x, y)] * scale);
  MPI_Allreduce(&sum, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return (double)total / scale / points / points;
}

static double largest_error(const double* u, const Block* b, const Modes* m, int points,
                            int iterations) {
  const double w = kPi / (points + 1);
  const double factor1 = pow(cos(w), iterations);
  const double factor2 = 0.5 * pow(0.5 * (cos(2 * w) + cos(3 * w)), iterations);
  double error = 0.0, largest = 0.0;
  for (int y = 1; y <= b->ny; ++y)
    for (int x = 1; x <= b->nx; ++x) {
      const double off = fabs(u[at(b, x, y)] - exact_value(m, b, x, y, factor1, factor2));
      if (!(off <= error)) error = isnan(off) ? INFINITY : off;
    }
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    if (rank == 0) print_usage(stdout);
    leave(0);
  }
  if (argc > 3) {
    if (rank == 0) {
      fprintf(stderr, "halo2d: at most two arguments, not %d\n", argc - 1);
      print_usage(stderr);
    }
    leave(2);
  }
  const int points = argc > 1 ? parse_count(argv[1], "points", kMaxPoints, rank) : kDefaultPoints;
  const int iterations =
      argc > 2 ? parse_count(argv[2], "iterations", kMaxIterations, rank) : kDefaultIterations;
  const int px = blocks_along_x(ranks), py = ranks / px;
  if (py > points) {
    if (rank == 0)
      fprintf(stderr, "halo2d: %d ranks make %d x %d blocks and need %d points a side, not %d\n",
              ranks, px, py, py, points);
    leave(2);
  }

  const Block block = make_block(points, px, py, rank);
  const Modes modes = make_modes(&block, points);
  const size_t cells = ((size_t)block.nx + 2) * ((size_t)block.ny + 2);
  double* u = allocate(cells, sizeof *u);
  double* next = allocate(cells, sizeof *next);
  set_start(u, &block, &modes);
  memcpy(next, u, cells * sizeof *u);
  MPI_Datatype column;
  MPI_Type_vector(block.ny, 1, block.nx + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);

  const double begin = MPI_Wtime();
  double change = 0.0;
  for (int k = 0; k < iterations; ++k) {
    exchange_halo(u, &block, column);
    jacobi_sweep(next, u, &block);
    const double mine = largest_change(next, u, &block);
    MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double* const swap = u;
    u = next;
    next = swap;
  }
  const double seconds = MPI_Wtime() - begin;

  const double sum = checksum(u, &block, points);
  const double error = largest_error(u, &block, &modes, points, iterations);
  const int good = error <= kTolerance;
  if (rank == 0) {
    printf("halo2d: %d x %d points in %d x %d blocks, %d iterations, last change %.3e, %.3f s\n",
           points, points, px, py, iterations, change, seconds);
    if (good)
      printf("ok halo2d %d %d checksum %.12f\n", points, iterations, sum);
    else
      printf("failed: a point is %.3e away from its exact value, more than %.0e\n", error,
             kTolerance);
  }

  MPI_Type_free(&column);
  free(u);
  free(next);
  free(modes.x1);
  free(modes.y1);
  free(modes.x2);
  free(modes.y3);
  MPI_Finalize();
  return good ? 0 : 1;
}
