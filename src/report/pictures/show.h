// Which pictures there are, by the names that --show takes, and which of them a result can give.
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
  bool takes_line = false;    // of the source
  bool needs_record = false;  // RunSettings::record
};
const std::vector<PictureKind>& picture_kinds();

// A program's rows as pictures need them: with their predictions, and the file that their lines stand in.
lab::Result pictured_result(const device::ProgramLog& log);

// A picture and the row that it is of; empty: of the whole result.
struct ShownPicture {
  std::string row;
  Picture picture;
};

// In the order of the rows. `line` 0: the one that wastes most, or costs most.
std::vector<ShownPicture> pictures_of(std::string_view kind, int line, const lab::Result& result,
                                      const ReadSource& read);

// Why there are none of that kind, and what would make one.
Message why_no_picture(std::string_view kind, int line, const lab::Result& result);

// Of the row's memory accesses of that space the requests that show best what they cost; null where there are
// none. `line` 0: any.
const LineRequests* telling_line(const lab::Row& row, MemorySpace space, int line);

// Sectors or passes beyond the fewest, of all the row's accesses of the line, memory and kind.
double waste_of(const lab::Row& row, const LineRequests& line);

}  // namespace cudalab::report
