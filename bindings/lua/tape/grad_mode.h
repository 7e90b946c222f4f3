// Flags that each call of an op checks first: whether the tape matters to it.
#pragma once

namespace mt::lua {

struct GradMode {
  bool enabled = true;          // torch.noGrad sets it to false
  bool has_tape = false;        // whether lua/autograd is loaded
  bool has_lazy_nodes = false;  // some tensor may await its node

  bool records() const { return enabled && has_tape; }
};

}  // namespace mt::lua
