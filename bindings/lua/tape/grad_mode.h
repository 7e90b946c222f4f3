// Whether calls of ops concern the tape: what each call checks first.
#pragma once

namespace mt::lua {

struct GradMode {
  bool enabled = true;          // torch.noGrad turns it off
  bool has_tape = false;        // lua/autograd is loaded
  bool has_lazy_nodes = false;  // some tensor may await its node

  bool records() const { return enabled && has_tape; }
};

}  // namespace mt::lua
