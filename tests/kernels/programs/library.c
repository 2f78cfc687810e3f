__attribute__((noinline)) void in_library(int n, double* values) {
  for (int i = 0; i < n; ++i) values[i] *= 2;
}
