// Exceptions leave a kernel inside its loop; every fourth invocation ends normally.
#include <cstdio>
#include <stdexcept>

static double values[100], sums[100];

__attribute__((noinline)) static double sum_until(int n, int limit) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i == limit) throw std::out_of_range("limit");
    sums[i] = sum += values[i];
  }
  return sum;
}

int main() {
  for (double& value : values) value = 0.5;
  int caught = 0;
  double sum = 0;
  for (int i = 0; i < 40; ++i) {
    try {
      sum += sum_until(100, i % 4 < 3 ? 10 : 100);
    } catch (const std::exception&) {
      ++caught;
    }
  }
  std::printf("%g after %d exceptions\n", sum, caught);
}
