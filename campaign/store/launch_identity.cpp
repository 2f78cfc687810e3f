#include "campaign/store/launch_identity.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "profiler/reader/fold_details.h"

namespace apmt {
namespace {

using Members = std::vector<std::size_t>;

int number(const std::string& text, int otherwise) {
  return text.empty() ? otherwise : std::atoi(text.c_str());
}

std::string id(const Process& process, const std::string& name) {
  const auto it = process.ids.find(name);
  return it == process.ids.end() ? std::string() : it->second;
}

/// The batch system's name of the job; empty if there is none.
std::string job(const Process& process) {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "PJM_JOBID"})
    if (const std::string value = id(process, name); !value.empty())
      return std::string(name) + "=" + value;
  return {};
}

/// The Slurm step that identifies the launch; empty if srun did not start the ranks. With mpirun
/// inside sbatch, there is a step as well, but its tasks are mpirun or its daemons, and the
/// program's ranks only inherit its variables.
std::string slurm_step(const Process& process) {
  const std::string step = id(process, "SLURM_STEP_ID");
  if (step.empty() || process.size <= 0 ||
      number(id(process, "SLURM_STEP_NUM_TASKS"), -1) != process.size ||
      number(id(process, "SLURM_PROCID"), -1) != process.rank)
    return {};
  return id(process, "SLURM_JOB_ID") + "." + step;
}

/// A name that all ranks of the launch have, and that other launches have only at other times or by
/// chance (port_of_mpirun()); empty: none is known.
std::string name_of_launch(const Process& process) {
  if (process.is_virtual) return "process=" + process.machine + "/" + process.own;
  for (const char* name : {"PMIX_NAMESPACE", "hydra", "PALS_APID", "FLUX_JOB_ID", "ALPS_APP_ID"})
    if (const std::string value = id(process, name); !value.empty())
      return std::string(name) + "=" + value;
  if (const std::string step = slurm_step(process); !step.empty()) return "slurm=" + step;
  if (process.parent.empty()) return "folder=" + process.folder;
  return {};
}

/// Values that are equal in all ranks of a launch, with any launcher.
std::string what_must_agree(const Process& process) {
  return std::to_string(process.size) + (process.spawned ? " spawned " : " ") +
         id(process, "APMT_RUN_ID");
}

/// The TCP port of Open MPI's mpirun. It distinguishes launches to which mpirun gave the same name:
/// mpirun derives the name from 16 bits of its process id, so names repeat on a host.
std::string port_of_mpirun(const Process& process) {
  const std::string uri = id(process, "OMPI_MCA_orte_hnp_uri");
  const std::size_t begin = uri.find("tcp://");
  if (begin == std::string::npos) return {};
  const std::string first = uri.substr(begin, uri.find(';', begin) - begin);
  return first.substr(first.find_last_of(':') + 1);
}

class Grouping {
 public:
  explicit Grouping(const std::vector<Process>& all) : all_(all) {}

  std::vector<Launch> launches() {
    std::map<std::string, Members> named;   // by the launcher's name for the launch
    std::map<std::string, Members> nearby;  // without a name, by parent: ranks on one host
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Process& process = all_[i];
      const std::string name = name_of_launch(process);
      // A process that was started alone and is alone in its MPI_COMM_WORLD is a launch by itself.
      if (process.born && process.size == 1 && process.launcher_size <= 1 && !process.spawned)
        add({i}, false);
      else if (!name.empty())
        named[what_must_agree(process) + " " + name].push_back(i);
      else
        nearby[what_must_agree(process) + " " + process.machine + " " + process.parent + " " +
               job(process)]
            .push_back(i);
    }
    for (const auto& [name, members] : named) settle(members);
    settle_nearby(nearby);
    give_unborn_their_launch();
    give_spawned_their_launch();
    std::stable_sort(launches_.begin(), launches_.end(), [&](const Launch& a, const Launch& b) {
      return all_[a.members.front()].begin_ns < all_[b.members.front()].begin_ns;
    });
    return std::move(launches_);
  }

 private:
  void add(Members members, bool is_ambiguous) {
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return all_[a].rank < all_[b].rank; });
    launches_.push_back({std::move(members), is_ambiguous});
  }

  bool overlap(std::size_t a, std::size_t b) const {
    return all_[a].begin_ns <= all_[b].end_ns && all_[b].begin_ns <= all_[a].end_ns;
  }
  bool overlaps_all(std::size_t one, const Members& members) const {
    return std::all_of(members.begin(), members.end(),
                       [&](std::size_t other) { return !all_[other].born || overlap(one, other); });
  }
  bool has_rank(const Members& members, int rank) const {
    return std::any_of(members.begin(), members.end(),
                       [&](std::size_t i) { return all_[i].born && all_[i].rank == rank; });
  }
  bool has_a_rank_twice(const Members& members) const {
    std::set<int> ranks;
    return std::any_of(members.begin(), members.end(), [&](std::size_t i) {
      return all_[i].born && !ranks.insert(all_[i].rank).second;
    });
  }
  bool has_born(const Members& members) const {
    return std::any_of(members.begin(), members.end(), [&](std::size_t i) { return all_[i].born; });
  }
  /// Whether each process was started as one of several but is alone in its MPI_COMM_WORLD. A later
  /// error message then tells the user that the launcher does not belong to the program's MPI.
  bool are_alone_though_started_together(const Members& members) const {
    const Process& first = all_[members.front()];
    return first.born && first.size == 1 && !first.spawned;
  }

  /// Splits processes whose launches have the same name into successive launches, because a name
  /// may be used again. Returns nothing if two processes of the same rank overlap in time.
  std::optional<std::vector<Members>> one_after_the_other(Members members) const {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return all_[a].begin_ns < all_[b].begin_ns;
    });
    std::vector<Members> parts;
    Members unborn;
    for (const std::size_t i : members) {
      if (!all_[i].born) {
        unborn.push_back(i);
        continue;
      }
      Members* home = nullptr;
      for (Members& part : parts) {
        for (const std::size_t other : part)
          if (all_[other].rank == all_[i].rank && overlap(other, i)) return std::nullopt;
        if (home == nullptr && !has_rank(part, all_[i].rank) && overlaps_all(i, part)) home = &part;
      }
      if (home == nullptr) home = &parts.emplace_back();
      home->push_back(i);
    }
    for (const std::size_t i : unborn) nearest_in_time(i, &parts)->push_back(i);
    return parts;
  }

  Members* nearest_in_time(std::size_t one, std::vector<Members>* parts) const {
    for (Members& part : *parts)
      if (std::any_of(part.begin(), part.end(), [&](std::size_t i) { return overlap(one, i); }))
        return &part;
    return &parts->front();
  }

  /// Groups processes whose launches have the same name.
  void settle(const Members& members) {
    if (!has_a_rank_twice(members) || are_alone_though_started_together(members)) {
      add(members, false);
      return;
    }
    std::map<std::string, Members> by_port;
    for (const std::size_t i : members) by_port[port_of_mpirun(all_[i])].push_back(i);
    for (const auto& [port, part] : by_port) {
      if (!has_a_rank_twice(part)) {
        add(part, false);
        continue;
      }
      const auto parts = one_after_the_other(part);
      if (!parts) add(part, true);
      if (parts)
        for (const Members& launch : *parts) add(launch, false);
    }
  }

  /// Groups processes of launches without a name. On one host, the processes of a launch have the
  /// same parent. A launch on several hosts has such a group on each host; a group that lacks ranks
  /// is joined with others.
  void settle_nearby(const std::map<std::string, Members>& nearby) {
    std::vector<Members> parts;  // each lacks ranks, which must be on other hosts
    for (const auto& [parent, members] : nearby) {
      if (are_alone_though_started_together(members)) {
        add(members, false);
        continue;
      }
      const auto in_turn = has_a_rank_twice(members)
                               ? one_after_the_other(members)
                               : std::optional<std::vector<Members>>({members});
      if (!in_turn) parts.push_back(members);
      if (!in_turn) continue;
      for (const Members& part : *in_turn) {
        if (!has_born(part) || static_cast<int>(ranks_of(part)) == all_[part.front()].size)
          add(part, false);
        else
          parts.push_back(part);
      }
    }
    for (const Members& together : connected(parts))
      add(together, has_a_rank_twice(together) || !all_may_be_one(together));
  }

  std::size_t ranks_of(const Members& members) const {
    std::set<int> ranks;
    for (const std::size_t i : members)
      if (all_[i].born) ranks.insert(all_[i].rank);
    return ranks.size();
  }

  bool may_be_one(std::size_t a, std::size_t b) const {
    const std::string of_a = job(all_[a]);
    const std::string of_b = job(all_[b]);
    return what_must_agree(all_[a]) == what_must_agree(all_[b]) && overlap(a, b) &&
           (of_a.empty() || of_b.empty() || of_a == of_b);
  }
  bool all_may_be_one(const Members& members) const {
    for (const std::size_t a : members)
      for (const std::size_t b : members)
        if (all_[a].born && all_[b].born && !may_be_one(a, b)) return false;
    return true;
  }

  /// Joins parts (groups of processes) that may belong to one launch. If A may belong with B, and B
  /// with C, all three are joined.
  std::vector<Members> connected(std::vector<Members> parts) const {
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = i + 1; j < parts.size();) {
        const bool meet = std::any_of(parts[i].begin(), parts[i].end(), [&](std::size_t a) {
          return std::any_of(parts[j].begin(), parts[j].end(),
                             [&](std::size_t b) { return may_be_one(a, b); });
        });
        if (!meet) {
          ++j;
          continue;
        }
        parts[i].insert(parts[i].end(), parts[j].begin(), parts[j].end());
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
        j = i + 1;  // the larger part may belong with parts that were passed over before
      }
    return parts;
  }

  /// Adds each `movable` launch to the launch that it `belongs` to, if there is exactly one.
  template <class Movable, class Belongs>
  void join(const Movable& movable, const Belongs& belongs) {
    for (std::size_t i = 0; i < launches_.size();) {
      std::size_t found = 0;
      std::size_t home = 0;
      for (std::size_t j = 0; j < launches_.size() && movable(launches_[i]); ++j)
        if (j != i && !movable(launches_[j]) && belongs(launches_[i], launches_[j])) {
          found += 1;
          home = j;
        }
      if (found != 1) {
        ++i;
        continue;
      }
      launches_[home].members.insert(launches_[home].members.end(), launches_[i].members.begin(),
                                     launches_[i].members.end());
      launches_.erase(launches_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  /// Adds processes that were killed inside MPI_Init, and so have no world size, to the launch with
  /// the same name or, if unnamed, the same parent.
  void give_unborn_their_launch() {
    join([&](const Launch& launch) { return !has_born(launch.members); },
         [&](const Launch& unborn, const Launch& other) {
           const Process& a = all_[unborn.members.front()];
           const Process& b = all_[other.members.front()];
           const std::string name = name_of_launch(a);
           return id(a, "APMT_RUN_ID") == id(b, "APMT_RUN_ID") &&
                  (name.empty() ? a.machine == b.machine && a.parent == b.parent
                                : name == name_of_launch(b));
         });
  }

  /// Adds spawned processes, which have their own MPI_COMM_WORLD, to the launch that spawned them.
  void give_spawned_their_launch() {
    const auto is_spawned = [&](const Launch& launch) {
      return all_[launch.members.front()].spawned;
    };
    join(is_spawned, [&](const Launch& spawned, const Launch& other) {
      const Process& a = all_[spawned.members.front()];
      const Process& b = all_[other.members.front()];
      const auto same = [&](const std::string& x, const std::string& y) {
        return !x.empty() && x == y;
      };
      const auto mpiexec = [](const Process& process) {
        const std::string hydra = id(process, "hydra");
        return hydra.substr(0, hydra.find('/'));
      };
      return overlap(spawned.members.front(), other.members.front()) &&
             id(a, "APMT_RUN_ID") == id(b, "APMT_RUN_ID") &&
             (same(id(a, "APMT_RUN_ID"), id(b, "APMT_RUN_ID")) ||
              same(port_of_mpirun(a), port_of_mpirun(b)) || same(mpiexec(a), mpiexec(b)));
    });
  }

  const std::vector<Process>& all_;
  std::vector<Launch> launches_;
};

}  // namespace

Process process_of(const RecordingHead& head) {
  Process process;
  process.file = head.file;
  process.is_virtual = !head.first("virtual").empty();
  // A simulated rank has a simulated host, which does not identify the machine.
  process.machine = (process.is_virtual ? std::string() : head.first("host")) + " " +
                    head.first("boot_id") + " " + head.first("pid_namespace");
  process.own =
      head.first("process").empty() ? std::to_string(head.header.pid) : head.first("process");
  process.parent = head.first("parent");
  process.folder = std::filesystem::path(head.file).parent_path().filename().string();
  for (const auto& [key, values] : head.text)
    if (key.starts_with("id.")) process.ids[key.substr(3)] = values.front();
  process.launcher_size = number(head.first("launcher_size"), -1);
  process.born = head.header.world_rank >= 0;
  process.spawned = !head.first("spawned").empty();
  process.rank = process.born ? head.header.world_rank : number(head.first("launcher_rank"), -1);
  process.size = process.born ? head.header.world_size : std::max(process.launcher_size, 0);
  process.begin_ns = head.header.start_realtime_ns;
  process.end_ns = head.header.start_realtime_ns +
                   std::max<std::int64_t>(last_ns(head.header) - head.header.start_ns, 0);
  return process;
}

std::vector<Launch> group_launches(const std::vector<Process>& processes) {
  return Grouping(processes).launches();
}

}  // namespace apmt
