// Checks of numbers on the command line: finite ones, in a range that help names.
#pragma once

#include <CLI/CLI.hpp>

namespace apmt {

CLI::Validator whole_number(long low, long high);
CLI::Validator number(double low, double high);

/// Of seconds or shares: no less than a billionth.
CLI::Validator positive_number();

}  // namespace apmt
