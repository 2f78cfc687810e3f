#include "profile/profile_rules.h"

#include <set>
#include <tuple>
#include <utility>

#include "base/json_fields.h"
#include "base/words.h"
#include "profile/profile_fields.h"

namespace apmt {
namespace {

class Checker {
 public:
  Checker(const RunProfile& profile, const std::string& file) : p_(profile), file_(file) {}

  void run() const {
    require(p_.health.ranks_present >= 1 && p_.health.ranks_present <= p_.config.procs,
            "/health/ranks_present", "from 1 to " + std::to_string(p_.config.procs));
    require(p_.health.ranks_running <= p_.health.ranks_cut_off, "/health/ranks_running",
            "at most ranks_cut_off");
    check_columns();
    check_hosts();
    check_kernels();
    check_mpi();
    check_peers();
    check_communication();
    check_threads();
  }

 private:
  void require(bool kept, const std::string& place, const std::string& expected) const {
    apmt::require(kept, file_, place, expected);
  }

  /// The number of recorded ranks. Ranks whose recording was lost have no entries in the profile.
  std::size_t ranks() const { return static_cast<std::size_t>(p_.health.ranks_present); }

  void check_length(std::size_t found, const std::string& place) const {
    require(found == ranks(), place,
            "one entry per recorded rank (" + std::to_string(ranks()) + "), found " +
                std::to_string(found));
  }

  void check_columns() const {
    by_table::for_each_field<RankTimes>([&](const auto& field) {
      if (!field.is_absent(p_.times))
        check_length((p_.times.*field.member).per_rank.size(), std::string("/times/") + field.name);
    });
  }

  void check_hosts() const {
    if (p_.host_of_rank.empty() && p_.hosts.empty()) return;
    check_length(p_.host_of_rank.size(), "/host_of_rank");
    if (!p_.placement.empty()) check_length(p_.placement.size(), "/placement");
    for (std::size_t r = 0; r < ranks(); ++r)
      require(static_cast<std::size_t>(p_.host_of_rank[r]) < p_.hosts.size(),
              "/host_of_rank/" + std::to_string(r),
              "an index into the " + std::to_string(p_.hosts.size()) + " hosts");
  }

  void check_kernels() const {
    std::set<KernelId> seen;
    for (std::size_t i = 0; i < p_.kernels.size(); ++i) {
      const KernelProfile& k = p_.kernels[i];
      const std::string place = "/kernels/" + std::to_string(i);
      require(seen.insert(k.id).second, place,
              "every kernel once, found '" + k.id.linkage_name + "' of '" + k.id.object +
                  "' (source '" + k.id.source + "') again");
      for (const auto& [metric, c] : k.counters) {
        const std::string at = place + "/counters/" + metric;
        check_length(c.samples.size(), at + "/samples");
        if (!c.scale.empty()) check_length(c.scale.size(), at + "/scale");
        if (!c.squares.empty()) check_length(c.squares.size(), at + "/squares");
        require(c.measured_fraction > 0, at + "/measured_fraction", "a number above 0");
        const double most = metric.ends_with("_s") ? kMostSummed_s : kMostCount;
        for (std::size_t r = 0; r < c.samples.size(); ++r)
          if (const double value = c.rank_value(r); !(value <= most))
            require(false, at + "/samples/" + std::to_string(r),
                    "a value of at most " + brief_number(most) +
                        " (samples * unit_per_sample), found " + brief_number(value));
      }
    }
  }

  void check_mpi() const {
    for (std::size_t i = 0; i < p_.mpi.size(); ++i)
      require(p_.mpi[i].min_s <= p_.mpi[i].max_s, "/mpi/" + std::to_string(i) + "/min_s",
              "at most max_s");
  }

  void check_peers() const {
    for (std::size_t i = 0; i < p_.peers.size(); ++i) {
      const PeerRow& row = p_.peers[i];
      require(row.from < p_.config.procs && row.to <= row.to_last && row.to_last < p_.config.procs,
              "/peers/" + std::to_string(i), "ranks below " + std::to_string(p_.config.procs));
    }
  }

  void check_communication() const {
    const std::vector<MpiOperation>& operations = p_.communication.operations;
    for (std::size_t i = 0; i < operations.size(); ++i)
      require(!operations[i].transfer_s || !operations[i].transfer_from.empty(),
              "/communication/operations/" + std::to_string(i) + "/transfer_from",
              "where transfer_s is from");
    const Pattern& pattern = p_.communication.pattern;
    require(pattern.periodic.size() == pattern.dims.size(), "/communication/pattern/periodic",
            "one entry per dimension (" + std::to_string(pattern.dims.size()) + ")");
  }

  void check_threads() const {
    for (std::size_t i = 0; i < p_.threads.size(); ++i)
      require(static_cast<std::size_t>(p_.threads[i].rank) < ranks(),
              "/threads/" + std::to_string(i) + "/rank",
              "a number below " + std::to_string(ranks()));
  }

  const RunProfile& p_;
  const std::string& file_;
};

}  // namespace

void check_rules_across_fields(const RunProfile& profile, const std::string& file) {
  Checker(profile, file).run();
}

}  // namespace apmt
