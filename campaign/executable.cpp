#include "campaign/executable.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <vector>

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestPath = 4096;

/// What a script is taken to start MPI programs with.
constexpr const char* kUsualLauncher = "mpirun";

/// What a command prints on stdout and stderr. For short, trusted commands (ldd, --version).
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      ::popen((command + " 2>&1 </dev/null").c_str(), "r"), ::pclose);
  std::string out;
  if (pipe == nullptr) return out;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    out.append(buffer.data(), n);
  return out;
}

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The segments of a 64-bit ELF file that are of a type; the file is good for reading them then.
std::vector<Elf64_Phdr> segments_of(std::ifstream& file, Elf64_Word type, bool* is_elf = nullptr) {
  std::vector<Elf64_Phdr> segments;
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return segments;
  if (is_elf != nullptr) *is_elf = true;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff) + i * header.e_phentsize);
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) break;
    if (segment.p_type == type) segments.push_back(segment);
  }
  return segments;
}

/// What the file holds of a segment; empty where it is longer than any that is wanted.
std::string content_of(std::ifstream& file, const Elf64_Phdr& segment, std::uint64_t longest) {
  if (segment.p_filesz > longest) return {};
  std::string content(segment.p_filesz, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(segment.p_offset));
  return file.read(content.data(), static_cast<std::streamsize>(content.size())) ? content
                                                                                 : std::string();
}

/// The build id among the notes of a segment, as bytes.
std::string build_id_in(const std::string& notes) {
  const auto padded = [](std::uint64_t size) { return (size + 3) / 4 * 4; };
  for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note{};
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::uint64_t name = at + sizeof note;
    const std::uint64_t id = name + padded(note.n_namesz);
    if (id + note.n_descsz > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.compare(name, note.n_namesz, "GNU\0", 4) == 0)
      return notes.substr(id, note.n_descsz);
    at = id + padded(note.n_descsz);
  }
  return {};
}

Executable inspect(const fs::path& path) {
  Executable executable;
  executable.path = path;
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0)
    executable.is_privileged = (info.st_mode & (S_ISUID | S_ISGID)) != 0;
  std::ifstream file(path, std::ios::binary);
  for (const Elf64_Phdr& segment : segments_of(file, PT_INTERP, &executable.is_elf))
    executable.loader = content_of(file, segment, kLongestPath).c_str();  // up to its NUL
  return executable;
}

/// From the loader itself: ldd is a script that starts nine processes. It serves programs that name
/// no loader (those of SMPI are libraries that its own launcher loads).
std::string libraries_of(const Executable& executable) {
  const std::string list =
      executable.loader.empty() ? "ldd " : quoted(executable.loader) + " --list ";
  return output_of(list + quoted(executable.path.string()));
}

MpiFamily family_of_libraries(const std::string& libraries) {
  // Open MPI 4 and 5: libmpi.so.40. The MPICH ABI: libmpich.so.12, libmpi.so.12 (Intel, MVAPICH),
  // Cray.
  if (libraries.find("libsimgrid.so") != std::string::npos) return MpiFamily::kSmpi;
  for (const char* name : {"libmpi.so.40", "libmpi.so.20", "libopen-rte.so"})
    if (libraries.find(name) != std::string::npos) return MpiFamily::kOpenMpi;
  for (const char* name :
       {"libmpich.so", "libmpi.so.12", "libmpi_cray", "libmpichcxx", "libmpifort.so.12"})
    if (libraries.find(name) != std::string::npos) return MpiFamily::kMpich;
  return MpiFamily::kNone;
}

MpiFamily family_of_launcher(const std::string& word) {
  if (fs::path(word).filename() == "smpirun") return MpiFamily::kSmpi;
  const std::string version = output_of(quoted(word) + " --version");
  if (version.find("Open MPI") != std::string::npos || version.find("OpenRTE") != std::string::npos)
    return MpiFamily::kOpenMpi;
  for (const char* name : {"HYDRA", "Intel(R) MPI", "MPICH", "mpich"})
    if (version.find(name) != std::string::npos) return MpiFamily::kMpich;
  return MpiFamily::kNone;
}

/// Programs whose purpose is to start the one that is meant, and shells, which may start anything.
bool only_starts_others(const fs::path& program) {
  static const std::set<std::string> names = {
      "bash",   "chrt",    "csh",   "dash",    "env",     "hwloc-bind", "ionice",
      "ksh",    "nice",    "nohup", "numactl", "setarch", "setsid",     "sh",
      "stdbuf", "taskset", "tcsh",  "time",    "timeout", "zsh"};
  return names.contains(program.filename().string());
}

}  // namespace

std::string to_string(MpiFamily family) {
  switch (family) {
    case MpiFamily::kOpenMpi:
      return "openmpi";
    case MpiFamily::kMpich:
      return "mpich";
    case MpiFamily::kSmpi:
      return "smpi";
    case MpiFamily::kNone:
      break;
  }
  return "serial";
}

std::optional<Executable> find_executable(const std::string& word) {
  auto usable = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
  };
  if (word.find('/') != std::string::npos)
    return usable(word) ? std::optional(inspect(word)) : std::nullopt;
  const char* path = std::getenv("PATH");
  const std::string dirs = path == nullptr ? "/usr/bin:/bin" : path;
  for (std::size_t at = 0; at <= dirs.size();) {
    const std::size_t end = std::min(dirs.find(':', at), dirs.size());
    const fs::path candidate = fs::path(dirs.substr(at, end - at)) / word;
    if (usable(candidate)) return inspect(candidate);
    at = end + 1;
  }
  return std::nullopt;
}

std::string build_id_of(const fs::path& path) {
  constexpr std::uint64_t kMostNotes = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  for (const Elf64_Phdr& segment : segments_of(file, PT_NOTE)) {
    std::string text;
    char digits[4];
    for (const char byte : build_id_in(content_of(file, segment, kMostNotes))) {
      std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
      text += digits;
    }
    if (!text.empty()) return text;
  }
  return {};
}

bool is_launcher_name(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  for (const char* launcher : {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun",
                               "jsrun", "ibrun", "flux", "smpirun"})
    if (name == launcher || name.starts_with(std::string(launcher) + ".")) return true;
  return false;
}

bool starts_with_launcher(const std::vector<std::string>& command) {
  return !command.empty() && is_launcher_name(command.front());
}

bool starts_a_launcher(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    if (is_launcher_name(word)) return true;
    const auto executable = word.starts_with('-') ? std::nullopt : find_executable(word);
    if (executable && executable->is_elf && !only_starts_others(executable->path)) return false;
  }
  return false;
}

Target target_of(const std::vector<std::string>& command) {
  const bool launched = starts_with_launcher(command);
  Target target;
  for (std::size_t i = launched ? 1 : 0; i < command.size(); ++i) {
    if (command[i].empty() || command[i][0] == '-') continue;
    const auto executable = find_executable(command[i]);
    if (!executable) continue;
    if (!executable->is_elf || only_starts_others(executable->path)) {
      if (!target.program && !target.starter) target.starter = executable;
      continue;
    }
    if (!target.program) target.program = executable;
    const std::string libraries = libraries_of(*executable);
    target.needs_asan = libraries.find("libasan.so") != std::string::npos;
    target.family = family_of_libraries(libraries);
    if (target.family != MpiFamily::kNone) {
      target.program = executable;
      return target;
    }
  }
  if (launched)
    target.family = family_of_launcher(command.front());
  else if (!target.program && target.starter && find_executable(kUsualLauncher))
    target.family = family_of_launcher(kUsualLauncher);
  return target;
}

std::string why_not_recorded(const Target& target, const std::vector<std::string>& command) {
  for (const std::string& word : command)
    if (word.starts_with("LD_PRELOAD="))
      return "'" + word + "' in the command takes the place of libapmt-" +
             to_string(target.family) + ".so: add it there, behind a colon, or leave the word out";
  if (!target.program && target.starter)
    return target.starter->path.string() +
           " starts programs, and the command does not say which: put apmt before the program or "
           "its launcher, inside the script";
  if (!target.program) return "the command contains no program that exists";
  const std::string path = target.program->path.string();
  if (target.program->is_static())
    return path + " is linked statically: no library can be loaded into it; link it dynamically";
  if (target.program->is_privileged)
    return path + " is setuid or setgid: the loader ignores LD_PRELOAD for it; run a plain copy";
  if (target.needs_asan)
    return path +
           " is built with AddressSanitizer, which refuses to start behind a preloaded library: "
           "set ASAN_OPTIONS=verify_asan_link_order=0";
  return path + " did not get as far as MPI_Init with libapmt-" + to_string(target.family) +
         ".so loaded, or its launcher does not pass LD_PRELOAD on";
}

}  // namespace apmt
