// Functions that make the service's pages. A page loads no other files. Only pages of reports may
// have scripts. It uses the style sheet of the reports, which has two colour schemes and suits wide
// screens and phones.
#pragma once

#include <string>
#include <vector>

#include "service/http_message.h"

namespace apmt::service {

/// A cell of a table. Texts are escaped; `html` is not.
struct PageCell {
  std::string text;
  std::string link = {};  // an address of this server
  std::string html = {};
};

struct PageTable {
  struct Head {
    std::string title;
    bool is_text = false;  // texts are aligned to the left, numbers to the right
  };
  std::string caption;
  std::vector<Head> heads;
  std::vector<std::vector<PageCell>> rows;
};

std::string html_table(const PageTable& table);
std::string html_fact(const std::string& name, const std::string& value);

/// A whole page; `body` is HTML.
HttpResponse page_response(const std::string& title, const std::string& body, int status = 200);
/// The response with a page of a report, which may have scripts.
HttpResponse report_response(const std::string& page);
/// The page that shows an error to a reader who opened an address in a browser.
HttpResponse problem_page(int status, const std::string& message, const std::string& hint);

}  // namespace apmt::service
