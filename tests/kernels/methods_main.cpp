#include <cstdio>

#include "methods.h"

int main() {
  double values[100];
  Field field{values, 100};
  for (int i = 0; i < 100; ++i) field.at(i) = field.last(99 - i) = i;
  std::printf("%g\n", sum(field, 50, 2));
}
