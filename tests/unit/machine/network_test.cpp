// Tests of calibrating the network with the MPI that is installed here; tests/virtual tests it on
// clusters whose numbers are known.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/input_error.h"
#include "machine/mpi_installation.h"
#include "machine/network_probe.h"
#include "tests/paths.h"

namespace apmt {
namespace {

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

NetworkOptions options_for(std::vector<std::string> launcher) {
  NetworkOptions options;
  options.launcher = std::move(launcher);
  options.probes = source_dir() + "/machine/probes";
  options.search_path = search_path();
  options.timeout_s = 100;
  return options;
}

TEST(Network, TheMpiHereIsMeasuredWithinTheNode) {
  const auto installed = find_mpi(search_path());
  if (installed.empty() || installed.front().c_compiler.empty())
    GTEST_SKIP() << "no MPI with a compiler in PATH";
  MachineProfile profile;
  probe_network(options_for(launch_words(installed.front(), 2)), &profile);
  const Network* node = profile.network("node");
  ASSERT_NE(node, nullptr);
  ASSERT_FALSE(node->pieces.empty());
  EXPECT_GT(node->times_s.back().second.value, node->times_s.front().second.value);
  EXPECT_FALSE(profile.collectives.empty());
}

TEST(Network, ALauncherThatStartsNothingIsSaidSo) {
  const auto installed = find_mpi(search_path());
  if (installed.empty() || installed.front().c_compiler.empty())
    GTEST_SKIP() << "no MPI with a compiler in PATH";
  MachineProfile profile;
  NetworkOptions options = options_for({"/bin/true"});
  options.compiler = installed.front().c_compiler;
  EXPECT_THROW(probe_network(options, &profile), InputError);
  options.launcher = {"/bin/false"};
  EXPECT_THROW(probe_network(options, &profile), InputError);
  options.compiler = "/bin/false";
  EXPECT_THROW(probe_network(options, &profile), InputError);
}

}  // namespace
}  // namespace apmt
