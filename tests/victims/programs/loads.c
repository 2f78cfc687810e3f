/* Loads and unloads libraries while samples fall into them. */
#include <dlfcn.h>
#include <stdio.h>

#include "work.h"

int main(void) {
  for (int i = 0; i < 20; ++i) {
    void* library = dlopen("libm.so.6", RTLD_NOW);
    double (*sine)(double) = (double (*)(double))dlsym(library, "sin");
    double x = 0;
    for (int k = 0; k < 200000; ++k) x += sine(k);
    if (i == 19) printf("%.6f\n", x);
    dlclose(library);
    burn_ms(3);
  }
  return 0;
}
