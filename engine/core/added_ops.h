// Ops that libraries brought at run time, beside those of this build: a list that only grows, and is read without a lock. Registry::find
// knows them, too.
#pragma once

#include <string_view>

#include "engine/core/registry.h"

namespace mt {

// Adds an op, which stays for good. The caller has seen that its name is free, and is the only one that adds.
void add_op(const Op& op);

const Op* added_op(std::string_view name);  // null where there is none
bool is_added(const Op& op);

// Every op by number: first those of this build.
int op_count();
const Op* op_at(int number);  // null outside 0..op_count() - 1

}  // namespace mt
