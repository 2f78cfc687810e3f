#include "profiler/runtime/landing.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/staging.h"
#include "profiler/runtime/state.h"

namespace apmt::rt {
namespace {

void say_line(const char* format_text, const char* a, const char* b) {
  char line[8192];
  const int n = snprintf(line, sizeof line, format_text, a, b);
  if (n <= 0) return;
  const size_t bytes =
      static_cast<size_t>(n) < sizeof line ? static_cast<size_t>(n) : sizeof line - 1;
  if (write(STDERR_FILENO, line, bytes) < 0) return;  // the program has closed stderr
}

/// Tells the code that launched the process the reason for a failure: stores the reason as the
/// target of a symbolic link. The usual reasons are a full disk and the limit of file sizes, and
/// then a file could not be written. A link is not subject to that limit, and needs no space on
/// most disks.
bool leave_reason(const char* why) {
  char path[sizeof state().run_dir + sizeof state().file_name + 8];
  snprintf(path, sizeof path, "%s/%s.why", state().run_dir, state().file_name);
  return state().file_name[0] != '\0' && symlink(why, path) == 0;
}

/// Reports why this process will not be recorded. Returns false.
bool stay_off(const char* why) {
  const bool is_left = leave_reason(why);
  if (!state().quiet || (!is_left && state().tells_reason))
    say_line("apmt: not recording: %s%s\n", why, "");
  return false;
}

bool make_directory(const char* path) { return mkdir(path, 0777) == 0 || errno == EEXIST; }

void keep_file_name_characters(char* text) {
  for (; *text != '\0'; ++text)
    if (!isalnum(static_cast<unsigned char>(*text)) && *text != '-' && *text != '_') *text = '_';
}

/// Creates the folder of the launch. Its name contains APMT_RUN_ID, which the launching code sets
/// differently for each launch. All launches without APMT_RUN_ID share the folder running-unnamed.
bool make_folder() {
  char name[256];
  const char* const id = env("APMT_RUN_ID");
  snprintf(name, sizeof name, "%.200s", id == nullptr ? "unnamed" : id);
  keep_file_name_characters(name);
  // snprintf cuts paths that are too long. Then creating the directory fails, and nothing is
  // recorded.
  return snprintf(state().run_dir, sizeof state().run_dir, "%.3700s/running-%s",
                  state().experiment_dir, name) > 0 &&
         make_directory(state().run_dir);
}

/// Names the file by rank, host, process number and start time. The rank distinguishes ranks that
/// share a process; the rest identifies the process. Nevertheless, processes in different
/// containers may choose the same name, so create_in_folder() never opens an existing file.
void choose_file_name(int rank) {
  struct utsname system;
  char host[65] = "host";
  if (uname(&system) == 0) snprintf(host, sizeof host, "%.64s", system.nodename);
  keep_file_name_characters(host);
  snprintf(state().file_name, sizeof state().file_name, "rank-%05d-%s-%d-%llx", rank, host,
           static_cast<int>(getpid()), static_cast<unsigned long long>(state().start_realtime_ns));
}

const char* create_in_folder(int rank, const Capacities& capacities) {
  char path[sizeof state().run_dir + sizeof state().file_name + 8];
  const char* why = nullptr;
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    snprintf(path, sizeof path, "%s/%s.apmt", state().run_dir, state().file_name);
    why = create_recording(path, capacities, &state().recording);
    if (why == nullptr) return nullptr;
    // The folder is gone if the recordings of other processes have been merged already.
    if (errno == ENOENT && !make_folder()) return why;
    if (errno == EEXIST) state().start_realtime_ns += 1;
    if (errno != ENOENT && errno != EEXIST) return why;
    if (errno == EEXIST) choose_file_name(rank);
  }
  return why;
}

}  // namespace

void say(const char* format_text, const char* a, const char* b) {
  if (!state().quiet) say_line(format_text, a, b);
}

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

void choose_experiment_dir() {
  const char* wanted = env("APMT_DIR");
  if (wanted != nullptr && wanted[0] == '/') {
    snprintf(state().experiment_dir, sizeof state().experiment_dir, "%s", wanted);
    return;
  }
  char cwd[2048];
  if (getcwd(cwd, sizeof cwd) == nullptr) snprintf(cwd, sizeof cwd, ".");
  if (wanted != nullptr)
    snprintf(state().experiment_dir, sizeof state().experiment_dir, "%s/%.2000s", cwd, wanted);
  else
    snprintf(state().experiment_dir, sizeof state().experiment_dir, "%s/apmt-%.250s", cwd,
             base_name(state().exe));
}

bool open_recording(int rank) {
  if (!make_directory(state().experiment_dir) || !make_folder()) return stay_off(strerror(errno));
  choose_file_name(rank);
  const Capacities capacities = capacities_for(static_cast<uint64_t>(env_number("APMT_MEMORY", 0)));
  if (create_staged(capacities)) return true;
  if (const char* why = create_in_folder(rank, capacities)) return stay_off(why);
  return true;
}

void bring_home() {
  if (state().staged[0] == '\0') return;
  if (const char* why = copy_home()) {
    char text[512];
    snprintf(text, sizeof text, "the recording could not be copied from %.300s: %.100s",
             state().staged, why);
    const bool is_left = leave_reason(text);
    if (!state().quiet || (!is_left && state().tells_reason)) say_line("apmt: %s%s\n", text, "");
  }
}

}  // namespace apmt::rt
