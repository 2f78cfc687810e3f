// Collects the sentences of reports as text, by topic, to compare them with a file that people
// read.
#pragma once

#include <string>
#include <vector>

#include "reports/numbers.h"
#include "reports/report.h"
#include "reports/sections.h"

namespace apmt {

class EverySentence {
 public:
  enum class Tables { kCaptions, kWhole };
  explicit EverySentence(Tables tables = Tables::kCaptions) : tables_(tables) {}

  void about(const std::string& topic) {
    text_ += (text_.empty() ? "" : "\n") + ("# " + topic + "\n");
  }
  void add(const std::string& sentence) { text_ += sentence + "\n"; }
  void add(const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) add(sentence);
  }
  void add(const Report& report) {
    add(report.headline);
    add(report.reasons);
    for (const std::string& warning : report.warnings) add("warning: " + warning);
    for (const ReportSection& section : report.sections) add(section);
  }
  void add(const OptionalSection& section) {
    if (section) add(*section);
  }
  void add(const ReportSection& section) {
    add("[" + section.title + "]");
    add(section.sentences);
    for (const ReportTable& table : section.tables) {
      if (!table.caption.empty()) add("(" + table.caption + ")");
      if (tables_ == Tables::kWhole) add_cells(table);
    }
  }
  void add_cells(const OptionalSection& section) {
    for (const ReportTable& table : section->tables) add_cells(table);
  }
  void add_cells(const ReportTable& table) {
    std::string titles = "|";
    for (const ReportColumn& column : table.columns) titles += " " + column.title + " |";
    add(titles);
    for (const ReportRow& row : table.rows) {
      std::string cells = "|";
      for (std::size_t c = 0; c < row.cells.size(); ++c)
        cells += " " + format_cell(row.cells[c], table.columns[c].quantity) + " |";
      add(cells);
    }
  }
  const std::string& text() const { return text_; }

 private:
  Tables tables_;
  std::string text_;
};

}  // namespace apmt
