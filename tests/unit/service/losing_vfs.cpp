#include "losing_vfs.h"

#include <sqlite3.h>

#include <cstring>

namespace apmt::service::testing {
namespace {

LosingVfs* the_vfs = nullptr;
sqlite3_vfs* real_vfs = nullptr;
sqlite3_vfs layer;

/// SQLite allocates this with room for the real file behind it.
struct LayerFile {
  sqlite3_file base;
  std::string* path;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

LayerFile* layer_of(sqlite3_file* file) { return reinterpret_cast<LayerFile*>(file); }
sqlite3_file* real_of(sqlite3_file* file) { return layer_of(file)->real(); }
const sqlite3_io_methods& methods_of(sqlite3_file* file) { return *real_of(file)->pMethods; }

int close_file(sqlite3_file* file) {
  delete layer_of(file)->path;
  return methods_of(file).xClose(real_of(file));
}
int read_file(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
  return methods_of(file).xRead(real_of(file), to, count, offset);
}
int write_file(sqlite3_file* file, const void* from, int count, sqlite3_int64 offset) {
  the_vfs->wrote(*layer_of(file)->path, offset,
                 std::string(static_cast<const char*>(from), static_cast<std::size_t>(count)));
  return methods_of(file).xWrite(real_of(file), from, count, offset);
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  the_vfs->truncated(*layer_of(file)->path, size);
  return methods_of(file).xTruncate(real_of(file), size);
}
int sync_file(sqlite3_file* file, int) {
  the_vfs->synced(*layer_of(file)->path);
  return SQLITE_OK;
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return methods_of(file).xFileSize(real_of(file), size);
}
int lock_file(sqlite3_file* file, int level) {
  return methods_of(file).xLock(real_of(file), level);
}
int unlock_file(sqlite3_file* file, int level) {
  return methods_of(file).xUnlock(real_of(file), level);
}
int check_reserved(sqlite3_file* file, int* result) {
  return methods_of(file).xCheckReservedLock(real_of(file), result);
}
int control(sqlite3_file* file, int what, void* argument) {
  return methods_of(file).xFileControl(real_of(file), what, argument);
}
int sector_size(sqlite3_file* file) { return methods_of(file).xSectorSize(real_of(file)); }
int characteristics(sqlite3_file*) { return 0; }  // promises nothing
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** at) {
  return methods_of(file).xShmMap(real_of(file), page, size, extend, at);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return methods_of(file).xShmLock(real_of(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) { methods_of(file).xShmBarrier(real_of(file)); }
int shm_unmap(sqlite3_file* file, int remove) {
  return methods_of(file).xShmUnmap(real_of(file), remove);
}

const sqlite3_io_methods kMethods = {
    2,         close_file,  read_file,      write_file, truncate_file, sync_file,       file_size,
    lock_file, unlock_file, check_reserved, control,    sector_size,   characteristics, shm_map,
    shm_lock,  shm_barrier, shm_unmap,      nullptr,    nullptr};

int open_file(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  LayerFile* opened = layer_of(file);
  opened->base.pMethods = nullptr;
  const int code = real_vfs->xOpen(real_vfs, name, opened->real(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  opened->path = new std::string(name == nullptr ? "" : name);
  opened->base.pMethods = &kMethods;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs*, const char* name, int sync_folder) {
  the_vfs->removed(name);
  return real_vfs->xDelete(real_vfs, name, sync_folder);
}

}  // namespace

LosingVfs::LosingVfs(std::uint32_t seed) : random_(seed) {
  real_vfs = sqlite3_vfs_find(nullptr);
  the_vfs = this;
  layer = *real_vfs;
  layer.pNext = nullptr;
  layer.zName = "losing";
  layer.szOsFile = static_cast<int>(sizeof(LayerFile)) + real_vfs->szOsFile;
  layer.xOpen = open_file;
  layer.xDelete = delete_file;
  sqlite3_vfs_register(&layer, 1);
}

LosingVfs::~LosingVfs() {
  sqlite3_vfs_unregister(&layer);
  sqlite3_vfs_register(real_vfs, 1);
  the_vfs = nullptr;
}

void LosingVfs::apply(const Change& change, std::string* content) {
  const auto offset = static_cast<std::size_t>(change.offset);
  if (change.is_truncation) {
    content->resize(offset);
    return;
  }
  if (content->size() < offset + change.bytes.size()) content->resize(offset + change.bytes.size());
  content->replace(offset, change.bytes.size(), change.bytes);
}

void LosingVfs::maybe_fail() {
  if (one_in_ > 0 && random_() % static_cast<unsigned>(one_in_) == 0) kept_.push_back(lose_power());
}

void LosingVfs::wrote(const std::string& path, std::int64_t offset, std::string bytes) {
  files_[path].pending.push_back({offset, std::move(bytes), false});
  maybe_fail();
}

void LosingVfs::truncated(const std::string& path, std::int64_t size) {
  files_[path].pending.push_back({size, {}, true});
  maybe_fail();
}

void LosingVfs::synced(const std::string& path) {
  File& file = files_[path];
  for (const Change& change : file.pending) apply(change, &file.durable);
  file.pending.clear();
  file.is_durable = true;
}

void LosingVfs::removed(const std::string& path) { files_.erase(path); }

Remains LosingVfs::lose_power() {
  Remains remains;
  remains.acknowledged = acknowledged;
  for (const auto& [path, file] : files_) {
    std::string content = file.durable;
    bool is_there = file.is_durable;
    for (const Change& change : file.pending) {
      if (random_() % 2 == 0) continue;
      apply(change, &content);
      is_there = true;
    }
    if (is_there) remains.files[path] = content;
  }
  return remains;
}

}  // namespace apmt::service::testing
