// Work for a simulated processor in tests. A program states which work it executes; the library of
// planted_papi.cpp, which is preloaded instead of the real recorder, counts this work as the
// simulated processor would. Without that library nothing is executed.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct PlantedWork {
  double instructions;
  double cpi_core; /* cycles per instruction if nothing waits for memory */
  double bf_mem;   /* share of the time of accesses beyond L2 in which the core waits */
  /* Loads per instruction, by the level of memory from which their data come. */
  double hit_l1;
  double hit_l2;
  double hit_llc;
  double acc_mm;
};

/* The time of an access if nothing hides it; it does not depend on the core's frequency. */
#define PLANTED_LLC_S 20e-9
#define PLANTED_MEMORY_S 80e-9

/* Executes the work, attributed to the calling function, and spends as much CPU time as the
 * processor would take. Programs declare it as a weak symbol, which is null without the library. */
#define PLANTED_VISIBLE __attribute__((visibility("default")))
PLANTED_VISIBLE void planted_execute(const struct PlantedWork* work);

#ifdef __cplusplus
}
#endif
