/* amdahl: a serial part on rank 0, and a parallel part that is less balanced on more ranks.
 *
 * In each step, rank 0 alone computes a table of seeds and broadcasts it. Then all ranks share the
 * work units of the step, unevenly on purpose, and sum up the results. A unit is a fixed number of
 * steps of a linear congruential generator: a chain of dependent integer operations without memory
 * accesses. The end of the chain can also be computed directly, by jumping ahead, and the order in
 * which integers are added does not matter. So every result is checked exactly.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum { kDefaultUnits = 16000, kDefaultSteps = 50, kSerialShare = 50 };
enum { kMaxUnits = 100000000, kMaxSteps = 1000000, kMaxSerial = 1000000 };
enum { kChain = 2000, kMaxRanks = 65536 };

static const uint64_t kMultiplier = 6364136223846793005u;
static const uint64_t kIncrement = 1442695040888963407u;

typedef struct {
  uint64_t multiplier, increment;
} Affine; /* x -> multiplier * x + increment, modulo 2^64 */

static void print_usage(FILE* out) {
  fprintf(out,
          "usage: amdahl [units [steps [serial]]]\n"
          "  units   units of parallel work per step, 1 to %d (default %d)\n"
          "  steps   steps, 1 to %d (default %d)\n"
          "  serial  units of serial work per step, 1 to %d (default units / %d, at least 1)\n",
          kMaxUnits, kDefaultUnits, kMaxSteps, kDefaultSteps, kMaxSerial, kSerialShare);
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
      fprintf(stderr, "amdahl: '%s' is not a number of %s from 1 to %d\n", text, what, max);
      print_usage(stderr);
    }
    leave(2);
  }
  return (int)value;
}

static uint64_t* allocate(int count) {
  uint64_t* memory = calloc((size_t)count, sizeof *memory);
  if (memory == NULL) {
    fprintf(stderr, "amdahl: no memory for %d values\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* One unit of work: kChain steps of the generator, each of which needs the previous one. */
static inline uint64_t unit(uint64_t x) {
  for (int i = 0; i < kChain; ++i) x = x * kMultiplier + kIncrement;
  return x;
}

static uint64_t seed(int step, int index) {
  return ((uint64_t)step << 32 | (uint64_t)index) * 0x9e3779b97f4a7c15u;
}

/* The serial part, which only rank 0 runs: one unit of work for each entry of the table. */
NOINLINE static void serial_part(uint64_t* table, int serial, int step) {
  for (int i = 0; i < serial; ++i) table[i] = unit(seed(step, i));
}

/* Runs the units first .. last - 1 of the parallel part and returns the sum of their results. */
NOINLINE static uint64_t parallel_part(const uint64_t* table, int serial, int first, int last) {
  uint64_t sum = 0;
  for (int i = first; i < last; ++i) sum += unit(table[i % serial] + (uint64_t)i);
  return sum;
}

/* The effect of kChain steps of the generator as one affine map, by repeated squaring. */
static Affine unit_at_once(void) {
  Affine result = {1, 0}, power = {kMultiplier, kIncrement};
  for (int left = kChain; left > 0; left /= 2) {
    if (left % 2 == 1) {
      result.increment = result.increment * power.multiplier + power.increment;
      result.multiplier *= power.multiplier;
    }
    power.increment *= power.multiplier + 1;
    power.multiplier *= power.multiplier;
  }
  return result;
}

/* The sum over all units of a step, computed directly instead of in kChain steps each. */
static uint64_t expected_sum(Affine at_once, int units, int serial, int step) {
  uint64_t inputs = 0;
  for (int i = 0; i < serial && i < units; ++i) {
    const uint64_t entry = seed(step, i) * at_once.multiplier + at_once.increment;
    inputs += entry * (uint64_t)((units - 1 - i) / serial + 1); /* how often it is used */
  }
  inputs += (uint64_t)units * (uint64_t)(units - 1) / 2;
  return inputs * at_once.multiplier + (uint64_t)units * at_once.increment;
}

/* The first step whose sum is not as expected, or -1. */
NOINLINE static int first_wrong_step(const uint64_t* sums, int units, int steps, int serial) {
  const Affine at_once = unit_at_once();
  for (int step = 0; step < steps; ++step)
    if (sums[step] != expected_sum(at_once, units, serial, step)) return step;
  return -1;
}

/* The first unit of a rank. From the first to the last rank, the work of a rank rises from 1 - h to
 * 1 + h times the mean, with h = 0.05 log2(ranks). */
static int first_unit(int units, int rank, int ranks) {
  const double h = 0.05 * log2((double)ranks);
  const double s = (double)rank / ranks;
  return (int)(units * (s - h * s * (1.0 - s)) + 0.5);
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
  if (argc > 4) {
    if (rank == 0) {
      fprintf(stderr, "amdahl: at most three arguments, not %d\n", argc - 1);
      print_usage(stderr);
    }
    leave(2);
  }
  const int units = argc > 1 ? parse_count(argv[1], "units", kMaxUnits, rank) : kDefaultUnits;
  const int steps = argc > 2 ? parse_count(argv[2], "steps", kMaxSteps, rank) : kDefaultSteps;
  const int share = units / kSerialShare > kMaxSerial ? kMaxSerial : units / kSerialShare;
  const int serial = argc > 3    ? parse_count(argv[3], "serial units", kMaxSerial, rank)
                     : share > 0 ? share
                                 : 1;
  if (ranks > kMaxRanks) {
    if (rank == 0) fprintf(stderr, "amdahl: at most %d ranks, not %d\n", kMaxRanks, ranks);
    leave(2);
  }

  uint64_t* table = allocate(serial);
  uint64_t* sums = allocate(steps);
  const int first = first_unit(units, rank, ranks);
  const int last = first_unit(units, rank + 1, ranks);

  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    if (rank == 0) serial_part(table, serial, step);
    MPI_Bcast(table, serial, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    const uint64_t mine = parallel_part(table, serial, first, last);
    MPI_Allreduce(&mine, &sums[step], 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - begin;

  const int wrong = first_wrong_step(sums, units, steps, serial);
  uint64_t checksum = 0;
  for (int step = 0; step < steps; ++step) checksum = checksum * 31 + sums[step];
  if (rank == 0) {
    printf("amdahl: %d units and %d serial units on %d %s, %d steps, %.3f s\n", units, serial,
           ranks, ranks == 1 ? "rank" : "ranks", steps, seconds);
    if (wrong < 0)
      printf("ok amdahl %d %d %d checksum %016llx\n", units, steps, serial,
             (unsigned long long)checksum);
    else
      printf("failed: the sum of step %d is %016llx, not %016llx\n", wrong,
             (unsigned long long)sums[wrong],
             (unsigned long long)expected_sum(unit_at_once(), units, serial, wrong));
  }
  free(table);
  free(sums);
  MPI_Finalize();
  return wrong < 0 ? 0 : 1;
}
