#include "devices/offload/offload.h"

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "base/words.h"
#include "devices/spread.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/draw_search.h"

namespace apmt::devices {
namespace {

constexpr const char* kNoGain = "no port gains at any process count";
constexpr double kHorizon = 1000;  // most processes of a prediction / most processes profiled

class Offloader {
 public:
  Offloader(const Model& model, const Experiment& experiment, const Device& device,
            const OffloadOptions& options)
      : model_(model),
        device_(device),
        options_(options),
        predictor_(model),
        portables_(portables_of(experiment, model)) {}

  Offload run(const std::vector<Scenario>& scenarios) {
    Offload out;
    out.program = model_.program;
    out.device = device_;
    out.options = options_;
    out.confidence = scenarios.front().confidence;
    out.ranks_per_node = ranks_per_node(scenarios.front());
    for (const Scenario& scenario : scenarios) {
      out.at.push_back(port_at(host_at(scenario), portables_.kernels, device_, options_.port));
      const Prediction as_it_is = predictor_.predict(scenario);
      out.missing = as_it_is.missing;
      for (const std::string& sentence : as_it_is.warnings) add_once(sentence, &out.warnings);
    }
    if (std::none_of(out.at.begin(), out.at.end(), has_time))
      throw InputError("", "no kernel has a time on " + device_.name + ": " + reasons(out.at), "",
                       ExitCode::kNotEnoughData);
    for (const std::string& op : unknown_)
      add_once("the transfers of " + op +
                   " are left out: too few process counts were profiled "
                   "for a law of its bytes",
               &out.warnings);
    if (std::any_of(out.at.begin(), out.at.end(),
                    [](const OffloadAt& at) { return at.is_transfer_beyond; }))
      add_once(
          "messages of MPI are larger than any transfer that was measured: they move at the "
          "bandwidth of the largest",
          &out.warnings);
    out.gain_end = with_spread(gain_end(scenarios.back(), device_), scenarios.back());
    if (const auto& end = out.gain_end.procs)
      out.gain_end.extrapolation =
          std::max(1.0, end->procs / static_cast<double>(model_.max_procs()));
    out.kernels = portables_.kernels;
    out.left = portables_.left;
    return out;
  }

 private:
  static bool has_time(const OffloadAt& at) {
    return std::any_of(at.ports.begin(), at.ports.end(),
                       [](const KernelPort& port) { return port.device_s.has_value(); });
  }

  static void add_once(const std::string& sentence, std::vector<std::string>* list) {
    if (std::find(list->begin(), list->end(), sentence) == list->end()) list->push_back(sentence);
  }

  std::string reasons(const std::vector<OffloadAt>& all) const {
    std::vector<std::string> list;
    for (const OffloadAt& at : all)
      for (const KernelPort& port : at.ports)
        add_once(portables_.kernels[port.kernel].name + ": " + port.why_not, &list);
    std::string text;
    for (const std::string& each : list) text += (text.empty() ? "" : "; ") + each;
    return text;
  }

  int ranks_per_node(const Scenario& scenario) const {
    const int ranks = scenario.what_if.cores_per_node.value_or(model_.cores_per_node);
    if (ranks < 1)
      throw InputError("",
                       "the model does not contain the number of ranks that share a node and its "
                       "devices",
                       "--cores-per-node N gives their number", ExitCode::kNotEnoughData);
    return ranks;
  }

  HostTimes host_at(const Scenario& scenario) {
    HostTimes host{.times = predictor_.kernel_times(scenario),
                   .messages = {},
                   .confidence = scenario.confidence};
    const int procs = scenario.procs;
    host.work_per_rank = host.times.drawn.work / procs;
    const int ranks = std::min(procs, ranks_per_node(scenario));
    host.ranks_per_device = (ranks + options_.per_node - 1) / options_.per_node;
    host.messages = messages_of(model_, procs, host.times.drawn.work, &unknown_);
    return host;
  }

  /// Widens the interval of `end.procs`: down to the lower end that the search finds for a card
  /// with all measured figures at their slow quartile, and up to the upper end for a card with all
  /// of them at their fast quartile and kernels that share no data.
  GainEnd with_spread(GainEnd end, const Scenario& scenario) {
    const auto fast = fast_end(device_), slow = slow_end(device_);
    const bool shares = portables_.kernels.size() > 1 && may_share(device_, port_);
    if (!shares && (!end.procs || !fast || !slow)) return end;
    const bool asked = std::exchange(port_.shares_data, false);
    const GainEnd last = gain_end(scenario, fast ? *fast : device_);
    port_.shares_data = asked;
    if (!end.procs) {
      if (end.why_not == kNoGain && last.why_not != kNoGain)
        end.why_not += " if kernels share as much data as possible";
      return end;
    }
    if (slow) {
      const GainEnd first = gain_end(scenario, *slow);
      end.procs->low =
          std::min(end.procs->low, first.procs ? first.procs->low : first.searched_from);
    }
    if (!last.procs || !last.procs->high)
      end.procs->high.reset();
    else if (end.procs->high)
      end.procs->high = std::max(*end.procs->high, *last.procs->high);
    return end;
  }

  std::optional<Draws> speedups(const Scenario& scenario, const Device& device) {
    return best_speedups(host_at(scenario), portables_.kernels, device, port_);
  }

  /// Searches for the process count from which on ports no longer save time, upwards from the first
  /// count at which they do.
  GainEnd gain_end(Scenario scenario, const Device& device) {
    GainEnd end;
    const int most = static_cast<int>(std::min(kHorizon * model_.max_procs(), 1e9));
    std::vector<int> counts = doublings(model_.min_procs(), most);
    const auto gains = [&](int procs) {
      scenario.procs = procs;
      const auto s = speedups(scenario, device);
      return s && median(*s) > 1;
    };
    const auto first = std::find_if(counts.begin(), counts.end(), gains);
    end.searched_from = counts.front();
    end.searched_to = counts.back();
    if (first == counts.end()) {
      end.why_not = kNoGain;
      return end;
    }
    counts.erase(counts.begin(), first);
    end.searched_from = counts.front();
    // The search ends before the first count at which no kernel has a time on the device.
    const auto unknown = std::find_if(counts.begin(), counts.end(), [&](int procs) {
      scenario.procs = procs;
      return !speedups(scenario, device);
    });
    if (unknown != counts.end()) {
      end.searched_to = *std::prev(unknown);
      end.why_not = "beyond " + counted(end.searched_to, "process", "processes") +
                    " no kernel has a time on the device";
      counts.erase(unknown, counts.end());
      if (counts.size() < 2) return end;
    }
    Glances glances([&](int procs) {
      scenario.procs = procs;
      Glance glance;
      glance.efficiency.fill(1);
      if (const auto s = speedups(scenario, device)) glance.efficiency = *s;
      return glance;
    });
    end.procs = first_below(&glances, counts, 1, scenario.confidence);
    if (end.procs)
      end.why_not.clear();
    else if (end.why_not.empty())
      end.why_not = "ports gain at all of these process counts";
    return end;
  }

  const Model& model_;
  const Device& device_;
  const OffloadOptions& options_;
  PortOptions port_ = options_.port;  // of the search for the end of the gain
  Predictor predictor_;
  Portables portables_;
  std::vector<std::string> unknown_;
};

}  // namespace

Offload offload(const Model& model, const Experiment& experiment, const Device& device,
                const std::vector<Scenario>& scenarios, const OffloadOptions& options) {
  return Offloader(model, experiment, device, options).run(scenarios);
}

}  // namespace apmt::devices
