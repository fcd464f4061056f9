#include "explore/run/report.h"

#include <nlohmann/json.hpp>

#include "explore/run/report_parts.h"

namespace sf::explore {

using wire::Json;

namespace {

void fill(std::string& page, std::string_view mark, std::string_view text) {
  const std::size_t at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string report_page(const Json& document) {
  // Whatever a command printed: it must not end the element that it stands in.
  std::string data;
  for (char c : document.dump(-1, ' ', false, Json::error_handler_t::replace))
    data += c == '<' ? std::string("\\u003c") : std::string(1, c);
  std::string page(report_html());
  fill(page, "/*{{CSS}}*/", report_css());
  fill(page, "/*{{JS}}*/", report_js());
  fill(page, "{{RUN}}", data);  // last: it may hold anything
  return page;
}

}  // namespace sf::explore
