#include "tests/unit/kernels/small_kernels.h"

namespace apmt::kernels::testing {
namespace {

using Carried = std::vector<Value>;
using LoopForm = Builder::LoopForm;

/// The address of array k; each array has n elements.
std::int64_t array(int k, std::int64_t n) { return Interpreter::kBase + 8 * k * n; }

SmallKernel kernel(const std::string& name, const std::function<void(Builder&)>& body) {
  Builder b;
  b.function(name);
  body(b);
  b.finish();
  SmallKernel made;
  made.name = name;
  made.code = b.take();
  return made;
}

/// Fills array k with a permutation of 0 ... n - 1 (n a power of two).
std::function<void(Interpreter&)> permutation(int k, int n) {
  return [k, n](Interpreter& in) {
    for (std::int64_t i = 0; i < n; ++i)
      in.at(array(k, n) + 8 * i) = static_cast<Cell>((i * 5 + 3) % n);
  };
}

}  // namespace

SmallKernel copy(int n) {
  return kernel("copy", [n](Builder& b) {
    b.loop(0, n, [&](Value i) { b.store(b.load(array(0, n), i), array(1, n), i); });
  });
}

SmallKernel triad(int n) {
  return kernel("triad", [n](Builder& b) {
    b.loop(0, n, [&](Value i) {
      const Value scaled = b.fmul(b.load(array(2, n), i), 3.0);
      b.store(b.fadd(b.load(array(1, n), i), scaled), array(0, n), i);
    });
  });
}

SmallKernel dot(int n) {
  return kernel("dot", [n](Builder& b) {
    const Carried sum =
        b.loop(0, n, LoopForm{.initial = {0.0}, .carry = Builder::Carry::kReduction},
               [&](Value i, const Carried& c) -> Carried {
                 return {b.fma(b.load(array(0, n), i), b.load(array(1, n), i), c[0])};
               });
    b.store(sum[0], array(2, n), 0);
  });
}

SmallKernel stencil5(int n) {
  return kernel("stencil5", [n](Builder& b) {
    const int size = n * n;
    b.loop(1, n - 1, [&](Value i) {
      b.loop(1, n - 1, [&](Value j) {
        const Value at = b.add(b.mul(i, n), j);
        Value sum = b.load(array(0, size), at);
        for (const int offset : {-n, -1, 1, n})
          sum = b.fadd(sum, b.load(array(0, size), b.add(at, offset)));
        b.store(b.fmul(sum, 0.2), array(1, size), at);
      });
    });
  });
}

SmallKernel stencil27(int n) {
  return kernel("stencil27", [n](Builder& b) {
    const int size = n * n * n;
    b.loop(1, n - 1, [&](Value i) {
      b.loop(1, n - 1, [&](Value j) {
        b.loop(1, n - 1, [&](Value k) {
          const Value at = b.add(b.mul(b.add(b.mul(i, n), j), n), k);
          Value sum = 0.0;
          for (int x = -1; x <= 1; ++x)
            for (int y = -1; y <= 1; ++y)
              for (int z = -1; z <= 1; ++z)
                sum = b.fadd(sum, b.load(array(0, size), b.add(at, (x * n + y) * n + z)));
          b.store(sum, array(1, size), at);
        });
      });
    });
  });
}

SmallKernel transpose(int n) {
  return kernel("transpose", [n](Builder& b) {
    b.loop(0, n, [&](Value i) {
      b.loop(0, n, [&](Value j) {
        const Value read = b.load(array(0, n * n), b.add(b.mul(i, n), j));
        b.store(read, array(1, n * n), b.add(b.mul(j, n), i));
      });
    });
  });
}

SmallKernel gather(int n) {
  SmallKernel made = kernel("gather", [n](Builder& b) {
    b.loop(0, n, [&](Value i) {
      b.store(b.load(array(0, n), b.load_int(array(2, n), i)), array(1, n), i);
    });
  });
  made.fill = permutation(2, n);
  return made;
}

SmallKernel scatter(int n) {
  SmallKernel made = kernel("scatter", [n](Builder& b) {
    b.loop(0, n, [&](Value i) {
      b.store(b.load(array(0, n), i), array(1, n), b.load_int(array(2, n), i));
    });
  });
  made.fill = permutation(2, n);
  return made;
}

SmallKernel histogram(int n, bool is_recognised) {
  SmallKernel made = kernel("histogram", [=](Builder& b) {
    b.loop(0, n, [&](Value i) {
      const Value bin = b.bit_and(b.load_int(array(0, n), i), 15);
      const Value count = b.load_int(array(1, n), bin);
      if (is_recognised) b.except_reduction(count);
      b.store(b.add(count, 1), array(1, n), bin);
    });
  });
  made.fill = permutation(0, n);
  return made;
}

SmallKernel lu(int n) {
  SmallKernel made = kernel("lu", [n](Builder& b) {
    const auto at = [&](Value i, Value j) { return b.add(b.mul(i, n), j); };
    b.loop(0, n - 1, [&](Value k) {
      const Value pivot = b.load(array(0, 0), at(k, k)), first = b.add(k, 1);
      b.loop(first, n, [&](Value i) {
        const Value factor = b.fdiv(b.load(array(0, 0), at(i, k)), pivot);
        b.store(factor, array(0, 0), at(i, k));
        b.loop(first, n, [&](Value j) {
          const Value product = b.fmul(factor, b.load(array(0, 0), at(k, j)));
          b.store(b.fsub(b.load(array(0, 0), at(i, j)), product), array(0, 0), at(i, j));
        });
      });
    });
  });
  made.fill = [n](Interpreter& in) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        in.at(array(0, 0) + 8 * (i * n + j)) = std::bit_cast<Cell>(i == j ? n + 1.0 : 1.0);
  };
  return made;
}

SmallKernel matmul_ijk(int n) {
  return kernel("matmul_ijk", [n](Builder& b) {
    const int size = n * n;
    b.loop(0, n, [&](Value i) {
      b.loop(0, n, [&](Value j) {
        const Carried sum =
            b.loop(0, n, LoopForm{.initial = {0.0}, .carry = Builder::Carry::kReduction},
                   [&](Value k, const Carried& c) -> Carried {
                     const Value left = b.load(array(0, size), b.add(b.mul(i, n), k));
                     return {b.fma(left, b.load(array(1, size), b.add(b.mul(k, n), j)), c[0])};
                   });
        b.store(sum[0], array(2, size), b.add(b.mul(i, n), j));
      });
    });
  });
}

SmallKernel matmul_ikj(int n) {
  return kernel("matmul_ikj", [n](Builder& b) {
    const int size = n * n;
    b.loop(0, n, [&](Value i) {
      b.loop(0, n, [&](Value k) {
        const Value left = b.load(array(0, size), b.add(b.mul(i, n), k));
        b.loop(0, n, [&](Value j) {
          const Value at = b.add(b.mul(i, n), j);
          const Value right = b.load(array(1, size), b.add(b.mul(k, n), j));
          b.store(b.fma(left, right, b.load(array(2, size), at)), array(2, size), at);
        });
      });
    });
  });
}

SmallKernel matvec(int n) {
  return kernel("matvec", [n](Builder& b) {
    b.loop(0, n, [&](Value i) {
      const Carried sum =
          b.loop(0, n, LoopForm{.initial = {0.0}, .carry = Builder::Carry::kReduction},
                 [&](Value j, const Carried& c) -> Carried {
                   const Value entry = b.load(array(2, n), b.add(b.mul(i, n), j));
                   return {b.fma(entry, b.load(array(0, n), j), c[0])};
                 });
      b.store(sum[0], array(1, n), i);
    });
  });
}

SmallKernel spmv(int n) {
  // Array 0 is x, 1 is y; 2 and 3 hold the n + 1 row starts, 4 to 6 the columns and 7 to 9 the
  // entries, three of each per row.
  SmallKernel made = kernel("spmv", [n](Builder& b) {
    b.loop(0, n, [&](Value i) {
      const Value first = b.load_int(array(2, n), i), last = b.load_int(array(2, n), b.add(i, 1));
      const Carried sum =
          b.loop(first, last, LoopForm{.initial = {0.0}, .carry = Builder::Carry::kReduction},
                 [&](Value k, const Carried& c) -> Carried {
                   const Value x = b.load(array(0, n), b.load_int(array(4, n), k));
                   return {b.fma(b.load(array(7, n), k), x, c[0])};
                 });
      b.store(sum[0], array(1, n), i);
    });
  });
  made.fill = [n](Interpreter& in) {
    for (std::int64_t i = 0; i <= n; ++i) in.at(array(2, n) + 8 * i) = static_cast<Cell>(3 * i);
    for (std::int64_t k = 0; k < 3 * n; ++k)
      in.at(array(4, n) + 8 * k) = static_cast<Cell>((k / 3 + n + k % 3 - 1) % n);
  };
  return made;
}

SmallKernel prefix_sum(int n) {
  return kernel("prefix_sum", [n](Builder& b) {
    b.loop(1, n, [&](Value i) {
      const Value before = b.load(array(1, n), b.sub(i, 1));
      b.store(b.fadd(before, b.load(array(0, n), i)), array(1, n), i);
    });
  });
}

SmallKernel jacobi(int n, int sweeps) {
  return kernel("jacobi", [=](Builder& b) {
    b.loop(0, sweeps, [&](Value t) {
      const Value parity = b.bit_and(t, 1);
      const Value from = b.element(array(0, n), b.mul(parity, n)),
                  to = b.element(array(0, n), b.mul(b.bit_xor(parity, 1), n));
      b.loop(1, n - 1, [&](Value i) {
        const Value sum = b.fadd(b.load(from, b.sub(i, 1)), b.load(from, b.add(i, 1)));
        b.store(b.fmul(sum, 0.5), to, i);
      });
    });
  });
}

SmallKernel gauss_seidel(int n, int sweeps) {
  return kernel("gauss_seidel", [=](Builder& b) {
    b.loop(0, sweeps, [&](Value) {
      b.loop(1, n - 1, [&](Value i) {
        const Value sum =
            b.fadd(b.load(array(0, n), b.sub(i, 1)), b.load(array(0, n), b.add(i, 1)));
        b.store(b.fmul(sum, 0.5), array(0, n), i);
      });
    });
  });
}

SmallKernel bitonic_sort(int log2_n) {
  const int n = 1 << log2_n;
  SmallKernel made = kernel("bitonic_sort", [=](Builder& b) {
    const auto twice = [&](Value k) { return b.mul(k, 2); };
    const auto half = [&](Value j) { return b.div(j, 2); };
    const auto none = std::vector<Value>{};
    b.loop(
        2, twice, [&](Value k) { return b.less(k, n + 1); }, {},
        [&](Value k, const Carried&) {
          b.loop(
              b.div(k, 2), half, [&](Value j) { return b.greater(j, 0); }, {},
              [&](Value j, const Carried&) {
                b.loop(0, n, [&](Value i) {
                  const Value other = b.bit_xor(i, j);
                  b.if_(b.greater(other, i), [&] {
                    const Value x = b.load(array(0, n), i), y = b.load(array(0, n), other);
                    const Value is_down = b.greater(b.bit_and(i, k), 0);
                    b.if_(b.bit_xor(b.fgreater(x, y), is_down), [&] {
                      b.store(y, array(0, n), i);
                      b.store(x, array(0, n), other);
                    });
                  });
                });
                return none;
              });
          return none;
        });
  });
  made.fill = [n](Interpreter& in) {
    for (int i = 0; i < n; ++i)
      in.at(array(0, n) + 8 * i) = std::bit_cast<Cell>(static_cast<double>((i * 37 + 11) % n));
  };
  return made;
}

SmallKernel wavefront(int n) {
  return kernel("wavefront", [n](Builder& b) {
    b.loop(1, n, [&](Value i) {
      b.loop(1, n, [&](Value j) {
        const Value at = b.add(b.mul(i, n), j);
        const Value up = b.load(array(0, n), b.sub(at, n)),
                    left = b.load(array(0, n), b.sub(at, 1));
        b.store(b.fadd(up, left), array(0, n), at);
      });
    });
  });
}

SmallKernel reduction_tree(int log2_n) {
  const int n = 1 << log2_n;
  return kernel("reduction_tree", [=](Builder& b) {
    b.loop(
        n / 2, [&](Value s) { return b.div(s, 2); }, [&](Value s) { return b.greater(s, 0); }, {},
        [&](Value s, const Carried&) {
          b.loop(0, s, [&](Value i) {
            const Value sum = b.fadd(b.load(array(0, n), i), b.load(array(0, n), b.add(i, s)));
            b.store(sum, array(0, n), i);
          });
          return Carried{};
        });
  });
}

SmallKernel pointer_chase(int n) {
  SmallKernel made = kernel("pointer_chase", [n](Builder& b) {
    b.loop(0, n, LoopForm{.initial = {0}},
           [&](Value, const Carried& c) -> Carried { return {b.load_int(array(0, n), c[0])}; });
  });
  made.fill = permutation(0, n);
  return made;
}

SmallKernel figure6(int n) {
  return kernel("figure6", [n](Builder& b) {
    b.loop(1, n, [&](Value i) {
      b.loop(1, n, [&](Value j) {
        const Value above = b.load(array(0, n), b.add(b.mul(b.sub(i, 1), n), j));
        b.store(b.fadd(above, 2.0), array(0, n), b.add(b.mul(i, n), j));
      });
    });
  });
}

std::vector<SmallKernel> all_small_kernels() {
  // Each accesses memory at least 10,000 times.
  return {copy(5000),
          triad(3400),
          dot(5000),
          stencil5(50),
          stencil27(10),
          transpose(72),
          gather(4096),
          scatter(4096),
          histogram(4096, false),
          lu(26),
          matmul_ijk(20),
          matmul_ikj(20),
          matvec(75),
          spmv(1000),
          prefix_sum(3400),
          jacobi(400, 10),
          gauss_seidel(400, 10),
          bitonic_sort(8),
          wavefront(60),
          reduction_tree(12),
          pointer_chase(10'240),
          figure6(75)};
}

}  // namespace apmt::kernels::testing
