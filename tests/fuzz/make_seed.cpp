// Writes a small valid recording with the functions of the runtime, as a seed of fuzz_recording.

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "profiler/runtime/instances.h"
#include "profiler/runtime/recording_file.h"
#include "profiler/runtime/tables.h"

namespace apmt::rt {
constinit PerRank<State> g_state;
}

namespace {

using namespace apmt;

/// Removes the gaps between the tables of a recording; the reader requires no alignment. The result
/// is a tenth as long, so that the fuzzer tries ten times as many inputs.
std::string without_gaps(const std::string& bytes) {
  format::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::string packed(sizeof header, '\0');
  for (std::uint32_t i = 0; i < header.section_count; ++i) {
    format::Section& section = header.sections[i];
    const std::size_t begin = packed.size();
    packed += bytes.substr(section.offset_bytes, section.capacity * section.entry_bytes);
    section.offset_bytes = begin;
  }
  header.file_bytes = packed.size();
  std::memcpy(packed.data(), &header, sizeof header);
  return packed;
}

}  // namespace

int main(int, char** argv) {
  const rt::Capacities small = {.text_bytes = 512,
                                .modules = 2,
                                .threads = 2,
                                .samples = 8,
                                .ops = 4,
                                .calls = 4,
                                .peers = 4,
                                .requests = 2,
                                .instances = 4};
  std::string bytes(rt::recording_bytes(small), '\0');
  const rt::Recording r = rt::lay_out(bytes.data(), small);
  r.header->world_size = 2;
  r.header->world_rank = 0;
  r.header->init_returned_ns = 1000;
  r.header->end_ns = 2000000;
  r.header->sample_source = format::SampleSource::kPosixTimer;
  r.header->event_count = 1;
  r.header->events[0].period = 1000000;
  rt::append_text(r, "exe", "/bin/app");
  rt::append_text(r, "host", "node");
  rt::append_text(r, "affinity", "0-3,5");
  rt::append_text(r, "params", "n=10,m=2.5");
  r.modules[0] = {0x1000, 0x9000, 0x1000, rt::append_text(r, "module", "/bin/app"), 2, {1, 2}, 0};
  r.section(format::SectionKind::kModules).used = 1;
  std::strcpy(r.ops[1].name, "MPI_Send");
  r.ops[1].op_class = format::OpClass::kPointToPoint;
  r.section(format::SectionKind::kOps).used = 2;
  r.threads[0].samples = 3;
  r.section(format::SectionKind::kThreads).used = 1;
  rt::UsedParts used_samples = {}, used_calls = {};
  rt::add_sample(r.samples, r.section(format::SectionKind::kSamples), used_samples,
                 format::sample_key(0x1234, 0, format::Stage::kMain), 0, 3);
  rt::add_mpi_call(
      r.calls, r.section(format::SectionKind::kMpiCalls), used_calls,
      {0x1300, format::mpi_what(1, 4, 2, format::PeerClass::kSameNode, format::Stage::kMain), 8, 0,
       900, 900});
  rt::add_message(rt::peer_table(r), 1, 8, rt::Direction::kSent);
  const std::uint64_t what =
      format::mpi_what(1, 4, 2, format::PeerClass::kUntold, format::Stage::kMain);
  rt::add_ended_request(r.requests, r.section(format::SectionKind::kRequests),
                        {0x1300, what, 8, 0, 900, 100});
  rt::keep_instance(r.instances, r.section(format::SectionKind::kInstances), r.header->thinning,
                    {0x1234567, what, 700});
  r.totals[0].events[0] = {4000000, 3, 0};
  r.section(format::SectionKind::kTotals).used = 1;
  std::ofstream(argv[1], std::ios::binary) << without_gaps(bytes);
}
