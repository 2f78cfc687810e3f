#include "campaign/launching/preload.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "base/input_error.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSplitters = " \t\n:;";

bool can_be_named(const fs::path& path) {
  return path.string().find_first_of(kSplitters) == std::string::npos;
}

/// Makes a folder that only this user can write to. False if another kind of folder is there.
bool make_own_folder(const fs::path& folder) {
  (void)::mkdir(folder.c_str(), 0755);
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool link_to(const fs::path& library, const fs::path& link) {
  std::error_code error;
  fs::create_symlink(library, link, error);
  return !error || fs::read_symlink(link, error) == library;
}

/// A hash of the path (FNV-1a), so that the same library always gets the same link.
std::string number_of(const fs::path& library) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : library.string())
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace

std::string preloadable(const fs::path& library, const fs::path& experiment) {
  if (can_be_named(library)) return library.string();
  std::error_code ignored;
  const fs::path folders[] = {
      experiment.empty() ? fs::path() : fs::absolute(experiment) / ".lib",
      fs::temp_directory_path(ignored) /
          ("apmt-" + std::to_string(::geteuid()) + "-" + number_of(library))};
  for (const fs::path& folder : folders) {
    if (folder.empty() || !can_be_named(folder)) continue;
    fs::create_directories(folder.parent_path(), ignored);
    const fs::path link = folder / library.filename();
    if (make_own_folder(folder) && link_to(library, link)) return link.string();
  }
  throw InputError(library.string(),
                   "cannot be preloaded: the loader splits LD_PRELOAD at blanks and colons, and no "
                   "link without them could be made",
                   "install apmt in a folder without blanks, or set TMPDIR to one");
}

}  // namespace apmt
