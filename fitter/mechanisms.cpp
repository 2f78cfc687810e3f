#include "fitter/mechanisms.h"

namespace apmt {
namespace {

thread_local Mechanisms in_force;

}  // namespace

const Mechanisms& mechanisms() { return in_force; }

WithMechanisms::WithMechanisms(const Mechanisms& mechanisms) : before_(in_force) {
  in_force = mechanisms;
}

WithMechanisms::~WithMechanisms() { in_force = before_; }

}  // namespace apmt
