// The hook that finds the first op whose result has a NaN or an infinity that its arguments don't have.
#pragma once

#include <optional>

#include "bindings/lua/profile/places.h"
#include "engine/core/observing_hook.h"
#include "engine/ops/nonfinite.h"

namespace mt::lua {

struct Fault {
  const Decl* op;
  Nonfinite kind;
  std::string_view result;  // its name, or that of a list that the op changes
  int inherited;            // position of the argument that has the fault, too; -1: none has
  Place place;
  std::vector<int> stack;
};

class FaultFinder final : public ObservingHook {
 public:
  explicit FaultFinder(Places& places) : places_(places) {}

  void begin(bool infinities);
  void end() { is_on_ = false; }
  const std::optional<Fault>& fault() const { return fault_; }

  // The call with the first fault raises an error; later calls are not checked.
  void run(Call& call) override;
  // A graph may compute infinities and NaNs that it doesn't use, such as a quotient that a mask replaces. So a fault inside a graph counts
  // if an output of the outermost one is faulty.
  void begin_graph() override { ++graphs_; }
  void end_graph(std::span<const Tensor* const> outputs) override;
  void fail_graph() override;

 private:
  bool is_fault(Nonfinite kind) const { return kind == Nonfinite::nan || (kind == Nonfinite::infinity && infinities_); }
  [[noreturn]] void refuse() const;
  void inspect(const Call& call, const Place& place, std::span<const Nonfinite> before);
  void note(const Call& call, const Place& place, std::span<const Nonfinite> before, Nonfinite kind, std::string_view result);

  Places& places_;
  std::optional<Fault> fault_, in_graph_;  // in_graph_: the first one in the running graph
  int graphs_ = 0;                         // nested runs
  bool infinities_ = true, is_on_ = false;
};

}  // namespace mt::lua
