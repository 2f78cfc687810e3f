#include "profiler/reader/message_times.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace apmt {
namespace {

using format::MpiCall;
using format::OpClass;
using format::PeerClass;
using format::Stage;

constexpr std::uint64_t kFewestCalls = 10;  // fewer have no useful quantiles
/// If more than this share of the receiving calls get a message, all of them are assumed to get
/// one: the missing messages may have been cancelled or not counted.
constexpr double kNearlyAll = 0.95;

bool has_word(std::string op, const char* word) {
  std::transform(op.begin(), op.end(), op.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return op.find(word) != std::string::npos;
}

/// Whether the calls completed something. Calls that found nothing to complete have no communicator
/// size and no peer class.
bool completes(const MpiCall& c) {
  return format::what_comm_size(c.what) > 0 || format::what_peer(c.what) != PeerClass::kNone;
}

double received(const std::vector<format::Peer>& peers) {
  double messages = 0;
  for (const format::Peer& peer : peers) messages += static_cast<double>(peer.messages_received);
  return messages;
}

double completed_receives(const RawRecording& raw) {
  double messages = 0;
  for (const format::RequestRow& r : raw.requests)
    if (format::what_stage(r.what) == Stage::kMain &&
        format::what_peer(r.what) != PeerClass::kNobody &&
        has_word(raw.op_name(format::what_op(r.what)), "recv"))
      messages += static_cast<double>(r.completed);
  return messages;
}

}  // namespace

MessagesPerCall messages_per_call(const std::vector<RawRecording>& ranks) {
  double all_received = 0;
  double completed = 0;
  double completions = 0;
  double receives = 0;
  for (const RawRecording& raw : ranks) {
    all_received += received(raw.peers) + received(raw.peer_blocks);
    completed += completed_receives(raw);
    for (const MpiCall& c : raw.calls) {
      if (format::what_stage(c.what) != Stage::kMain) continue;
      const MessageTimes::Kind kind = MessageTimes::kind_of(raw, c);
      const bool has_partner = format::what_peer(c.what) != PeerClass::kNobody;
      if (kind == MessageTimes::Kind::kCompletes) completions += static_cast<double>(c.calls);
      if (kind == MessageTimes::Kind::kReceives && has_partner)
        receives += static_cast<double>(c.calls);
    }
  }
  MessagesPerCall messages;
  if (completions > 0) messages.completing = completed / completions;
  if (receives > 0 && all_received > completed)
    messages.receiving = std::min((all_received - completed) / receives, 1.0);
  if (messages.receiving > kNearlyAll) messages.receiving = 1;
  return messages;
}

MessageTimes::Kind MessageTimes::kind_of(const RawRecording& raw, const MpiCall& c) {
  const std::uint32_t op = format::what_op(c.what);
  const OpClass op_class = raw.op_class(op);
  if (c.calls == 0 || c.blocked_ns == 0) return Kind::kOther;
  if (op_class == OpClass::kCompletion) return completes(c) ? Kind::kCompletes : Kind::kOther;
  if (op_class != OpClass::kPointToPoint) return Kind::kOther;
  const std::string name = raw.op_name(op);
  const bool receives = has_word(name, "recv");
  if (has_word(name, "send") && !receives) return Kind::kSends;
  // MPI_Sendrecv calls may receive from MPI_PROC_NULL, and thus only send.
  const bool only_sends = c.bytes_sent > 0 && c.bytes_received == 0;
  return receives && !only_sends ? Kind::kReceives : Kind::kOther;
}

void MessageTimes::add(const RawRecording& raw, const MpiCall& c) {
  const Kind kind = kind_of(raw, c);
  if (kind == Kind::kOther) return;
  kind_ = kind;
  durations_.add(c);
}

void MessageTimes::fill(const MessagesPerCall& per_call, MpiRow* row) const {
  if (kind_ == Kind::kOther || durations_.calls() < kFewestCalls) return;
  const double messages = kind_ == Kind::kCompletes  ? per_call.completing
                          : kind_ == Kind::kReceives ? per_call.receiving
                                                     : 0;
  const std::optional<double> message_s =
      messages > 0 ? durations_.waiting_s(messages) : durations_.sending_s();
  if (!message_s) return;
  const double share = messages > 0 ? std::min(messages, 1.0) : 1;
  row->message_s = message_s;
  row->arrivals =
      static_cast<std::uint64_t>(std::llround(share * static_cast<double>(durations_.calls())));
}

}  // namespace apmt
