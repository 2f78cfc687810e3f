// Prints the analysis.json of all small kernels.
#include <iostream>

#include "tests/unit/kernels/analysed.h"

int main() {
  using namespace apmt::kernels;
  Analysis all;
  all.program = "small kernels";
  for (testing::SmallKernel& kernel : testing::all_small_kernels()) {
    Analysis one = testing::Analysed(std::move(kernel)).analysis;
    all.kernels.insert(all.kernels.end(), one.kernels.begin(), one.kernels.end());
    all.scopes.insert(all.scopes.end(), one.scopes.begin(), one.scopes.end());
  }
  // Only front ends find idioms, and these kernels do not come from a front end. So one idiom is
  // added by hand.
  all.kernels.front().loops.front().idioms.push_back(
      {"stream", "copy.c", 3, "b[i] = a[i];", 1 << 20, 1 << 20, 1 << 24, 1.0});
  std::cout << analysis_to_json(all);
}
