#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/input_error.h"

namespace apmt {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* doing) {
  throw InputError(path.string(), std::string(doing) + ": " + std::strerror(errno), {},
                   ExitCode::kFailed);
}

/// On destruction, closes the descriptor and removes the temporary file unless it was renamed into
/// place.
struct TemporaryFile {
  std::string name;
  int fd = -1;
  bool kept = false;
  ~TemporaryFile() {
    if (fd >= 0) ::close(fd);
    if (fd >= 0 && !kept) ::unlink(name.c_str());
  }
};

void write_all(int fd, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot write");
    content.remove_prefix(static_cast<std::size_t>(n));
  }
}

void sync_directory(const std::filesystem::path& file) {
  const std::filesystem::path dir = file.has_parent_path() ? file.parent_path() : ".";
  const int fd = ::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // the rename itself succeeded; not every file system can sync a directory
  ::fsync(fd);
  ::close(fd);
}

/// Whether the path is a device or a pipe, such as /dev/stdout, in whose place no file may be put.
bool is_stream(const std::filesystem::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void write_stream(const std::filesystem::path& path, std::string_view content) {
  TemporaryFile stream{.name = {}, .fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC), .kept = true};
  if (stream.fd < 0) fail(path, "cannot open");
  write_all(stream.fd, content, path);
}

}  // namespace

void write_file_atomically(const std::filesystem::path& named, std::string_view content) {
  if (is_stream(named)) return write_stream(named, content);
  const std::filesystem::path path =
      std::filesystem::is_symlink(named) ? std::filesystem::weakly_canonical(named) : named;
  TemporaryFile temporary{.name = path.string() + ".XXXXXX"};
  temporary.fd = ::mkostemp(temporary.name.data(), O_CLOEXEC);
  if (temporary.fd < 0) fail(path, "cannot create");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(temporary.fd, 0666 & ~mask);
  write_all(temporary.fd, content, path);
  if (::fsync(temporary.fd) != 0) fail(path, "cannot sync");
  if (::rename(temporary.name.c_str(), path.c_str()) != 0) fail(path, "cannot rename into place");
  temporary.kept = true;
  sync_directory(path);
}

std::string read_whole_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, "cannot open");
  TemporaryFile closer{.name = {}, .fd = fd, .kept = true};
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail(path, "cannot stat");
  if (S_ISDIR(info.st_mode)) throw InputError(path.string(), "is a directory, expected a file");
  if (static_cast<std::size_t>(info.st_size) > max_bytes)
    throw InputError(path.string(), "larger than " + std::to_string(max_bytes) + " bytes");
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = ::read(fd, content.data() + done, content.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path, "cannot read");
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  content.resize(done);
  return content;
}

}  // namespace apmt
