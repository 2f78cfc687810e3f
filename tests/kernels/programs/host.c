// Loads two libraries at run time: one to call the kernel in it, and another after the last kernel
// has run.
#include <dlfcn.h>
#include <stdio.h>

static double values[100];

__attribute__((noinline)) static void in_host(int n) {
  for (int i = 0; i < n; ++i) values[i] += 1.5;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  in_host(100);
  void* first = dlopen(argv[1], RTLD_NOW);
  void (*in_library)(int, double*) = first ? (void (*)(int, double*))dlsym(first, "in_library") : 0;
  if (!in_library) return 3;
  in_library(40, values);
  in_host(100);
  if (!dlopen(argv[2], RTLD_NOW)) return 4;
  printf("%g %g\n", values[0], values[99]);
}
