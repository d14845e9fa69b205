// The kinds of pictures by their `--show` names, and which of them a result can provide.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/programs/program_log.h"
#include "lab/result.h"
#include "report/pictures/picture.h"
#include "report/text/table.h"

namespace cudalab {
struct LineRequests;
}

namespace cudalab::report {

struct PictureKind {
  std::string_view name;
  std::string_view help;      // "a request of a warp on the sectors that it touches"
  bool takes_line = false;    // a source line can be chosen
  bool needs_record = false;  // RunSettings::record
};
const std::vector<PictureKind>& picture_kinds();

// A program's log as a result with predictions, and with the file that its lines belong to.
lab::Result pictured_result(const device::ProgramLog& log);

// A picture and the name of its row; empty: the whole result.
struct ShownPicture {
  std::string row;
  Picture picture;
};

// In the order of the rows. `line` 0: the line with the largest waste, else the largest cost.
std::vector<ShownPicture> pictures_of(std::string_view kind, int line, const lab::Result& result,
                                      const ReadSource& read);

// The reason why there is no picture of that kind, and what would produce one.
Message why_no_picture(std::string_view kind, int line, const lab::Result& result);

// The line of the row whose requests show the cost of that memory best; null if there is none. `line` 0: any
// line.
const LineRequests* telling_line(const lab::Row& row, MemorySpace space, int line);

// The sectors or wavefronts beyond the minimum, summed over the row's accesses with the line, memory and
// kind.
double waste_of(const lab::Row& row, const LineRequests& line);

}  // namespace cudalab::report
