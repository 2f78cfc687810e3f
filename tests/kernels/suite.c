// 22 kernels whose counts, depth (length of the longest chain of dependent operations) and
// synchronisations are known as formulas of the sizes (suite_test.py); for copy, so are the stack
// distances. The sizes are arguments, so that the compiler does not know them.
#include <stdio.h>
#include <stdlib.h>

#define KERNEL __attribute__((noinline)) void

KERNEL copy(int n, const double* a, double* restrict b) {
  for (int i = 0; i < n; ++i) b[i] = a[i];
}
KERNEL triad(int n, double s, const double* a, const double* b, double* restrict c) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + s * b[i];
}
KERNEL dot(int n, const double* a, const double* b, double* restrict result) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  *result = sum;
}
KERNEL stencil5(int n, const double* a, double* restrict b) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      b[i * n + j] = a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] +
                     a[(i + 1) * n + j];
}
KERNEL stencil27(int n, const double* a, double* restrict b) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      for (int k = 1; k < n - 1; ++k) {
        double sum = 0;
        for (int x = -1; x <= 1; ++x)
          for (int y = -1; y <= 1; ++y)
            for (int z = -1; z <= 1; ++z) sum += a[((i + x) * n + j + y) * n + k + z];
        b[(i * n + j) * n + k] = sum;
      }
}
KERNEL transpose(int n, const double* a, double* restrict b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) b[j * n + i] = a[i * n + j];
}
KERNEL gather(int n, const int* index, const double* a, double* restrict b) {
  for (int i = 0; i < n; ++i) b[i] = a[index[i]];
}
KERNEL scatter(int n, const int* index, const double* a, double* restrict b) {
  for (int i = 0; i < n; ++i) b[index[i]] = a[i];
}
KERNEL histogram(int n, const int* bin, int* restrict count) {
  for (int i = 0; i < n; ++i) ++count[bin[i]];
}
KERNEL lu(int n, double* a) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
}
KERNEL product_ijk(int n, const double* a, const double* b, double* restrict c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}
KERNEL product_ikj(int n, const double* a, const double* b, double* restrict c) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const double factor = a[i * n + k];
      for (int j = 0; j < n; ++j) c[i * n + j] += factor * b[k * n + j];
    }
}
KERNEL matrix_vector(int n, const double* a, const double* x, double* restrict y) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}
KERNEL sparse(int rows, const int* first, const int* column, const double* a, const double* x,
              double* restrict y) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = first[i]; k < first[i + 1]; ++k) sum += a[k] * x[column[k]];
    y[i] = sum;
  }
}
KERNEL prefix_sum(int n, double* a) {
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
}
KERNEL jacobi(int n, int sweeps, double* a, double* b) {
  for (int s = 0; s < sweeps; ++s) {
    for (int i = 1; i < n - 1; ++i) b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; ++i) a[i] = b[i];
  }
}
KERNEL gauss_seidel(int n, double* a) {
  for (int i = 1; i < n - 1; ++i) a[i] = 0.5 * (a[i - 1] + a[i + 1]);
}
KERNEL bitonic(int n, double* a) {
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2)
      for (int i = 0; i < n; ++i) {
        const int other = i ^ j;
        if (other > i && (a[i] > a[other]) == ((i & k) == 0)) {
          const double kept = a[i];
          a[i] = a[other];
          a[other] = kept;
        }
      }
}
KERNEL wavefront(int n, double* a) {
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < n; ++j) a[i * n + j] = a[(i - 1) * n + j] + a[i * n + j - 1];
}
KERNEL reduction_tree(int n, double* a) {
  for (int half = n / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) a[i] += a[i + half];
}
KERNEL chase(int steps, const int* next, int* restrict end) {
  int at = 0;
  for (int i = 0; i < steps; ++i) at = next[at];
  *end = at;
}

KERNEL figure6(int n, double* a) {  // of the AutoMatch paper
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < n; ++j) a[i * n + j] = a[(i - 1) * n + j] + 2;
}

enum { kElements = 1 << 14 };
_Alignas(64) static double a[kElements], b[kElements], c[kElements];
_Alignas(64) static int index_of[kElements], bins[16];

static void begin(void) {
  for (int i = 0; i < kElements; ++i) {
    a[i] = 1 + i % 7 * 0.125;
    b[i] = 2 - i % 5 * 0.25;
    c[i] = 0;
    index_of[i] = (i * 5 + 3) % kElements;
  }
}
static void show(const char* name, double also) {
  double sum = also;
  for (int i = 0; i < kElements; ++i) sum += a[i] * (i % 3 + 1) + c[i] * (i % 11 + 1);
  printf("%s %a\n", name, sum);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  // Sizes of vectors and of matrices; m is a power of two.
  const int n = atoi(argv[1]), m = atoi(argv[2]);
  _Alignas(64) static double result = 0;
  _Alignas(64) static int end = 0;
#define RUN(name, ...) begin(), name(__VA_ARGS__), show(#name, result + end)
  RUN(copy, n, a, c);
  RUN(triad, n, 3.0, a, b, c);
  RUN(dot, n, a, b, &result);
  RUN(stencil5, m, a, c);
  RUN(stencil27, 8, a, c);
  RUN(transpose, m, a, c);
  begin();
  for (int i = 0; i < kElements; ++i) index_of[i] = (i * 5 + 3) % n;
  gather(n, index_of, a, c), show("gather", 0);
  scatter(n, index_of, a, c), show("scatter", 0);
  for (int i = 0; i < kElements; ++i) index_of[i] = i % 16;
  histogram(n, index_of, bins), show("histogram", bins[3]);
  begin();
  for (int i = 0; i < m; ++i) a[i * m + i] += 100;
  lu(m, a), show("lu", 0);
  RUN(product_ijk, m, a, b, c);
  RUN(product_ikj, m, a, b, c);
  RUN(matrix_vector, m, a, b, c);
  _Alignas(64) static int first[64];
  for (int i = 0; i < 64; ++i) first[i] = 5 * i;
  RUN(sparse, 60, first, index_of, a, b, c);
  RUN(prefix_sum, n, a);
  RUN(jacobi, n, 3, a, c);
  RUN(gauss_seidel, n, a);
  begin();
  for (int i = 0; i < m; ++i) a[i] = i * 37 % m;
  bitonic(m, a), show("bitonic", 0);
  RUN(wavefront, m, a);
  RUN(reduction_tree, m, a);
  RUN(figure6, m, a);
  for (int i = 0; i < n; ++i) index_of[i] = (i + 7) % n;
  chase(n, index_of, &end), show("chase", end);
  return 0;
}
