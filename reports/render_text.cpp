#include <algorithm>
#include <map>

#include "reports/numbers.h"
#include "reports/render.h"
#include "reports/words.h"

namespace apmt {
namespace {

constexpr std::size_t kGap = 2;            // blanks before each column
constexpr std::size_t kWidestProse = 100;  // longer lines of sentences are hard to read
// Text columns never get narrower than kLeastText, and columns of names never narrower than
// kLeastName. kLeastName is smaller, because shortened names stay recognisable.
constexpr std::size_t kLeastText = 20;
constexpr std::size_t kLeastName = 12;
constexpr const char* kUnknown = "-";

/// Whether a title may be broken after this character.
bool is_joint(char c) { return c == '-' || c == '+' || c == '/'; }

class TextReport {
 public:
  TextReport(std::size_t width, bool colour) : width_(width), colour_(colour) {}

  std::string render(const Report& report) {
    paragraph(report.headline, kBold, 0, 0);
    for (const std::string& reason : report.reasons) paragraph(reason, "", 2, 2);
    facts(report.facts);
    for (const ReportSection& section : report.sections) add(section);
    if (!report.warnings.empty()) out_ += '\n';
    for (const std::string& warning : report.warnings) {
      paragraph("warning: " + warning, kYellow, 0, 9);
    }
    if (!report.next.empty()) out_ += '\n';
    for (const std::string& next : report.next) paragraph("Next: " + next, kBold, 0, 6);
    return std::move(out_);
  }

 private:
  static constexpr const char* kBold = "\x1b[1m";
  static constexpr const char* kDim = "\x1b[2m";
  static constexpr const char* kYellow = "\x1b[33m";
  static constexpr const char* kCyan = "\x1b[1;36m";

  void line(const std::string& text, const char* style) {
    const bool styled = colour_ && *style != 0 && !text.empty();
    if (styled) out_ += style;
    out_ += text;
    if (styled) out_ += "\x1b[0m";
    out_ += '\n';
  }

  void paragraph(const std::string& text, const char* style, std::size_t first, std::size_t rest) {
    bool is_first = true;
    const std::size_t width = std::min(width_, kWidestProse) - std::max(first, rest);
    for (const std::string& part : wrap(printable(text), width)) {
      line(std::string(is_first ? first : rest, ' ') + part, style);
      is_first = false;
    }
  }

  void facts(const std::vector<ReportFact>& facts) {
    if (facts.empty()) return;
    out_ += '\n';
    std::size_t names = 0;
    for (const ReportFact& fact : facts) names = std::max(names, display_width(fact.name));
    for (const ReportFact& fact : facts) {
      std::string lead =
          "  " + fact.name + std::string(names - display_width(fact.name) + kGap, ' ');
      for (const std::string& part : wrap(printable(fact.value), width_ - lead.size())) {
        line(lead + part, "");
        lead.assign(lead.size(), ' ');
      }
    }
  }

  void add(const ReportSection& section) {
    out_ += '\n';
    line(printable(section.title), kCyan);
    for (const std::string& sentence : section.sentences) paragraph(sentence, "", 2, 2);
    bool is_first = section.sentences.empty();
    for (const ReportTable& table : section.tables) {
      if (!is_first) out_ += '\n';
      is_first = false;
      add(table);
    }
  }

  struct Layout {
    std::vector<std::size_t> columns;  // indices of the columns that are shown
    std::vector<std::size_t> widths;
    std::vector<std::vector<std::string>> titles;  // lines of each title, aligned at the bottom
    std::vector<std::string> left_out;  // titles of the columns for which there is no room
  };

  std::size_t total(const Layout& layout) const {
    std::size_t sum = 0;
    for (const std::size_t width : layout.widths) sum += width + kGap;
    return sum;
  }

  static std::string shown(const ReportTable& table, const ReportRow& row, std::size_t column) {
    const std::string text = format_cell(row.cells[column], table.columns[column].quantity);
    return text.empty() ? kUnknown : printable(text);
  }

  /// Breaks a title, at blanks and after joints (is_joint), into lines at most `width` wide. A
  /// wider piece stays on one line.
  static std::vector<std::string> title_lines(const std::string& title, std::size_t width) {
    std::vector<std::string> pieces{""};
    for (const char c : title) {
      if (c != ' ') pieces.back() += c;
      if (is_joint(c) || c == ' ') pieces.emplace_back();
    }
    std::vector<std::string> joined;
    for (const std::string& piece : pieces) {
      if (piece.empty()) continue;
      const bool glued = !joined.empty() && is_joint(joined.back().back());
      const std::string with = joined.empty() ? piece : joined.back() + (glued ? "" : " ") + piece;
      if (!joined.empty() && display_width(with) <= width) {
        joined.back() = with;
      } else {
        joined.push_back(piece);
      }
    }
    if (joined.empty()) joined.emplace_back();
    return joined;
  }

  /// Chooses columns and widths. Until the table fits, it breaks titles into lines, then shortens
  /// text columns, then leaves out columns from the right.
  Layout layout_of(const ReportTable& table, std::size_t rows) const {
    Layout layout;
    std::vector<std::size_t> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].only_html || table.columns[c].is_below) continue;
      std::size_t widest = 1;
      for (std::size_t r = 0; r < rows; ++r) {
        widest = std::max(widest, display_width(shown(table, table.rows[r], c)));
      }
      const std::string title = printable(table.columns[c].title);
      layout.columns.push_back(c);
      layout.titles.push_back({title});
      layout.widths.push_back(std::max(widest, display_width(title)));
      cells.push_back(widest);
    }
    for (std::size_t i = 0; total(layout) > width_ && i < layout.columns.size(); ++i) {
      layout.titles[i] = title_lines(layout.titles[i].front(), cells[i]);
      layout.widths[i] = cells[i];
      for (const std::string& title : layout.titles[i]) {
        layout.widths[i] = std::max(layout.widths[i], display_width(title));
      }
    }
    squeeze(table, &layout);
    while (total(layout) > width_ && layout.columns.size() > 1) {
      layout.left_out.insert(layout.left_out.begin(),
                             printable(table.columns[layout.columns.back()].title));
      layout.columns.pop_back();
      layout.widths.pop_back();
      layout.titles.pop_back();
    }
    if (total(layout) > width_) layout.widths[0] = width_ - kGap;
    return layout;
  }

  /// Shortens the widest text columns first.
  void squeeze(const ReportTable& table, Layout* layout) const {
    while (total(*layout) > width_) {
      std::size_t widest = layout->columns.size();
      for (std::size_t i = 0; i < layout->columns.size(); ++i) {
        const ReportColumn& column = table.columns[layout->columns[i]];
        if (column.quantity != Quantity::kText) continue;
        if (layout->widths[i] <= (column.is_code ? kLeastName : kLeastText)) continue;
        if (widest == layout->columns.size() || layout->widths[i] > layout->widths[widest])
          widest = i;
      }
      if (widest == layout->columns.size()) return;
      --layout->widths[widest];
    }
  }

  std::string aligned(const std::string& text, std::size_t width, bool right) const {
    const std::string cut = ellipsize(text, width);
    const std::string blanks(width - std::min(width, display_width(cut)), ' ');
    return std::string(kGap, ' ') + (right ? blanks + cut : cut + blanks);
  }

  /// `cell(i)` is the text in the i-th visible column.
  template <typename Cell>
  void table_line(const ReportTable& table, const Layout& layout, const char* style, Cell cell) {
    std::string text;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const bool right = table.columns[layout.columns[i]].quantity != Quantity::kText;
      text += aligned(cell(i), layout.widths[i], right);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    line(text, style);
  }

  void title_line(const ReportTable& table, const Layout& layout) {
    std::size_t height = 0;
    for (const auto& lines : layout.titles) height = std::max(height, lines.size());
    for (std::size_t level = height; level > 0; --level) {
      table_line(table, layout, kDim, [&](std::size_t i) {
        const std::vector<std::string>& lines = layout.titles[i];
        return level > lines.size() ? std::string() : lines[lines.size() - level];
      });
    }
  }

  /// Names from the profiled program, shortened to the width of their column. The key is the index
  /// of the column in the layout.
  static std::map<std::size_t, std::vector<std::string>> names_of(const ReportTable& table,
                                                                  std::size_t rows,
                                                                  const Layout& layout) {
    std::map<std::size_t, std::vector<std::string>> names;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const ReportColumn& column = table.columns[layout.columns[i]];
      if (!column.is_code || column.is_formula) continue;
      for (std::size_t r = 0; r < rows; ++r)
        names[i].push_back(shown(table, table.rows[r], layout.columns[i]));
      names[i] = short_names(names[i], layout.widths[i]);
    }
    return names;
  }

  /// Prints one row. A cell of words or a formula that is too long continues on further lines,
  /// because shortened it could say something else.
  void table_lines(const ReportTable& table, const Layout& layout, const char* style,
                   const std::vector<std::string>& cells) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const ReportColumn& column = table.columns[layout.columns[i]];
      const bool is_words = column.quantity == Quantity::kText && !column.is_code;
      lines.push_back(column.is_formula ? formula_lines(cells[i], layout.widths[i])
                      : is_words && display_width(cells[i]) > layout.widths[i]
                          ? wrap(cells[i], layout.widths[i])
                          : std::vector<std::string>{cells[i]});
      height = std::max(height, lines.back().size());
    }
    for (std::size_t level = 0; level < height; ++level)
      table_line(table, layout, style, [&](std::size_t i) {
        return level < lines[i].size() ? lines[i][level] : std::string();
      });
  }

  /// Prints the cells that belong below their row, in one line if they fit: "follows 2.17 s / P;
  /// source halo2d.c:57".
  void below(const ReportTable& table, const ReportRow& row) {
    constexpr std::size_t kIndent = 6;
    std::vector<std::string> lines;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const ReportColumn& column = table.columns[c];
      if (!column.is_below) continue;
      const std::string text = printable(format_cell(row.cells[c], column.quantity));
      if (text.empty()) continue;
      const std::string named = printable(column.title) + " " + text;
      if (!lines.empty() &&
          kIndent + display_width(lines.back()) + 2 + display_width(named) <= width_)
        lines.back() += "; " + named;
      else
        lines.push_back(named);
    }
    for (const std::string& each : lines)
      for (const std::string& part : formula_lines(each, width_ - kIndent))
        line(std::string(kIndent, ' ') + part, kDim);
  }

  /// The caption without its clauses "column: what it is" about columns that are not shown.
  static std::string caption_of(const ReportTable& table, const std::vector<std::string>& hidden) {
    constexpr std::string_view kBetween = "; ";
    std::string caption;
    for (std::size_t at = 0; at < table.caption.size();) {
      const std::size_t end = std::min(table.caption.find(kBetween, at), table.caption.size());
      const std::string clause = table.caption.substr(at, end - at);
      if (std::ranges::none_of(
              hidden, [&](const std::string& title) { return clause.starts_with(title + ": "); }))
        caption += (caption.empty() ? "" : std::string(kBetween)) + clause;
      at = end + kBetween.size();
    }
    return caption;
  }

  void add(const ReportTable& table) {
    const std::size_t rows =
        table.text_rows > 0 ? std::min(table.text_rows, table.rows.size()) : table.rows.size();
    const Layout layout = layout_of(table, rows);
    title_line(table, layout);
    const std::map<std::size_t, std::vector<std::string>> names = names_of(table, rows, layout);
    for (std::size_t r = 0; r < rows; ++r) {
      const ReportRow& row = table.rows[r];
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < layout.columns.size(); ++i) {
        const auto short_forms = names.find(i);
        cells.push_back(short_forms != names.end() ? short_forms->second[r]
                                                   : shown(table, row, layout.columns[i]));
      }
      table_lines(table, layout, row.emphasised ? kBold : "", cells);
      below(table, row);
    }
    if (rows < table.rows.size()) {
      paragraph("and " + std::to_string(table.rows.size() - rows) + " more " + table.more, kDim, 2,
                2);
    }
    if (const std::string caption = caption_of(table, layout.left_out); !caption.empty())
      paragraph("(" + caption + ")", kDim, 2, 3);
    if (!layout.left_out.empty()) {
      paragraph("(Not shown, because a line has only " + std::to_string(width_) + " columns: " +
                    join_list(layout.left_out) + "; a wider terminal or --json shows all)",
                kDim, 2, 3);
    }
  }

  std::size_t width_;
  bool colour_;
  std::string out_;
};

}  // namespace

std::string render_text(const Report& report, int width, bool colour) {
  return TextReport(static_cast<std::size_t>(std::max(width, 60)), colour).render(report);
}

std::string render_prediction_text(const Model& model, const std::vector<Prediction>& predictions,
                                   int width, bool colour) {
  return render_text(make_prediction_report(model, predictions), width, colour);
}

std::string render_fit_text(const Model& model, int width, bool colour) {
  return render_text(make_fit_report(model), width, colour);
}

std::string render_experiment_text(const Experiment& experiment, int width, bool colour) {
  return render_text(make_experiment_report(experiment), width, colour);
}

std::string render_profile_text(const RunProfile& profile, int width, bool colour) {
  return render_text(make_profile_report(profile), width, colour);
}

}  // namespace apmt
