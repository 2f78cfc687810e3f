// cg-poisson: conjugate gradients on the 5-point Poisson matrix of a square grid, stored in CSR.
//
// The lines of the grid are distributed among the ranks in contiguous blocks. In each iteration a
// rank gets one line from the rank below and one from the rank above, multiplies its rows of the
// matrix by a vector, and takes part in two dot products. The right-hand side is rough, so that
// convergence takes about 4 n iterations on an n x n grid.
//
// The result is checked without the matrix and without the halo exchange: w . r must equal w . b -
// (A w) . x, where r is the residual of the iteration, and w a pseudo-random vector. Every rank can
// compute w, and so A w, at any grid point. Also, x . r must be zero.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace {

const int kDefaultPoints = 1024, kDefaultIterations = 200;
const int kMaxPoints = 16384, kMaxIterations = 1000000;
const double kTolerance = 1e-10;  // largest relative error allowed in the two checks
const double kConverged = 1e-13;  // solve() stops changing x at this residual / first residual

typedef std::vector<double> Vector;

// The block of one rank: lines first_line .. first_line + lines - 1 of the grid, counted from 0. A
// vector that is multiplied by the matrix also has a halo: the line below the block, stored before
// its first line, and the line above the block, stored after its last line.
struct Block {
  int points;
  int first_line;
  int lines;
  int below, above;  // neighbouring ranks or MPI_PROC_NULL
  std::size_t rows() const { return std::size_t(lines) * std::size_t(points); }
};

struct Csr {
  std::vector<int> start;   // index of each row's first entry in column and value, then their size
  std::vector<int> column;  // index into a vector with halo
  std::vector<double> value;
};

}  // namespace

NOINLINE void spmv(const Csr& a, const double* x_with_halo, double* y) {
  const std::size_t rows = a.start.size() - 1;
  const int* const start = a.start.data();
  const int* const column = a.column.data();
  const double* const value = a.value.data();
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int k = start[row]; k < start[row + 1]; ++k) sum += value[k] * x_with_halo[column[k]];
    y[row] = sum;
  }
}

NOINLINE double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// x += alpha p, r -= alpha q
NOINLINE void update_solution(double* x, double* r, const double* p, const double* q, double alpha,
                              std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
}

// p = r + beta p
NOINLINE void update_direction(double* p, const double* r, double beta, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
}

NOINLINE void exchange_halo(double* x_with_halo, const Block& block) {
  const int n = block.points;
  double* const lower_halo = x_with_halo;
  double* const first = x_with_halo + n;
  double* const last = x_with_halo + block.rows();
  double* const upper_halo = last + n;
  MPI_Sendrecv(last, n, MPI_DOUBLE, block.above, 0, lower_halo, n, MPI_DOUBLE, block.below, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(first, n, MPI_DOUBLE, block.below, 1, upper_halo, n, MPI_DOUBLE, block.above, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

namespace {

double sum_over_ranks(double mine) {
  double total = 0.0;
  MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

// A pseudo-random number in [0, 1) that depends only on the point and the salt.
double noise(int line, int point, std::uint64_t salt) {
  std::uint64_t h = (std::uint64_t(line) << 32 | std::uint64_t(point)) + salt * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return double((h ^ (h >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

double right_hand_side(int line, int point) { return 1.0 + noise(line, point, 1); }

// The vector w of the check; 0 outside the grid.
double weight(const Block& b, int line, int point) {
  const bool inside = line >= 0 && line < b.points && point >= 0 && point < b.points;
  return inside ? noise(line, point, 2) : 0.0;
}

Csr make_matrix(const Block& b) {
  Csr a;
  a.start.reserve(b.rows() + 1);
  a.column.reserve(5 * b.rows());
  a.value.reserve(5 * b.rows());
  a.start.push_back(0);
  for (int line = 0; line < b.lines; ++line) {
    for (int point = 0; point < b.points; ++point) {
      const int centre = (line + 1) * b.points + point;
      const int global_line = b.first_line + line;
      const auto add = [&a](bool present, int column, double value) {
        if (!present) return;
        a.column.push_back(column);
        a.value.push_back(value);
      };
      add(global_line > 0, centre - b.points, -1.0);
      add(point > 0, centre - 1, -1.0);
      add(true, centre, 4.0);
      add(point < b.points - 1, centre + 1, -1.0);
      add(global_line < b.points - 1, centre + b.points, -1.0);
      a.start.push_back(int(a.column.size()));
    }
  }
  return a;
}

void print_usage(std::FILE* out) {
  std::fprintf(out,
               "usage: cg-poisson [points [iterations]]\n"
               "  points      points of the grid along each side, 1 to %d (default %d)\n"
               "  iterations  CG iterations, 1 to %d (default %d)\n",
               kMaxPoints, kDefaultPoints, kMaxIterations, kDefaultIterations);
}

// Ends the program. All ranks call this, with the same status.
void leave(int status) {
  MPI_Finalize();
  std::exit(status);
}

int parse_count(const char* text, const char* what, int max, int rank) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 1 || value > max) {
    if (rank == 0) {
      std::fprintf(stderr, "cg-poisson: '%s' is not a number of %s from 1 to %d\n", text, what,
                   max);
      print_usage(stderr);
    }
    leave(2);
  }
  return int(value);
}

Block make_block(int points, int rank, int ranks) {
  const int least = points / ranks, more = points % ranks;
  Block b;
  b.points = points;
  b.lines = least + (rank < more ? 1 : 0);
  b.first_line = rank * least + (rank < more ? rank : more);
  b.below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  b.above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  return b;
}

struct Solution {
  Vector x, r;
  double first_rr, last_rr;
  double seconds;
};

// Always makes all iterations, so that the amount of work does not depend on rounding errors. After
// convergence, alpha and beta are zero, and the solution stays as it is.
Solution solve(const Block& block, int iterations) {
  const std::size_t rows = block.rows(), line = std::size_t(block.points);
  const Csr matrix = make_matrix(block);
  Solution s;
  s.x.assign(rows, 0.0);
  s.r.resize(rows);
  for (int i = 0; i < block.lines; ++i)
    for (int j = 0; j < block.points; ++j)
      s.r[std::size_t(i) * line + std::size_t(j)] = right_hand_side(block.first_line + i, j);
  Vector q(rows), p_with_halo(rows + 2 * line, 0.0);
  double* const p = p_with_halo.data() + line;
  std::memcpy(p, s.r.data(), rows * sizeof *p);

  double rr = sum_over_ranks(dot(s.r.data(), s.r.data(), rows));
  s.first_rr = rr;
  const double begin = MPI_Wtime();
  for (int k = 0; k < iterations; ++k) {
    const bool frozen = rr <= kConverged * kConverged * s.first_rr;
    exchange_halo(p_with_halo.data(), block);
    spmv(matrix, p_with_halo.data(), q.data());
    const double pq = sum_over_ranks(dot(p, q.data(), rows));
    const double alpha = frozen ? 0.0 : rr / pq;
    update_solution(s.x.data(), s.r.data(), p, q.data(), alpha, rows);
    const double new_rr = sum_over_ranks(dot(s.r.data(), s.r.data(), rows));
    const double beta = frozen ? 0.0 : new_rr / rr;
    update_direction(p, s.r.data(), beta, rows);
    rr = new_rr;
  }
  s.seconds = MPI_Wtime() - begin;
  s.last_rr = rr;
  return s;
}

// The sums over all points that the checks need, collected from all ranks in one call.
struct Sums {
  double xb, xr, xx;    // x . b, x . r, x . x
  double wr, wr_other;  // w . r, and w . b - (A w) . x
  double scale;         // sum of the magnitudes of the terms in wr_other
};

Sums check_sums(const Block& block, const Solution& s) {
  Sums mine = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < block.lines; ++i) {
    for (int j = 0; j < block.points; ++j) {
      const int line = block.first_line + i;
      const std::size_t row = std::size_t(i) * std::size_t(block.points) + std::size_t(j);
      const double x = s.x[row], r = s.r[row], b = right_hand_side(line, j);
      const double w = weight(block, line, j);
      const double aw = 4.0 * w - weight(block, line - 1, j) - weight(block, line + 1, j) -
                        weight(block, line, j - 1) - weight(block, line, j + 1);
      mine.xb += x * b;
      mine.xr += x * r;
      mine.xx += x * x;
      mine.wr += w * r;
      mine.wr_other += w * b - aw * x;
      mine.scale += w * b + std::fabs(aw * x);
    }
  }
  Sums total;
  MPI_Allreduce(&mine, &total, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

int run(int argc, char** argv, int rank, int ranks) {
  if (argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
    if (rank == 0) print_usage(stdout);
    leave(0);
  }
  if (argc > 3) {
    if (rank == 0) {
      std::fprintf(stderr, "cg-poisson: at most two arguments, not %d\n", argc - 1);
      print_usage(stderr);
    }
    leave(2);
  }
  const int points = argc > 1 ? parse_count(argv[1], "points", kMaxPoints, rank) : kDefaultPoints;
  const int iterations =
      argc > 2 ? parse_count(argv[2], "iterations", kMaxIterations, rank) : kDefaultIterations;
  if (ranks > points) {
    if (rank == 0)
      std::fprintf(stderr, "cg-poisson: %d ranks need at least %d points a side, not %d\n", ranks,
                   ranks, points);
    leave(2);
  }

  const Block block = make_block(points, rank, ranks);
  const Solution s = solve(block, iterations);
  const Sums sums = check_sums(block, s);
  const double operator_error = std::fabs(sums.wr - sums.wr_other) / sums.scale;
  const double orthogonality_error = std::fabs(sums.xr) / std::sqrt(sums.xx * s.first_rr);
  const bool good = operator_error <= kTolerance && orthogonality_error <= kTolerance;
  if (rank == 0) {
    std::printf("cg-poisson: %d x %d points on %d %s, %d iterations, residual %.3e, %.3f s\n",
                points, points, ranks, ranks == 1 ? "rank" : "ranks", iterations,
                std::sqrt(s.last_rr / s.first_rr), s.seconds);
    if (good)
      std::printf("ok cg-poisson %d %d checksum %.7e\n", points, iterations, sums.xb);
    else
      std::printf(
          "failed: residual against the matrix %.3e, solution against the residual %.3e, "
          "more than %.0e\n",
          operator_error, orthogonality_error, kTolerance);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0, ranks = 1, status = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    status = run(argc, argv, rank, ranks);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "cg-poisson: no memory for the problem\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
