// Small functions. The comment beside a loop names its idioms; idioms_test.py reads these comments
// ("none" or no comment: no idiom). For each idiom there are loops that look similar but do not
// have it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline)) void

// Streams.
KERNEL triad(int n, double s, const double* a, const double* b, double* c) {
  for (int i = 0; i < n; ++i)  // stream
    c[i] = a[i] + s * b[i];
}
KERNEL backwards(int n, const double* a, double* c) {
  for (int i = n - 1; i >= 0; --i)  // stream
    c[i] = a[n - 1 - i];
}
KERNEL shifted(int n, const double* a, double* c) {
  for (int i = 1; i < n; ++i)  // stream
    c[i] = a[i - 1];
}
KERNEL pairs(int n, const double* a, double* c) {
  for (int i = 0; i < n / 2; ++i)  // stream
    c[i] = a[2 * i] + a[2 * i + 1];
}
KERNEL rank_one(int n, const double* x, const double* y, double* c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)  // stream
      c[i * n + j] += x[i] * y[j];
}
KERNEL scaled_rows(int n, const double* a, const double* x, double* c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)  // stream
      c[i * n + j] += a[i * n + j] * x[j];
}
KERNEL halves(int n, double* a) {
  for (int half = n / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)  // stream
      a[i] += a[i + half];
}
KERNEL search(int n, const double* a, int* where) {
  int i = 0;
  while (i < n && a[i] < 1e9) ++i;  // stream
  *where = i;
}
KERNEL copied_rows(int n, const double* a, double* c) {
  for (int i = 0; i < n; ++i)  // stream
    memcpy(c + i * n, a + i * n, n * sizeof *c);
}
// clang-format off
KERNEL in_one_line(int n, double* a) { int k = 1; for (int i = 0; i < n; ++i) a[i] = (double)(k + i); }  // stream
// clang-format on
KERNEL clamped(int n, double* a) {
  for (int i = 0; i < n; ++i)  // stream
    if (a[i] < 0.5) a[i] = 0.5;
}

// Not streams: the address or the value that is stored depends on the previous iteration. In
// compacted(), only the reading of the values for the `if` is a stream.
KERNEL compacted(int n, const double* a, double* c) {
  int kept = 0;
  for (int i = 0; i < n; ++i)  // stream
    if (a[i] > 0.5) c[kept++] = 1;
}
KERNEL recurrence(int n, const double* a, double* c) {
  for (int i = 1; i < n; ++i)  // none
    c[i] = 0.5 * c[i - 1] + a[i];
}
KERNEL prefix_sum(int n, double* a) {
  for (int i = 1; i < n; ++i)  // none
    a[i] += a[i - 1];
}
KERNEL running_sum(int n, const double* a, double* c) {
  double sum = 0;
  for (int i = 0; i < n; ++i)  // none
    c[i] = sum += a[i];
}
KERNEL random_fill(int n, double* a) {
  unsigned long state = 1;
  for (int i = 0; i < n; ++i) {  // none
    state = state * 6364136223846793005u + 1442695040888963407u;
    a[i] = (double)(state >> 33);
  }
}
KERNEL chase(int n, const int* next, int* where) {
  int at = 0;
  for (int i = 0; i < n; ++i)  // none
    at = next[at];
  *where = at;
}

// Indices that are computed without an index array belong to no idiom.
KERNEL wrapped(int n, const double* a, double* c) {
  for (int i = 0; i < n; ++i)  // stream
    c[i] = a[i % 7];
}
KERNEL hashed(int n, const double* a, int* where) {
  for (int i = 0; i < n; ++i)  // none
    if (a[(unsigned)i * 2654435761u & 15] > 1e9) *where = i;
}

// Transposes.
KERNEL transposed(int n, const double* a, double* c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)  // transpose
      c[j * n + i] = a[i * n + j];
}
KERNEL copied_by_columns(int n, const double* a, double* c) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)  // stream
      c[i * n + j] = a[i * n + j];
}

// Gathers and scatters.
KERNEL gathered(int n, const int* index, const double* a, double* c) {
  for (int i = 0; i < n; ++i)  // gather
    c[i] = a[index[i]];
}
KERNEL histogram_by_atomics(int n, const int* index, int* c) {
  for (int i = 0; i < n; ++i)  // scatter
    __atomic_fetch_add(&c[index[i] % 4], 1, __ATOMIC_RELAXED);
}
KERNEL scattered(int n, const int* index, const double* a, double* c) {
  for (int i = 0; i < n; ++i)  // scatter
    c[index[i]] = a[i];
}
KERNEL both(int n, const int* from, const int* to, const double* a, double* c) {
  for (int i = 0; i < n; ++i)  // gather, scatter
    c[to[i]] = a[from[i]];
}
KERNEL histogram(int n, const int* bin, double* count) {
  for (int i = 0; i < n; ++i)  // scatter
    count[bin[i]] += 1;
}
double mean_of_corners(const double* a, const int* corner, double weight);
double mean_of_corners(const double* a, const int* corner, double weight) {
  double x = a[corner[0]], y = a[corner[1]], z = a[corner[2]], w = a[corner[3]];
  double u = x * y + z * w, v = x * z + y * w, t = x * w + y * z;
  double s = weight * (x + y + z + w) + 0.1 * u + 0.2 * v + 0.3 * t;
  s += 0.01 * (x - y) * (z - w) + 0.02 * (x - z) * (y - w) + 0.03 * (x - w) * (y - z);
  return s + 0.001 * u * v * t + 0.002 * (u - v) * (v - t) * (t - u);
}
KERNEL through_a_function(int n, const int* corners, const double* a, double* c) {
  for (int i = 0; i < n / 4; ++i)  // gather
    c[i] = mean_of_corners(a, corners + 4 * i, 0.25);
}
KERNEL looked_up_once(int n, const int* index, const double* a, double* c) {
  const double* from = a + index[0];
  for (int i = 0; i < n; ++i)  // stream
    c[i] = from[0] + a[i];
}

// Reductions.
KERNEL dot(int n, const double* a, const double* b, double* result) {
  double sum = 0;
  for (int i = 0; i < n; ++i)  // reduction
    sum += a[i] * b[i];
  *result = sum;
}
KERNEL largest(int n, const double* a, double* result) {
  double best = a[0];
  int where = 0;
  for (int i = 1; i < n; ++i)  // reduction
    if (a[i] > best) best = a[i], where = i;
  *result = best + where;
}
KERNEL sparse(int n, const int* first, const int* column, const double* a, const double* x,
              double* y) {
  for (int i = 0; i < n; ++i) {  // stream
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; ++k)  // gather, reduction
      sum += a[k] * x[column[k]];
    y[i] = sum;
  }
}
KERNEL products_of_rows(int n, const double* a, const double* b, double* c) {
  for (int i = 0; i < n; ++i) {  // stream
    double sum = 0;
    for (int j = 0; j < n; ++j)  // reduction
      sum += a[i * n + j] * b[i * n + j];
    c[i] = sum;
  }
}
KERNEL inner_product_of_matrices(int n, const double* a, const double* b, double* result) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)  // reduction
        sum += a[i * n + k] * b[k * n + j];
  *result = sum;
}
KERNEL pi(int n, double* result) {
  double sum = 0;
  for (int i = 0; i < n; ++i)  // none
    sum += 1 / (1 + (double)i * i);
  *result = sum;
}

// Stencils.
KERNEL jacobi(int n, const double* a, double* c) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)  // stencil
      c[i * n + j] = a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j];
}
KERNEL gauss_seidel(int n, double* a) {
  for (int i = 1; i < n - 1; ++i)  // stencil
    a[i] = 0.5 * (a[i - 1] + a[i + 1]);
}
KERNEL kept_in_registers(int n, const double* a, double* c) {
  double left = a[0], here = a[1];
  for (int i = 1; i < n - 1; ++i) {  // stencil
    const double right = a[i + 1];
    c[i] = left + right - 2 * here;
    left = here, here = right;
  }
}
KERNEL convolution(int n, const double* a, const double* w, double* c) {
  for (int i = 0; i < n - 5; ++i) {  // stream
    double sum = 0;
    for (int x = 0; x < 5; ++x)  // stencil
      sum += a[i + x] * w[x];
    c[i] = sum;
  }
}
KERNEL in_two_statements(int n, const double* a, double* c) {
  for (int i = 1; i < n - 1; ++i) {  // stencil, stream
    if (a[i] > 0.5) c[i] += a[i - 1];
    if (a[i] < 0.9) c[i] += a[i + 1];
  }
}
KERNEL split_complex(int n, const double* a, double* c) {
  for (int i = 0; i < n; ++i)  // stream
    c[i] = a[i] * a[i] + a[i + n] * a[i + n];
}

// Products.
KERNEL product_ijk(int n, const double* a, const double* b, double* c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {  // stream
      double sum = 0;
      for (int k = 0; k < n; ++k)  // matrix-matrix product
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
KERNEL product_ikj(int n, double alpha, const double* a, const double* b, double* c) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const double factor = alpha * a[i * n + k];
      for (int j = 0; j < n; ++j)  // matrix-matrix product
        c[i * n + j] += factor * b[k * n + j];
    }
}
KERNEL product_of_rows(int n, double** a, double** b, double** c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)  // matrix-matrix product
        c[i][j] += a[i][k] * b[k][j];
}
KERNEL triangular(int n, const double* a, double* b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = i + 1; k < n; ++k)  // matrix-matrix product
        b[i * n + j] += a[k * n + i] * b[k * n + j];
}
KERNEL matrix_vector(int n, const double* a, const double* x, double* y) {
  for (int i = 0; i < n; ++i) {  // stream
    double sum = 0;
    for (int j = 0; j < n; ++j)  // matrix-vector product
      sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}
KERNEL vector_matrix(int n, const double* a, const double* x, double* y) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)  // matrix-vector product
      y[j] += x[i] * a[i * n + j];
}
// Not a product of matrices: the factors change while the loops run.
KERNEL factorised(int n, double* a) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {  // stream
      const double factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j)  // stream
        a[i * n + j] -= factor * a[k * n + j];
    }
}
// Not a product of matrices: q and r are computed from a, which changes because each step subtracts
// their product from it.
KERNEL orthogonalised(int n, double* a, double* q, double* r) {
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i)  // stream
      q[i * n + k] = a[i * n + k] * 0.5;
    for (int j = k + 1; j < n; ++j) {  // stream
      r[k * n + j] = q[k * n + k] * a[k * n + j];
      for (int i = 0; i < n; ++i)  // stream
        a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
  }
}
KERNEL solved(int n, const double* a, double* x) {
  for (int i = 0; i < n; ++i) {  // stream
    double sum = x[i];
    for (int j = 0; j < i; ++j)  // reduction
      sum -= a[i * n + j] * x[j];
    x[i] = sum / a[i * n + i];
  }
}
// Not a matrix-vector product: each diagonal has one value (Toeplitz), so this is a convolution
// with a long window.
KERNEL toeplitz(int n, const double* r, const double* x, double* y) {
  for (int i = 0; i < n; ++i) {  // stream
    double sum = 0;
    for (int j = 0; j < n; ++j)  // reduction
      sum += r[n + i - j] * x[j];
    y[i] = sum;
  }
}
// Shortest paths in a graph: there is no multiplication.
KERNEL shortest(int n, const double* a, const double* b, double* c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {  // stream
      double best = c[i * n + j];
      for (int k = 0; k < n; ++k) {  // reduction
        const double way = a[i * n + k] + b[k * n + j];
        if (way < best) best = way;
      }
      c[i * n + j] = best;
    }
}

static double value(int i) { return (i * 7 % 13) / 13.0 + 0.25; }

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 24, cells = n * n;
  double* v[8];
  double* rows[3][64];
  int *index = malloc(sizeof(int) * cells), *first = malloc(sizeof(int) * (cells + 1)), where = 0;
  for (int k = 0; k < 8; ++k) {
    v[k] = malloc(sizeof(double) * 2 * cells);
    for (int i = 0; i < 2 * cells; ++i) v[k][i] = value(i + k);
  }
  for (int i = 0; i < cells; ++i) index[i] = i * 5 % cells;
  for (int i = 0; i <= n; ++i) first[i] = i * 3;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < n; ++i) rows[k][i] = v[k + 5] + i * n;
  triad(n, 3, v[0], v[1], v[2]), backwards(n, v[0], v[2]), shifted(n, v[0], v[2]);
  pairs(n, v[0], v[2]), rank_one(n, v[0], v[1], v[2]), scaled_rows(n, v[0], v[1], v[2]);
  halves(n, v[3]), search(n, v[0], &where), clamped(n, v[3]), copied_rows(n, v[0], v[2]),
      in_one_line(n, v[3]), compacted(n, v[0], v[2]);
  recurrence(n, v[0], v[2]), prefix_sum(n, v[3]), running_sum(n, v[0], v[2]), random_fill(n, v[4]);
  chase(n, index, &where), transposed(n, v[0], v[2]), copied_by_columns(n, v[0], v[2]);
  int counts[4] = {0};
  wrapped(n, v[0], v[2]), hashed(n, v[0], &where), histogram_by_atomics(n, index, counts);
  gathered(n, index, v[0], v[2]), scattered(n, index, v[0], v[2]),
      both(n, index, first, v[0], v[2]);
  histogram(n, index, v[2]), through_a_function(n, index, v[0], v[2]);
  looked_up_once(n, index, v[0], v[2]), dot(n, v[0], v[1], v[2]), largest(n, v[0], v[2]);
  sparse(n, first, index, v[0], v[1], v[2]), products_of_rows(n, v[0], v[1], v[2]);
  inner_product_of_matrices(n, v[0], v[1], v[2]), pi(n, v[2]), jacobi(n, v[0], v[2]);
  gauss_seidel(n, v[3]), kept_in_registers(n, v[0], v[2]), convolution(n, v[0], v[1], v[2]);
  in_two_statements(n, v[0], v[2]), split_complex(n, v[0], v[2]), product_ijk(n, v[0], v[1], v[2]),
      product_ikj(n, 2, v[0], v[1], v[2]);
  product_of_rows(n, rows[0], rows[1], rows[2]), triangular(n, v[0], v[3]);
  matrix_vector(n, v[0], v[1], v[2]), vector_matrix(n, v[0], v[1], v[2]);
  for (int i = 0; i < n; ++i) v[4][i * n + i] += 2.0 * n;
  orthogonalised(n, v[0], v[1], v[2]), factorised(n, v[4]), solved(n, v[4], v[3]);
  toeplitz(n, v[0], v[1], v[2]), shortest(n, v[0], v[1], v[2]);
  double sum = where + counts[1];
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < cells; ++i) sum += v[k][i];
  printf("%.6g\n", sum);
  return 0;
}
