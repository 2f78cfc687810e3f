// An experiment in which processes left recordings; each test chooses what they contain.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"
#include "campaign/store/collect.h"
#include "tests/unit/runtime/small_recording.h"

namespace apmt {

namespace fs = std::filesystem;

class LeftRecordings : public ::testing::Test {
 protected:
  /// A rank for which write() makes a recording. The rank ran for ten seconds on another machine
  /// and ended `ago_s` seconds ago.
  struct Rank {
    int number = 0;
    int of = 1;
    std::string launch = "1";
    std::int64_t ago_s = 100;
    format::Ending ending = format::Ending::kExited;
    std::string host = "node1";
    std::string boot_id = "b1";
    std::string pid_namespace = "pid:[1]";
    std::string exe = "/opt/app";
    bool finalizes = true;
  };
  static std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  fs::path write(const Rank& rank, const std::string& folder = "running-unnamed") const {
    std::string bytes(rt::recording_bytes(rt::kSmall), '\0');
    const rt::Recording r = rt::lay_out(bytes.data(), rt::kSmall);
    r.header->world_rank = rank.number;
    r.header->world_size = rank.of;
    r.header->start_ns = 100 * kSecond;
    r.header->init_returned_ns = 101 * kSecond;
    r.header->last_sample_ns = 109 * kSecond;
    r.header->start_realtime_ns = now_ns() - (rank.ago_s + 10) * kSecond;
    r.header->ending = rank.ending;
    if (rank.ending != format::Ending::kOpen) {
      if (rank.finalizes) r.header->finalize_entered_ns = 109 * kSecond;
      r.header->end_ns = 110 * kSecond;
    }
    r.header->pid = 1000 + rank.number;
    r.header->sample_source = format::SampleSource::kPosixTimer;
    r.header->events[0].period = 1000000;
    r.header->event_count = 1;
    const auto text = [&](const char* key, const std::string& value) {
      rt::append_text(r, key, value.c_str());
    };
    text("exe", rank.exe);
    text("mpi_library", "Some MPI 1.0");
    text("host", rank.host);
    text("boot_id", rank.boot_id);
    text("pid_namespace", rank.pid_namespace);
    text("parent", "7:7");
    text("process", std::to_string(1000 + rank.number) + ":8");
    if (!rank.launch.empty()) text("id.PMIX_NAMESPACE", rank.launch);
    const fs::path file =
        experiment() / folder /
        ("rank-0000" + std::to_string(rank.number) + "-" + rank.launch + "-" + rank.host + ".apmt");
    fs::create_directories(file.parent_path());
    write_file_atomically(file, bytes);
    const auto ended = fs::file_time_type::clock::now() - std::chrono::seconds(rank.ago_s);
    fs::last_write_time(file, ended);
    return file;
  }
  fs::path experiment() const { return folder_.path() / "e"; }
  fs::path running() const { return experiment() / "running-unnamed"; }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(experiment()))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  static CollectOptions as_is() {
    CollectOptions options;
    options.as_is = true;
    return options;
  }
  static constexpr std::int64_t kSecond = 1000000000;
  TemporaryFolder folder_;
};

}  // namespace apmt
