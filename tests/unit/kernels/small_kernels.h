// Small kernels for which the results of analysers are compared with closed forms and references.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/kernels/code_builder.h"
#include "tests/unit/kernels/interpreter.h"

namespace apmt::kernels::testing {

struct SmallKernel {
  std::string name;
  Code code;
  std::function<void(Interpreter&)> fill = [](Interpreter&) {};  // fills memory before the run
};

// Arrays of n elements follow one another from Interpreter::kBase on.
SmallKernel copy(int n);                           // b = a
SmallKernel triad(int n);                          // a = b + s c
SmallKernel dot(int n);                            // one fused multiply-add per element
SmallKernel stencil5(int n);                       // n x n, the inner points
SmallKernel stencil27(int n);                      // n x n x n, the inner points
SmallKernel transpose(int n);                      // n x n
SmallKernel gather(int n);                         // b[i] = a[index[i]]
SmallKernel scatter(int n);                        // b[index[i]] = a[i], a permutation
SmallKernel histogram(int n, bool is_recognised);  // of 16 bins
SmallKernel lu(int n);                             // dense, without pivoting
SmallKernel matmul_ijk(int n);                     // the sum in a register
SmallKernel matmul_ikj(int n);                     // the sum in memory
SmallKernel matvec(int n);
SmallKernel spmv(int n);                      // CSR, three entries a row
SmallKernel prefix_sum(int n);                // s[i] = s[i - 1] + a[i], through memory
SmallKernel jacobi(int n, int sweeps);        // three points, two arrays
SmallKernel gauss_seidel(int n, int sweeps);  // three points, in place
SmallKernel bitonic_sort(int log2_n);
SmallKernel wavefront(int n);  // a[i][j] = a[i-1][j] + a[i][j-1]
SmallKernel reduction_tree(int log2_n);
SmallKernel pointer_chase(int n);
SmallKernel figure6(int n);  // of AutoMatch: a[i][j] = a[i - 1][j] + 2

std::vector<SmallKernel> all_small_kernels();

}  // namespace apmt::kernels::testing
