#include "profiler/runtime/recording_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "profiler/reader/fold.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/runtime/tables.h"
#include "tests/unit/runtime/small_recording.h"

namespace apmt::rt {
namespace {

namespace fs = std::filesystem;

/// A small valid recording in memory, as the runtime would write it.
std::string sample_recording() {
  std::string bytes(recording_bytes(kSmall), '\0');
  const Recording r = lay_out(bytes.data(), kSmall);
  r.header->world_rank = 1;
  r.header->world_size = 2;
  r.header->start_ns = 1000;
  r.header->init_returned_ns = 2000;
  r.header->finalize_entered_ns = 900002000;
  r.header->end_ns = 900003000;
  r.header->ending = format::Ending::kExited;
  r.header->sample_source = format::SampleSource::kPosixTimer;
  r.header->events[0].period = 1000000;
  r.header->event_count = 1;
  append_text(r, "exe", "/opt/app");
  append_text(r, "host", "node1");
  append_text(r, "affinity", "0-3,8");
  append_text(r, "params", "n=1000,iter=5");
  std::strcpy(r.ops[3].name, "MPI_Send");
  r.ops[3].op_class = format::OpClass::kPointToPoint;
  r.section(format::SectionKind::kOps).used = 4;
  r.section(format::SectionKind::kThreads).used = 1;
  r.threads[0].samples = 7;
  UsedParts used_samples = {}, used_calls = {};
  add_sample(r.samples, r.section(format::SectionKind::kSamples), used_samples,
             format::sample_key(0x400123, 0, format::Stage::kMain), 0, 5);
  add_sample(r.samples, r.section(format::SectionKind::kSamples), used_samples,
             format::sample_key(0x400500, 3, format::Stage::kMain), 0, 2);
  add_mpi_call(r.calls, r.section(format::SectionKind::kMpiCalls), used_calls,
               {0x400500,
                format::mpi_what(3, format::size_class(800), 2, format::PeerClass::kSameNode,
                                 format::Stage::kMain),
                800, 0, 5000, 5000});
  add_message(peer_table(r), 0, 800, Direction::kSent);
  return bytes;
}

TEST(RecordingFile, WhatTheRuntimeWritesTheReaderReads) {
  const RawRecording raw = decode_recording(sample_recording(), "rank-00001.apmt");
  EXPECT_EQ(raw.first("exe"), "/opt/app");
  EXPECT_EQ(raw.samples.size(), 2u);
  ASSERT_EQ(raw.calls.size(), 1u);
  EXPECT_EQ(raw.op_name(format::what_op(raw.calls[0].what)), "MPI_Send");
  EXPECT_EQ(raw.op_name(12345), "");
  EXPECT_EQ(raw.dropped, 0u);
}

TEST(RecordingFile, ARecordingOfVersion30IsRead) {
  std::string bytes = sample_recording();
  auto* header = reinterpret_cast<format::Header*>(bytes.data());
  header->version_minor = 0;
  header->section_count -= 2;  // older files had no totals and no times of main
  header->header_bytes = format::kHeaderBytes31;
  header->task_clock_ns = 1;  // lies beyond the header of that version, so it must be ignored
  const RawRecording raw = decode_recording(bytes, "f");
  EXPECT_EQ(raw.samples.size(), 2u);
  EXPECT_TRUE(raw.totals.empty());
  EXPECT_EQ(raw.header.task_clock_ns, 0u);
}

TEST(RecordingFile, ARankFoldsIntoAProfile) {
  const RunProfile profile = fold({decode_recording(sample_recording(), "rank-00001.apmt")});
  EXPECT_EQ(profile.program, "app");
  EXPECT_EQ(profile.config.procs, 2);
  EXPECT_EQ(profile.config.params, (std::map<std::string, double>{{"iter", 5}, {"n", 1000}}));
  EXPECT_EQ(profile.hosts.at(0).usable_cpus, 5);
  EXPECT_EQ(profile.health.ranks_present, 1);
  EXPECT_EQ(profile.health.ranks_expected, 2);
  EXPECT_DOUBLE_EQ(profile.times.main_s.per_rank.at(0), 0.9);
  EXPECT_DOUBLE_EQ(profile.times.mpi_p2p_s.per_rank.at(0), 5e-6);
  EXPECT_DOUBLE_EQ(profile.times.sampled_cpu_s.per_rank.at(0), 0.005)
      << "samples inside MPI do not count as computation";
  ASSERT_EQ(profile.mpi.size(), 1u);
  EXPECT_EQ(profile.mpi[0].op, "MPI_Send");
  EXPECT_DOUBLE_EQ(profile.mpi[0].min_s, 5e-6);
  ASSERT_EQ(profile.peers.size(), 1u);
  EXPECT_EQ(profile.peers[0].from, 1);
  EXPECT_EQ(profile.peers[0].to, 0);
}

/// A recording in which rank 0 of `world` sent each rank r one message of r + 1 bytes.
std::string one_message_to_each(const Capacities& capacities, int world) {
  std::string bytes(recording_bytes(capacities), '\0');
  const Recording r = lay_out(bytes.data(), capacities);
  r.header->world_rank = 0;
  r.header->world_size = world;
  r.header->start_ns = 1000;
  r.header->init_returned_ns = 2000;
  r.header->end_ns = 900003000;
  for (int rank = 0; rank < world; ++rank)
    add_message(peer_table(r), rank, static_cast<uint64_t>(rank) + 1, Direction::kSent);
  return bytes;
}

TEST(RecordingFile, FourThousandPeersAreTold) {
  constexpr int kWorld = 4096;
  const RunProfile profile =
      fold({decode_recording(one_message_to_each(capacities_for(0), kWorld), "rank-00000.apmt")});
  ASSERT_EQ(profile.peers.size(), kWorld);
  for (int rank = 0; rank < kWorld; ++rank) {
    const PeerRow& row = profile.peers[static_cast<std::size_t>(rank)];
    EXPECT_EQ(row.to, rank);
    EXPECT_EQ(row.to_last, rank);
    EXPECT_EQ(row.bytes, static_cast<std::uint64_t>(rank) + 1);
  }
  EXPECT_EQ(profile.health.table_drops, 0u);
}

TEST(RecordingFile, PeersWithoutRoomAreAddedUpByBlocksOfRanks) {
  constexpr int kWorld = 1000;  // kSmall has 16 rows for single peers; a block has 16 ranks
  const RunProfile profile =
      fold({decode_recording(one_message_to_each(kSmall, kWorld), "rank-00000.apmt")});
  EXPECT_EQ(profile.health.table_drops, 0u) << "nothing is lost";
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::size_t blocks = 0;
  for (const PeerRow& row : profile.peers) {
    messages += row.messages;
    bytes += row.bytes;
    if (row.to_last == row.to) continue;
    ++blocks;
    EXPECT_EQ(row.to % 16, 0);
    EXPECT_EQ(row.to_last, std::min(row.to + 15, kWorld - 1));
  }
  EXPECT_EQ(messages, 1000u);
  EXPECT_EQ(bytes, 1000u * 1001 / 2);
  EXPECT_EQ(blocks, 62u) << "the first 16 ranks have rows of their own";
  EXPECT_EQ(profile.communication.pattern.kind, "none");
  EXPECT_NE(std::find_if(profile.health.notes.begin(), profile.health.notes.end(),
                         [](const std::string& note) {
                           return note.find("over blocks of 16 ranks") != std::string::npos;
                         }),
            profile.health.notes.end());
  EXPECT_EQ(run_profile_from_json(to_json(profile), "p").peers.back().to_last, kWorld - 1);
}

TEST(RecordingFile, TextThatFindsNoRoomIsCountedNotWritten) {
  std::string bytes(recording_bytes(kSmall), '\0');
  const Recording r = lay_out(bytes.data(), kSmall);
  const std::string kilobyte(1000, 'x');
  int written = 0;
  for (int i = 0; i < 10; ++i) written += append_text(r, "k", kilobyte.c_str()) != 0;
  EXPECT_EQ(written, 4);
  EXPECT_EQ(r.section(format::SectionKind::kText).dropped, 6u);
  EXPECT_EQ(decode_recording(bytes, "f").text.at("k").size(), 4u);
}

TEST(RecordingFile, MemoryLimitDecidesTheTables) {
  EXPECT_LT(recording_bytes(capacities_for(0)), std::uint64_t{8} << 20);
  EXPECT_LE(recording_bytes(capacities_for(1 << 20)), std::uint64_t{1} << 20);
  EXPECT_GT(recording_bytes(capacities_for(64 << 20)), recording_bytes(capacities_for(0)) * 4);
  EXPECT_LE(recording_bytes(capacities_for(64 << 20)), std::uint64_t{64} << 20);
  EXPECT_LE(recording_bytes(capacities_for(UINT64_MAX)), format::kMaxRecordingBytes);
}

TEST(RecordingFile, IsRefusedWhereItWouldHurtTheProgram) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "recording";
  Recording r{};
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const char* why = create_recording(path.c_str(), kSmall, &r);
  setrlimit(RLIMIT_FSIZE, &old);
  ASSERT_NE(why, nullptr);
  EXPECT_NE(std::string(why).find("file size limit"), std::string::npos);
  EXPECT_FALSE(fs::exists(path));

  ASSERT_EQ(create_recording(path.c_str(), kSmall, &r), nullptr);
  EXPECT_EQ(fs::file_size(path), recording_bytes(kSmall));
  EXPECT_NE(create_recording(path.c_str(), kSmall, &r), nullptr)
      << "an existing recording was overwritten";
}

std::string error_of(const std::string& bytes) {
  try {
    decode_recording(bytes, "r.apmt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RecordingReader, SaysWhatIsWrong) {
  const std::string good = sample_recording();
  EXPECT_EQ(error_of(""), "r.apmt: not a recording of apmt");
  EXPECT_EQ(error_of(std::string(100, 'x')), "r.apmt: not a recording of apmt");
  EXPECT_EQ(error_of(good.substr(0, 100)), "r.apmt: header cut off");
  EXPECT_EQ(error_of(good.substr(0, good.size() - 1)),
            "r.apmt: file is shorter than its header says");
  std::string bad = good;
  bad[offsetof(format::Header, version_major)] = 9;
  EXPECT_EQ(error_of(bad), "r.apmt: recording format 9 is not known, expected 3");
  bad = good;
  std::swap(bad[offsetof(format::Header, byte_order)],
            bad[offsetof(format::Header, byte_order) + 3]);
  EXPECT_EQ(error_of(bad), "r.apmt: recorded on a machine of another byte order");
}

/// A sparse file takes no space on disk, yet its header may claim a text of any length. So the size
/// is checked before anything is read.
TEST(RecordingReader, AHeadOfAFileThatNoRecorderMadeIsRefusedUnread) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "rank-00000.apmt";
  std::string bytes = sample_recording();
  constexpr std::uint64_t kHuge = format::kMaxRecordingBytes + (std::uint64_t{1} << 20);
  auto* header = reinterpret_cast<format::Header*>(bytes.data());
  format::Section& text =
      header->sections[static_cast<std::uint32_t>(format::SectionKind::kText) - 1];
  text.capacity = text.used = kHuge - text.offset_bytes;
  write_file_atomically(path, bytes);
  fs::resize_file(path, kHuge);
  try {
    read_recording_head(path);
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("is larger than a recording can be"),
              std::string::npos)
        << error.what();
  }
}

TEST(RecordingReader, SurvivesAnyBytes) {
  const std::string good = sample_recording();
  std::mt19937_64 random(1);
  int refused = 0;
  constexpr int kRounds = 5000;
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = good;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const bool in_header = random() % 2 == 0;
      bytes[random() % (in_header ? sizeof(format::Header) : bytes.size())] =
          static_cast<char>(random());
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    try {
      fold({decode_recording(bytes, "r.apmt")});
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kRounds / 20);
  EXPECT_LT(refused, kRounds);
}

}  // namespace
}  // namespace apmt::rt
