// `--show PICTURE[=LINE],…`: which pictures of a result are asked for, and drawing them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option.h"
#include "lab/result.h"
#include "report/pictures/show.h"
#include "report/text/table.h"

namespace cudalab::cli {

struct ShowRequest {
  std::string kind;
  int line = 0;  // of the source; 0: the program chooses
};

Option show_option(std::vector<std::string>& texts);
std::vector<std::string> names_of_pictures();

// Throws Error(kUsage) that lists the pictures there are.
std::vector<ShowRequest> show_requests_from(const std::vector<std::string>& texts);

bool asks_for(std::string_view kind, const std::vector<std::string>& texts);

// Whether some need what the virtual GPU only keeps on request.
bool need_recording(const std::vector<ShowRequest>& requests);

// One after the other, each with an empty line before it; a sentence for what cannot be drawn.
std::string pictures_text(const std::vector<ShowRequest>& requests, const lab::Result& result,
                          const report::ReadSource& read, const report::TableStyle& style);

}  // namespace cudalab::cli
