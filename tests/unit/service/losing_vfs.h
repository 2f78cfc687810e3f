// A layer between SQLite and the file system that simulates a loss of power. It tracks which data
// would survive: all that was synced, and an arbitrary part of what was written since.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace apmt::service::testing {

/// The files that may be left after a loss of power.
struct Remains {
  std::map<std::string, std::string> files;  // by path
  int acknowledged = 0;                      // LosingVfs::acknowledged at that moment
};

/// While an object of this class exists, all databases that SQLite opens use it.
class LosingVfs {
 public:
  explicit LosingVfs(std::uint32_t seed);
  ~LosingVfs();
  LosingVfs(const LosingVfs&) = delete;
  LosingVfs& operator=(const LosingVfs&) = delete;

  /// The power may fail at every write: after each write, the remains are kept with the probability
  /// 1 / `one_in`.
  void fail_at_writes(int one_in) { one_in_ = one_in; }
  Remains lose_power();
  const std::vector<Remains>& kept() const { return kept_; }
  int acknowledged = 0;  // set by the test

  // Called by the layer.
  void wrote(const std::string& path, std::int64_t offset, std::string bytes);
  void truncated(const std::string& path, std::int64_t size);
  void synced(const std::string& path);
  void removed(const std::string& path);

 private:
  struct Change {
    std::int64_t offset = 0;
    std::string bytes;
    bool is_truncation = false;  // to `offset` bytes
  };
  struct File {
    bool is_durable = false;  // synced at least once
    std::string durable;
    std::vector<Change> pending;
  };
  static void apply(const Change& change, std::string* content);
  void maybe_fail();

  std::mt19937 random_;
  int one_in_ = 0;
  std::map<std::string, File> files_;
  std::vector<Remains> kept_;
};

}  // namespace apmt::service::testing
