// Inputs by name, of graphs and models.
#pragma once

#include <functional>
#include <string>

#include "moontorch/moontorch.h"

namespace mt::capi {

// Calls f with the position of an input, its name and its value, for each that is given. Raises an error for a name that no input has, and
// for one that is given twice. `name_of`: the name of an input, empty for one without a name.
void each_named_input(const char* function, const mt_named_value* inputs, int32_t n_inputs, size_t count,
                      const std::function<std::string(size_t)>& name_of,
                      const std::function<void(size_t, const std::string&, const mt_value&)>& f);

}  // namespace mt::capi
