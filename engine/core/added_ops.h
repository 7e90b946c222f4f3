// Ops that libraries added at run time: a list that only grows, which readers use without a lock. Registry::find finds them, too.
#pragma once

#include <string_view>

#include "engine/core/registry.h"

namespace mt {

// Adds an op for the lifetime of the process. The caller holds the lock for additions and has checked that the name is free.
void add_op(const Op& op);

const Op* added_op(std::string_view name);  // null if there is none
bool is_added(const Op& op);

// All ops by number: first those of this build, then the added ones.
int op_count();
const Op* op_at(int number);  // null outside 0..op_count() - 1

}  // namespace mt
