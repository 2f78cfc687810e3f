// Methods that both object files define and call; the linker keeps one definition.
#pragma once

struct Field {
  double* first;
  int size;
  double& at(int i) { return first[i]; }
  double& last(int i) { return first[size - 1 - i]; }
};

double sum(Field& field, int n, int parts);
