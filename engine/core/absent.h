// Ops that this build was made without (cmake/minimal.cmake): their names are known, so that who asks for one is told why it is not there.
#pragma once

#include <span>
#include <string_view>

namespace mt {

// The names, aliases included; none in a whole build. Written with the list of families.
std::span<const std::string_view> absent_ops();

// Refuses an op that this build was made without; does nothing for any other name.
void refuse_absent(std::string_view op);

bool is_absent(std::string_view op);

}  // namespace mt
