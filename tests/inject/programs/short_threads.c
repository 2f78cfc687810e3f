/* short_threads: 100 threads start before MPI_Init and end after it; then 200 threads live for a
 * moment each. None may leave anything behind. Prints the number of timers while the 100 lived,
 * and how many timers and descriptors are left over in the end. */
#include <dirent.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kEarly = 100, kShort = 200, kPatience = 20000 };
static pthread_barrier_t there, go;

static void* wait_to_go(void* unused) {
  pthread_barrier_wait(&there);
  pthread_barrier_wait(&go);
  return unused;
}
static void* do_nothing(void* unused) { return unused; }

static void start_and_join_one(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) pthread_join(thread, NULL);
}

static int timers(void) {
  char line[256];
  int count = 0;
  FILE* list = fopen("/proc/self/timers", "r");
  if (list == NULL) return -1;
  while (fgets(line, sizeof line, list) != NULL) count += line[0] == 'I';
  fclose(list);
  return count;
}

static int descriptors(void) {
  int count = 0;
  DIR* directory = opendir("/proc/self/fd");
  if (directory == NULL) return -1;
  while (readdir(directory) != NULL) ++count;
  closedir(directory);
  return count;
}

int main(int argc, char** argv) {
  static pthread_t early[kEarly];
  pthread_barrier_init(&there, NULL, kEarly + 1);
  pthread_barrier_init(&go, NULL, kEarly + 1);
  for (int i = 0; i < kEarly; ++i) pthread_create(&early[i], NULL, wait_to_go, NULL);
  pthread_barrier_wait(&there);
  MPI_Init(&argc, &argv);
  const int descriptors_before = descriptors();
  const int timers_before = timers();
  pthread_barrier_wait(&go);
  for (int i = 0; i < kEarly; ++i) pthread_join(early[i], NULL);
  for (int i = 0; i < kShort; ++i) start_and_join_one();
  /* The timers of a joined thread may still exist for a moment. */
  const int timers_of_others = timers_before > kEarly ? timers_before - kEarly : 0;
  for (int i = 0;
       i < kPatience && (timers() > timers_of_others || descriptors() > descriptors_before); ++i)
    start_and_join_one();
  printf("timers before: %d, left over: %d, descriptors left over: %d\n", timers_before,
         timers() - timers_of_others, descriptors() - descriptors_before);
  MPI_Finalize();
  return 0;
}
