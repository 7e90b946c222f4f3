#include "engine/capi/named_inputs.h"

#include <vector>

#include "engine/capi/handle.h"
#include "engine/core/arguments.h"

namespace mt::capi {

void each_named_input(const char* function, const mt_named_value* inputs, int32_t n_inputs, size_t count,
                      const std::function<std::string(size_t)>& name_of,
                      const std::function<void(size_t, const std::string&, const mt_value&)>& f) {
  if (n_inputs < 0) refuse_argument<Status::range>(function, "inputs", n_inputs, count);
  if (n_inputs > 0) take(inputs, function, "inputs");
  std::vector<bool> is_given(count);
  for (int32_t k = 0; k < n_inputs; ++k) {
    const std::string name = inputs[k].name != nullptr ? inputs[k].name : "";
    size_t i = 0;
    while (i < count && (name.empty() || name_of(i) != name)) ++i;
    if (i == count) {
      std::string known;
      for (size_t n = 0; n < count; ++n) known += concat(n > 0 ? ", " : "", name_of(n).empty() ? concat("input ", n + 1) : name_of(n));
      refuse_argument(function, "inputs", concat("one called ", name), known);
    }
    if (is_given[i]) refuse_argument(function, name, "twice", "once");
    is_given[i] = true;
    f(i, name, inputs[k].value);
  }
}

}  // namespace mt::capi
