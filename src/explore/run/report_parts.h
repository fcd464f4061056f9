// The files of src/explore/report, embedded at build time.
#pragma once

#include <string_view>

namespace sf::explore {

std::string_view report_html();
std::string_view report_css();
std::string_view report_js();

}  // namespace sf::explore
