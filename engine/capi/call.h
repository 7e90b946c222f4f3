// The one call behind mt_op_call, mt_call and mt_infer.
#pragma once

#include "engine/capi/handle.h"
#include "engine/core/registry.h"

namespace mt::capi {

// Runs an op as mt_op_call says. In an inference all tensors are on meta: new ones, and those for which a device is named, too.
enum class Purpose : uint8_t { results, inference };
void call(const Op& op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results, Purpose purpose = Purpose::results);

// The op of a name that must not be NULL; raises an error that names the function when there is none.
const Op& op_called(const char* name, const char* function);

// Puts the arguments of a call, of which some come by name, in the signature's order, MT_NONE for what is left out, and gives the form that
// they fit; raises an error where there is none. `arranged` has room for Signature::max_params.
const Form& arrange_named(const Op& op, const mt_value* args, int32_t n_args, const mt_named_value* named, int32_t n_named,
                          mt_value* arranged);

// What calls of this thread go through, NULL unless somebody captures or measures them.
OpHook*& thread_hook();

}  // namespace mt::capi
