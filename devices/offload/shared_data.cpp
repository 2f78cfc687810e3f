#include "devices/offload/shared_data.h"

#include <algorithm>

#include "base/input_error.h"

namespace apmt::devices {
namespace {

/// Seconds of all calls if each moves so many of the bytes that it touches.
double moves_s(double bytes_of_all_calls, const Workload& w, const Transfer& link,
               const Device& device) {
  double bytes = bytes_of_all_calls / w.invocations;
  if (w.most_call_bytes) bytes = std::min(bytes, *w.most_call_bytes);
  if (!(bytes > 0)) return 0;
  const auto seconds = link.seconds(bytes);
  if (!seconds)
    throw InputError("",
                     "the card of " + device.name + " has no time for transfers of " +
                         std::to_string(static_cast<long long>(bytes)) + " bytes, which " + w.name +
                         " may share with kernels on the other side of the link",
                     "add bytes_per_s and latency_s to to_device and from_device of the card",
                     ExitCode::kNotEnoughData);
  return w.invocations * *seconds;
}

/// The best choice if the data that move to the host are what the device writes (otherwise: what
/// the host reads), and those that move to the device are what it reads (otherwise: what the host
/// writes). Each kernel then costs the same whatever the others do.
std::vector<bool> choice_if(bool as_written_there, bool as_read_there,
                            const std::vector<std::optional<double>>& savings_s,
                            const std::vector<SharedData>& data) {
  std::vector<bool> is_ported(data.size(), false);
  std::optional<std::size_t> least_loss;
  double least_loss_s = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!savings_s[i]) continue;
    const double there_s = (as_written_there ? data[i].written_there_s : 0) +
                           (as_read_there ? data[i].read_there_s : 0);
    const double here_s =
        (as_written_there ? 0 : data[i].read_here_s) + (as_read_there ? 0 : data[i].written_here_s);
    const double loss_s = there_s - here_s - *savings_s[i];
    is_ported[i] = loss_s < 0;
    if (least_loss && loss_s >= least_loss_s) continue;
    least_loss = i;
    least_loss_s = loss_s;
  }
  is_ported[least_loss.value()] = true;
  return is_ported;
}

}  // namespace

SharedData shared_data(const Workload& w, const Device& device, int ranks) {
  SharedData data{.written_there_s = moves_s(w.stored_bytes, w, device.from_device, device),
                  .read_there_s = moves_s(w.loaded_bytes, w, device.to_device, device),
                  .written_here_s = moves_s(w.stored_bytes, w, device.to_device, device),
                  .read_here_s = moves_s(w.loaded_bytes, w, device.from_device, device)};
  for (double SharedData::*seconds : {&SharedData::written_there_s, &SharedData::read_there_s,
                                      &SharedData::written_here_s, &SharedData::read_here_s})
    data.*seconds *= ranks;
  return data;
}

double most_shared_s(const std::vector<SharedData>& data, const std::vector<bool>& is_ported) {
  double written_there_s = 0, read_there_s = 0, written_here_s = 0, read_here_s = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    written_there_s += is_ported[i] ? data[i].written_there_s : 0;
    read_there_s += is_ported[i] ? data[i].read_there_s : 0;
    written_here_s += is_ported[i] ? 0 : data[i].written_here_s;
    read_here_s += is_ported[i] ? 0 : data[i].read_here_s;
  }
  return std::min(written_there_s, read_here_s) + std::min(written_here_s, read_there_s);
}

PortChoice best_choice(const std::vector<std::optional<double>>& savings_s,
                       const std::vector<SharedData>& data) {
  std::optional<PortChoice> best;
  for (const bool as_written_there : {true, false})
    for (const bool as_read_there : {true, false}) {
      PortChoice choice{choice_if(as_written_there, as_read_there, savings_s, data), 0};
      choice.saved_s = -most_shared_s(data, choice.is_ported);
      for (std::size_t i = 0; i < data.size(); ++i)
        if (choice.is_ported[i]) choice.saved_s += *savings_s[i];
      if (!best || choice.saved_s > best->saved_s) best = std::move(choice);
    }
  return *best;
}

}  // namespace apmt::devices
