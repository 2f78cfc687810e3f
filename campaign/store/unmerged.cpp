#include "campaign/store/unmerged.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fstream>
#include <map>
#include <thread>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "campaign/store/launch_identity.h"
#include "campaign/store/run_directory.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// The first line of a file of /proc or /sys.
std::string line_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string link_text(const fs::path& link) {
  std::error_code none;
  return fs::read_symlink(link, none).string();
}

/// "<number>:<start time>" of the running process with this number; empty if there is none, or only
/// a zombie.
std::string running_process(std::int64_t pid) {
  const std::string stat = line_of("/proc/" + std::to_string(pid) + "/stat");
  std::size_t at = stat.rfind(')');
  if (at == std::string::npos || at + 2 >= stat.size()) return {};
  const char state = stat[at + 2];
  if (state == 'Z' || state == 'X') return {};
  for (int field = 2; at != std::string::npos && field < 22; ++field) at = stat.find(' ', at + 1);
  if (at == std::string::npos) return {};
  return std::to_string(pid) + ":" + stat.substr(at + 1, stat.find(' ', at + 1) - at - 1);
}

/// For recordings before version 3.2, which have only the number of the process: whether the
/// process with this number runs the recorded program.
bool runs_its_program(const RecordingHead& head) {
  std::error_code error;
  const fs::path exe = fs::read_symlink("/proc/" + std::to_string(head.header.pid) + "/exe", error);
  if (error) return error == std::errc::permission_denied;
  return exe == head.first("exe") || exe == head.first("exe") + " (deleted)";
}

/// Seconds since the last sign of activity: the process took a sample, or the file of its recording
/// changed.
std::int64_t silent_for_s(const RecordingHead& head) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t now_s = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  std::int64_t heard_s = process_of(head).end_ns / 1000000000;
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(head.file, error);
  if (!error)
    heard_s = std::max<std::int64_t>(
        heard_s, std::chrono::duration_cast<std::chrono::seconds>(
                     fs::file_time_type::clock::to_sys(written).time_since_epoch())
                     .count());
  return std::max<std::int64_t>(now_s - heard_s, 0);
}

/// Whether a process on this kernel, in any name space, has the file open for writing. The answer
/// "none" is certain only in tmpfs, because no other host can write there. Without privileges, the
/// answer about files of other users is always "unknown".
enum class Writer { kThereIsOne, kThereIsNone, kUnknown };
Writer writer_of(const fs::path& recording) {
  const int file = ::open(recording.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return Writer::kUnknown;
  // A read lease is granted only if no process has the file open for writing. While it is held, a
  // process that opens the file for writing causes SIGURG here, which is ignored by default.
  ::fcntl(file, F_SETSIG, SIGURG);
  const bool granted = ::fcntl(file, F_SETLEASE, F_RDLCK) == 0;
  const bool refused = !granted && errno == EAGAIN;
  if (granted) ::fcntl(file, F_SETLEASE, F_UNLCK);
  struct statfs system{};
  const bool all_is_seen = ::fstatfs(file, &system) == 0 && system.f_type == TMPFS_MAGIC;
  ::close(file);
  if (refused) return Writer::kThereIsOne;
  return granted && all_is_seen ? Writer::kThereIsNone : Writer::kUnknown;
}

enum class Where { kHere, kElsewhere, kBeforeReboot };

/// Where the recorded process runs or ran. Compares boot ids, which are unique. A container has its
/// host's boot id but its own process numbers, so the PID namespaces are compared as well.
Where machine_of(const RecordingHead& head) {
  const std::string boot = head.first("boot_id");
  if (boot.empty()) return head.first("host") == this_host() ? Where::kHere : Where::kElsewhere;
  if (boot != line_of("/proc/sys/kernel/random/boot_id")) {
    const bool same_name = head.first("host") == this_host() && this_host() != "localhost";
    return same_name ? Where::kBeforeReboot : Where::kElsewhere;
  }
  return head.first("pid_namespace") == link_text("/proc/self/ns/pid") ? Where::kHere
                                                                       : Where::kElsewhere;
}

template <class Visit>
void each_entry(const fs::path& dir, const std::string& extension, const Visit& visit) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, ignored))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  for (const fs::path& path : found) visit(path);
}

/// The process number in a name such as rank-<rank>-<host>-<process>-<start>.
std::string process_in_name(const fs::path& link) {
  const std::string name = link.stem().string();
  const std::size_t end = name.rfind('-');
  const std::size_t begin = end == std::string::npos || end == 0 ? end : name.rfind('-', end - 1);
  return begin == std::string::npos ? "" : name.substr(begin + 1, end - begin - 1);
}

/// Whether a process may be about to create the recording that a link names.
bool may_begin(const Staged& staged, bool as_is) {
  constexpr std::int64_t kToBegin_s = 60;
  if (was_begun(staged.file)) return false;
  struct stat link{};
  if (::lstat(staged.link.c_str(), &link) != 0) return true;  // gone: another process handled it
  if (std::time(nullptr) - link.st_mtim.tv_sec > kToBegin_s) return false;
  const std::string process = process_in_name(staged.link);
  return !as_is || (!process.empty() && fs::exists("/proc/" + process));
}

bool is_alive(const fs::path& recording) {
  try {
    return was_begun(recording) && why_it_may_be_alive(read_recording_head(recording));
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string this_host() {
  utsname system{};
  return uname(&system) == 0 ? system.nodename : "";
}

std::vector<fs::path> recordings_in(const fs::path& dir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error))
    if (is_recording_name(entry.path()) && was_begun(entry.path())) files.push_back(entry.path());
  if (error) throw InputError(dir.string(), "cannot list: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<std::string> why_it_may_be_alive(const RecordingHead& head) {
  if (head.header.ending != format::Ending::kOpen) return std::nullopt;
  const std::string number = "process " + std::to_string(head.header.pid);
  switch (machine_of(head)) {
    case Where::kBeforeReboot:
      return std::nullopt;
    case Where::kHere: {
      const std::string process = head.first("process");
      const bool runs =
          process.empty() ? runs_its_program(head) : running_process(head.header.pid) == process;
      if (!runs) return std::nullopt;
      return number + " is running";
    }
    case Where::kElsewhere:
      break;
  }
  // Whether the file is open is checked before its time, because in tmpfs, writing through a
  // mapping does not change the time.
  const Writer writer = writer_of(head.file);
  if (writer == Writer::kThereIsOne)
    return number + " of " + head.first("host") + " has it open for writing";
  if (writer == Writer::kThereIsNone) return std::nullopt;
  const std::int64_t silent_s = silent_for_s(head);
  if (silent_s > kLease_s) return std::nullopt;
  return number + " of " + head.first("host") + " was active " + std::to_string(silent_s) +
         " s ago";
}

bool still_written(const fs::path& running) {
  try {
    for (const fs::path& file : recordings_in(running))
      if (is_alive(file)) return true;
  } catch (const InputError&) {
    return false;  // the folder cannot be read
  }
  for (const Staged& staged : staged_in(running))
    if (staged.host == this_host() && is_alive(staged.file)) return true;
  return false;
}

void wait_until_gone(const fs::path& running) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries && still_written(running); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

std::vector<Staged> staged_in(const fs::path& running) {
  std::vector<Staged> all;
  each_entry(running, ".staged", [&](const fs::path& link) {
    const std::string text = link_text(link);
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return;
    Staged staged{link, text.substr(0, colon), text.substr(colon + 1)};
    // Other users may make links here. So a link is followed only if its target has a name that the
    // recorder would give it.
    if (staged.file.filename() == "apmt-" + link.stem().string() + ".apmt")
      all.push_back(std::move(staged));
  });
  return all;
}

std::vector<std::string> bring_home(const fs::path& running, bool as_is) {
  std::vector<std::string> lost;
  for (const Staged& staged : staged_in(running)) {
    if (staged.host != this_host() || is_alive(staged.file) || may_begin(staged, as_is)) continue;
    const fs::path home = fs::path(staged.link).replace_extension(".apmt");
    try {
      if (!fs::exists(home) && was_begun(staged.file))
        write_file_atomically(home, read_whole_file(staged.file, format::kMaxRecordingBytes));
      else if (!fs::exists(home))
        lost.push_back("a recording is missing: its process staged it in " + staged.file.string());
    } catch (const InputError& error) {
      lost.push_back(staged.file.string() + " stays there: " + error.what());
      continue;
    }
    std::error_code ignored;
    fs::remove(staged.file, ignored);
    fs::remove(staged.link, ignored);
  }
  return lost;
}

void discard(const fs::path& running) {
  bool is_all_gone = true;
  std::error_code ignored;
  for (const Staged& staged : staged_in(running)) {
    if (staged.host != this_host()) continue;
    if (is_alive(staged.file))
      is_all_gone = false;
    else
      fs::remove(staged.file, ignored);
  }
  if (is_all_gone) fs::remove_all(running);
}

std::vector<std::string> not_brought(const fs::path& running) {
  std::vector<std::string> sentences;
  for (const Staged& staged : staged_in(running)) {
    std::string why = ": its process is running";
    if (staged.host != this_host())
      why += ", or was killed before it could copy it; apmt merge on " + staged.host + " copies it";
    else if (was_begun(staged.file) && !is_alive(staged.file))
      why = ": it could not be copied; apmt merge tries again";
    sentences.push_back("a recording is still on " + staged.host + " in " + staged.file.string() +
                        why);
  }
  return sentences;
}

std::vector<std::string> take_reasons(const fs::path& running) {
  std::map<std::string, int> count;
  each_entry(running, ".why", [&](const fs::path& link) {
    const std::string text = link_text(link);
    if (text.empty()) return;
    count[text] += 1;
    std::error_code ignored;
    fs::remove(link, ignored);
  });
  std::vector<std::string> reasons;
  for (const auto& [text, times] : count)
    reasons.push_back(std::to_string(times) +
                      (times == 1 ? " process reports: " : " processes report: ") + text);
  return reasons;
}

}  // namespace apmt
