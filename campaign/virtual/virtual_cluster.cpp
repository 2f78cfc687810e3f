#include "campaign/virtual/virtual_cluster.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/words.h"
#include "campaign/launching/executable.h"
#include "machine/named_file.h"
#include "machine/yaml_json.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

double positive(const JsonAt& value) {
  if (value.number() <= 0) value.fail("a number above 0");
  return value.number();
}

void read_collectives(const JsonAt& root, VirtualCluster* cluster) {
  if (const auto pinned = root.find("collectives"))
    pinned->for_each_member([&](const std::string& operation, const JsonAt& algorithm) {
      cluster->collectives[operation] = algorithm.string();
    });
}

HockneyPiece line_of(const JsonAt& latency_s, const JsonAt& bandwidth) {
  return {.from_bytes = 0,
          .alpha_s = latency_s.non_negative(),
          .beta_s_per_byte = 1 / positive(bandwidth)};
}

void read_cluster(const fs::path& file, VirtualCluster* cluster) {
  const Json text = read_yaml_file(file, "apmt-cluster", 1);
  const JsonAt root(text, file.string());
  cluster->title = root.at("title").string();
  cluster->pieces = {line_of(root.at("latency_s"), root.at("bandwidth_bytes_per_s"))};
  if (const auto latency = root.find("node_latency_s"))
    cluster->within_node = line_of(*latency, root.at("node_bandwidth_bytes_per_s"));
  if (const auto speed = root.find("relative_speed")) cluster->relative_speed = positive(*speed);
  if (const auto simulate = root.find("simulate_computation"))
    cluster->simulate_computation = simulate->boolean();
  read_collectives(root, cluster);
}

HockneyPiece one_line(const std::vector<HockneyPiece>& pieces) {
  return {.from_bytes = 0,
          .alpha_s = pieces.front().alpha_s,
          .beta_s_per_byte = pieces.back().beta_s_per_byte};
}

/// Takes the network between nodes from a machine profile, measured or hand-written.
void read_machine(const fs::path& file, VirtualCluster* cluster) {
  const MachineProfile machine = read_machine_profile(file);
  cluster->title = machine.name + ", " + machine.provenance;
  const Network* network = machine.network("network");
  if (network == nullptr || network->pieces.empty())
    throw InputError(file.string(), "has no network between nodes to simulate",
                     "apmt calibrate over two nodes measures one; or add networks: by hand");
  cluster->pieces = network->pieces;
  if (const Network* node = machine.network("node"); node != nullptr && !node->pieces.empty())
    cluster->within_node = one_line(node->pieces);
}

/// Splits "archer2@16" into the name and the number of ranks per node (1 if there is none).
std::pair<std::string, int> split_ranks_per_node(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || fs::is_regular_file(text)) return {text, 1};
  int ranks = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + at + 1, end, ranks);
  if (error != std::errc{} || rest != end || ranks < 1 || ranks > (1 << 16))
    throw InputError(text, "expected the number of ranks per node after the @", "archer2@16");
  return {text.substr(0, at), ranks};
}

void share_nodes(const fs::path& file, int ranks, VirtualCluster* cluster) {
  if (ranks == 1) {
    cluster->within_node.reset();
    return;
  }
  if (!cluster->within_node)
    throw InputError(file.string(), "does not say how long messages within a node take",
                     "node_latency_s and node_bandwidth_bytes_per_s of a cluster, the network "
                     "\"node\" of a machine; or use one rank per node");
  cluster->name += "@" + std::to_string(ranks);
  cluster->title += ", " + counted(ranks, "rank") + " a node";
  cluster->ranks_per_node = ranks;
  cluster->pieces = {one_line(cluster->pieces)};
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

/// The latency of a path between two nodes of the platform. It must not be zero, because SMPI gets
/// the latency for each range of message sizes as a multiple of it.
double link_latency_s(const VirtualCluster& cluster) {
  return std::max(cluster.pieces.front().alpha_s, 1e-12);
}
double bandwidth(const HockneyPiece& piece) { return 1 / std::max(piece.beta_s_per_byte, 1e-15); }
double link_bandwidth(const VirtualCluster& cluster) { return bandwidth(cluster.pieces.front()); }

/// SimGrid's platform file. A message between nodes crosses two links, so each link has half the
/// latency.
std::string platform_xml(const VirtualCluster& cluster, int nodes) {
  std::string within;
  if (const auto& node = cluster.within_node)
    within = "\" core=\"" + std::to_string(cluster.ranks_per_node) + "\" loopback_bw=\"" +
             number_text(bandwidth(*node)) + "Bps\" loopback_lat=\"" +
             number_text(std::max(node->alpha_s, 1e-12)) + "s";
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n"
         "  <cluster id=\"cluster\" prefix=\"node-\" suffix=\"\" radical=\"0-" +
         std::to_string(nodes - 1) + "\" speed=\"" + number_text(cluster.relative_speed) +
         "Gf\" bw=\"" + number_text(link_bandwidth(cluster)) + "Bps\" lat=\"" +
         number_text(link_latency_s(cluster) / 2) + "s" + within +
         "\" sharing_policy=\"SPLITDUPLEX\"/>\n"
         "</platform>\n";
}

/// The number at the beginning of an attribute's value in a platform file; 0 if there is none.
double attribute(const std::string& xml, const std::string& name) {
  const std::string start = " " + name + "=\"";
  const std::size_t at = xml.find(start);
  return at == std::string::npos ? 0 : std::strtod(xml.c_str() + at + start.size(), nullptr);
}

/// The host file: a line for each rank; the nodes are filled one after another.
std::string host_list(int procs, int ranks_per_node) {
  std::string text;
  for (int i = 0; i < procs; ++i) text += "node-" + std::to_string(i / ranks_per_node) + "\n";
  return text;
}

struct PlatformFiles {
  fs::path platform;
  fs::path hosts;
};
PlatformFiles platform_files(const VirtualCluster& cluster, int procs, const fs::path& folder) {
  const std::string base = cluster.name + "-" + std::to_string(procs);
  return {folder / (base + ".xml"), folder / (base + ".hosts")};
}

/// By default, SMPI multiplies latency and bandwidth by factors that were measured on its authors'
/// cluster, and limits the speed of a message by a TCP window. These settings turn both off, so a
/// message of n bytes takes n / bandwidth + latency.
constexpr const char* kHockney[] = {
    "smpi/host-speed:1Gf",      "smpi/cpu-threshold:1e-6", "network/bandwidth-factor:1",
    "network/latency-factor:1", "network/weight-S:0",      "network/TCP-gamma:1e30",
    "network/crosstraffic:0",   "smpi/coll-selector:ompi",
};

/// Passes the latency and bandwidth for each range of message sizes (a piece) to SMPI, as factors
/// of the links' latency and bandwidth. SMPI's lists have the form size:factor;size:factor, and a
/// factor holds for messages larger than its size.
void add_factors(const VirtualCluster& cluster, std::vector<std::string>* launch) {
  std::string latencies = "--cfg=smpi/lat-factor:";
  std::string bandwidths = "--cfg=smpi/bw-factor:";
  for (const HockneyPiece& piece : cluster.pieces) {
    const bool first = &piece == &cluster.pieces.front();
    const std::string above =
        (first ? "" : ";") + number_text(first ? 0 : std::ceil(piece.from_bytes) - 1) + ":";
    latencies += above + number_text(piece.alpha_s / link_latency_s(cluster));
    bandwidths += above + number_text(bandwidth(piece) / link_bandwidth(cluster));
  }
  launch->push_back(latencies);
  launch->push_back(bandwidths);
}

/// Finds the program and checks that it uses SMPI. smpirun needs a path, and its error messages do
/// not explain that a program was built for another MPI.
Target program_of(const std::vector<std::string>& command) {
  const std::string build = "build it with smpicc, smpicxx or smpiff";
  if (command.empty()) throw InputError("", "no program to run", build);
  if (starts_a_launcher(command))
    throw InputError(command.front(), "a virtual cluster needs no launcher: apmt starts the ranks",
                     "after --, give only the program and its arguments; " + build);
  const auto program = find_executable(command.front());
  if (!program) throw InputError(command.front(), "no such program", "give its path; " + build);
  Target target = target_of({program->path.string()});
  const MpiFamily family = target.family;
  if (family != MpiFamily::kSmpi)
    throw InputError(
        program->path.string(),
        family == MpiFamily::kNone
            ? "is not linked to SMPI, the MPI of virtual clusters"
            : "is built for " + to_string(family) + ", virtual clusters have their own MPI",
        build);
  target.program = program;
  return target;
}

/// smpirun divides the name of the host file and the program's arguments at blanks.
void check_blanks(const fs::path& folder, const std::vector<std::string>& command) {
  const auto is_divided = [](const std::string& word) {
    return word.empty() || word.find_first_of(" \t\n") != std::string::npos;
  };
  if (is_divided(folder.string()))
    throw InputError(folder.string(),
                     "SimGrid's smpirun cannot read files from a folder with a blank in its path",
                     "choose an experiment's directory without blanks: --dir /tmp/experiment");
  const auto argument = std::find_if(command.begin() + 1, command.end(), is_divided);
  if (argument != command.end())
    throw InputError("the argument '" + *argument + "'",
                     "SimGrid's smpirun would divide it at its blanks, or drop it if it is empty",
                     "let the program read it from a file");
}

}  // namespace

VirtualCluster read_virtual_cluster(const std::string& file_or_name, const fs::path& configs) {
  const auto [name, ranks_per_node] = split_ranks_per_node(file_or_name);
  const fs::path file = named_file(name, configs, {"clusters", "machines"}, "cluster");
  VirtualCluster cluster;
  cluster.name = file.stem().string();
  const Json pinned = read_yaml_file(configs / "collectives.yaml", "apmt-collectives", 1);
  read_collectives(JsonAt(pinned, (configs / "collectives.yaml").string()), &cluster);
  if (yaml_format(file) == "apmt-machine")
    read_machine(file, &cluster);
  else
    read_cluster(file, &cluster);
  share_nodes(file, ranks_per_node, &cluster);
  return cluster;
}

void write_virtual_platform(const VirtualCluster& cluster, int procs, const fs::path& folder) {
  fs::create_directories(folder);
  const PlatformFiles files = platform_files(cluster, procs, folder);
  const int nodes = (procs + cluster.ranks_per_node - 1) / cluster.ranks_per_node;
  write_file_atomically(files.platform, platform_xml(cluster, nodes));
  write_file_atomically(files.hosts, host_list(procs, cluster.ranks_per_node));
}

std::vector<std::string> virtual_launcher(const VirtualCluster& cluster, int procs,
                                          const fs::path& folder) {
  const PlatformFiles files = platform_files(cluster, procs, folder);
  std::vector<std::string> launch = {"smpirun",
                                     "-np",
                                     std::to_string(procs),
                                     "-platform",
                                     files.platform.string(),
                                     "-hostfile",
                                     files.hosts.string()};
  for (const char* setting : kHockney) launch.push_back(std::string("--cfg=") + setting);
  add_factors(cluster, &launch);
  if (!cluster.simulate_computation) launch.push_back("--cfg=smpi/simulate-computation:no");
  for (const auto& [operation, algorithm] : cluster.collectives)
    launch.push_back("--cfg=smpi/" + operation + ":" + algorithm);
  launch.push_back("--log=root.thres:critical");
  return launch;
}

std::vector<std::string> virtual_launch(const VirtualCluster& cluster, int procs,
                                        const fs::path& folder,
                                        const std::vector<std::string>& command) {
  const Target target = program_of(command);
  check_blanks(folder, command);
  std::vector<std::string> launch = virtual_launcher(cluster, procs, folder);
  // Each rank needs its own copy of the Fortran library, because all ranks are one process. With
  // one copy they would share one table of Fortran's file units: all ranks would use the same unit,
  // and could not open a file that another rank has open.
  if (!target.fortran_library.empty())
    launch.push_back("--cfg=smpi/privatize-libs:" + target.fortran_library);
  launch.push_back(fs::absolute(target.program->path).string());
  launch.insert(launch.end(), command.begin() + 1, command.end());
  return launch;
}

std::string cluster_of_launch(const std::vector<std::string>& launch, const fs::path& folder) {
  const auto after = [&](const std::string& option) {
    const auto found = std::find(launch.begin(), launch.end(), option);
    return found == launch.end() || found + 1 == launch.end() ? std::string() : *(found + 1);
  };
  const fs::path platform = after("-platform");
  std::string name = platform.stem().string();
  if (const std::string procs = "-" + after("-np"); name.ends_with(procs))
    name.resize(name.size() - procs.size());
  const fs::path file = folder / platform.filename();
  if (name.empty() || !fs::is_regular_file(file)) return name;
  std::ifstream stream(file);
  const std::string xml{std::istreambuf_iterator<char>(stream), {}};
  name += formatted(" (latency %.3g us, ", 2e6 * attribute(xml, "lat")) +
          formatted("%.3g GB/s", attribute(xml, "bw") / 1e9);
  const double speed = attribute(xml, "speed");
  return name + (speed == 1 ? ")" : formatted(", cores x%.3g)", speed));
}

}  // namespace apmt
