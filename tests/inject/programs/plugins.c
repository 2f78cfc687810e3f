/* plugins FOLDER [kill]: loads libplugin_first.so, spends 0.3 s of CPU time in it and unloads
 * it. Then spends 0.6 s in libplugin_second.so, which the loader usually puts at the same
 * address; with `kill`, it kills itself before it unloads the second plugin. Compiled with
 * -DWORK=name, this file is a plugin. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#ifdef WORK
double WORK(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const double end = (double)t.tv_sec + (double)t.tv_nsec * 1e-9 + seconds;
  volatile double x = 1;
  do {
    for (int i = 0; i < 100000; ++i) x = x * 1.0000001 + 1e-9;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((double)t.tv_sec + (double)t.tv_nsec * 1e-9 < end);
  return x;
}
#else
static void* work_in(const char* folder, const char* name, double seconds, int is_killed) {
  char path[4096];
  snprintf(path, sizeof path, "%s/libplugin_%s.so", folder, name);
  void* plugin = dlopen(path, RTLD_NOW);
  if (plugin == NULL) return NULL;
  snprintf(path, sizeof path, "%s_work", name);
  double (*work)(double);
  *(void**)&work = dlsym(plugin, path);
  work(seconds);
  if (is_killed) raise(SIGKILL);
  dlclose(plugin);
  return *(void**)&work;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const void* first = work_in(argv[1], "first", 0.3, 0);
  const void* second = work_in(argv[1], "second", 0.6, argc > 2);
  if (first == NULL || second == NULL) return 1;
  puts(first == second ? "same address" : "other address");
  return 0;
}
#endif
