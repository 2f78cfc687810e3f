// apmt_bench_fitter: runs one benchmark of the fitter (bench.h), which its first argument names:
//     accuracy [experiments] [seed] [CAMPAIGN] | parts [experiments] [seed] |
//     centres [programs] [seed] | series [SET] [counts] |
//     hindsight [trials] [seed] [error|score|codes] [SET] | verdicts [programs] [seed] |
//     kernels [programs] [seed] | ablation [programs] [seed] [SET] [FOLDER of recordings] | twins |
//     speed [FILE for Extra-P]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "bench/fitter/bench.h"

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    const unsigned long seed = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
    if (what == "accuracy") {
      apmt::bench::accuracy(argc > 2 ? std::atoi(argv[2]) : 1000, seed, argc > 4 ? argv[4] : "");
      return 0;
    }
    if (what == "centres") {
      apmt::bench::centres(argc > 2 ? std::atoi(argv[2]) : 400, seed);
      return 0;
    }
    if (what == "parts") {
      apmt::bench::parts(argc > 2 ? std::atoi(argv[2]) : 300, seed);
      return 0;
    }
    if (what == "hindsight") {
      apmt::bench::hindsight(argc > 2 ? std::atoi(argv[2]) : 700, seed,
                             argc > 4 ? argv[4] : "error", argc > 5 ? argv[5] : "all");
      return 0;
    }
    if (what == "series") {
      const int trained = argc > 3 ? std::atoi(argv[3]) : 3;
      apmt::bench::series(argc > 2 ? argv[2] : "all",
                          static_cast<std::size_t>(std::max(trained, 2)), argc > 4 ? argv[4] : "");
      return 0;
    }
    if (what == "verdicts") {
      apmt::bench::verdicts(argc > 2 ? std::atoi(argv[2]) : 300, seed);
      return 0;
    }
    if (what == "kernels") {
      apmt::bench::kernels(argc > 2 ? std::atoi(argv[2]) : 300, seed);
      return 0;
    }
    if (what == "ablation") {
      apmt::bench::ablation(argc > 2 ? std::atoi(argv[2]) : 100, seed, argc > 4 ? argv[4] : "",
                            argc > 5 ? argv[5] : "");
      return 0;
    }
    if (what == "twins") {
      apmt::bench::twins();
      return 0;
    }
    if (what == "speed") {
      apmt::bench::speed(argc > 2 ? argv[2] : "");
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(
      stderr,
      "usage: apmt_bench_fitter accuracy [experiments] [seed] [CAMPAIGN] |\n"
      "       parts [experiments] [seed] | centres [programs] [seed] |\n"
      "       series [SET] [counts] [FILE of other predictions] | hindsight [trials] [seed] "
      "[error|score|codes] [SET] |\n"
      "       verdicts [programs] [seed] | kernels [programs] [seed] | ablation [programs] [seed] "
      "[SET] [FOLDER] | twins |\n"
      "       speed [FILE]\n"
      "SET: all, development, held-out, development-1, ...\n");
  return 2;
}
