// The width of the terminal on which reports are printed.
#pragma once

namespace apmt {

/// How many columns a report printed to stdout may use: if stdout is a terminal, the number in
/// COLUMNS, else the terminal's own width, but at least 100. Otherwise 100, so that files do not
/// depend on the terminal.
int text_columns();

}  // namespace apmt
