// Tests of the settings of a server.

#include "service/configuration.h"

#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"

namespace apmt::service {
namespace {

Configuration configuration(const std::string& settings) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "service.yaml";
  write_file_atomically(file, "format: apmt-service\nformat_version: \"1.0\"\n" + settings);
  return read_configuration(file);
}

TEST(Configuration, AsksForATokenOnALoopbackAddressByDefault) {
  const Configuration defaults = configuration("");
  EXPECT_EQ(defaults.listen, "127.0.0.1:8440");
  EXPECT_FALSE(defaults.anonymous_reading);
}

TEST(Configuration, ReadsEverySetting) {
  const Configuration c = configuration(
      "listen: \"[::1]:9000\"\nstore: sqlite:/tmp/x.db\nanonymous_reading: true\nlog: json\n"
      "connections: 10\nthreads: 2\nhead_s: 1.5\nbody_s: 2\nsend_s: 3\nstop_s: 4\n"
      "head_bytes: 4096\nbody_bytes: 5000\nprofile_bytes: 6000\nrequests_per_s: 7\n"
      "requests_burst: 8\nfailures_per_s: 9\nfailures_burst: 10\nmodels_in_memory: 11\n"
      "parsed_at_once: 3\nrefit_cpu_s: 13\nrefit_wall_s: 14\nrefit_memory_bytes: 2000000\n"
      "keep_models: 15\nkeep_audit_days: 16\n");
  EXPECT_EQ(listen_address(c.listen).host, "::1");
  EXPECT_EQ(listen_address(c.listen).port, 9000);
  EXPECT_TRUE(c.anonymous_reading);
  EXPECT_EQ(c.head_s, 1.5);
  EXPECT_EQ(c.profile_bytes, 6000u);
  EXPECT_EQ(c.failures_burst, 10);
  EXPECT_EQ(c.refit.memory_bytes, 2'000'000u);
  EXPECT_EQ(c.retention.models, 15);
  EXPECT_EQ(c.retention.audit_days, 16);
}

TEST(Configuration, RefusesUnknownAndImpossibleSettings) {
  for (const char* settings :
       {"lisen: x\n", "connections: 0\n", "connections: many\n", "head_s: -1\n", "log: xml\n",
        "anonymous_reading: 3\n", "keep_models: 1\n"})
    EXPECT_THROW(configuration(settings), InputError) << settings;
  for (const char* address : {"", "8440", ":8440", "host:", "host:99999", "host:x"})
    EXPECT_THROW(listen_address(address), InputError) << address;
}

}  // namespace
}  // namespace apmt::service
