// Combines the counts of the host threads into the counters of a launch.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "core/measurement.h"
#include "vgpu/program.h"

namespace cudalab::vgpu {

class Tally {
 public:
  explicit Tally(const Program& program);
  void add(const std::vector<BasicBlockCount>& counts, std::vector<SiteState>& sites,
           std::vector<Hazard>& hazards);

  Counters counters() const;
  std::vector<LineAccess> accesses() const;       // in source order
  std::vector<LineExecution> executions() const;  // in source order
  const std::vector<BasicBlockCount>& counts() const { return counts_; }
  std::vector<SiteTotals> site_totals() const;
  std::vector<Hazard> hazards() const;  // merges equal hazards and adds up their occurrences; in block order

 private:
  struct SiteSum {
    SiteTotals totals;
    StrideCounts strides;
  };
  void set_execution_counters(Counters& counters) const;
  std::uint64_t lane_exchanges() const;

  const Program& program_;
  std::vector<BasicBlockCount> counts_;
  std::vector<SiteSum> sites_;
  std::vector<Hazard> hazards_;
};

}  // namespace cudalab::vgpu
