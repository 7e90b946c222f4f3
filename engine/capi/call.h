// The call that implements mt_op_call, mt_call, mt_call_named and mt_infer.
#pragma once

#include "engine/arguments/match.h"
#include "engine/capi/handle.h"
#include "engine/core/registry.h"

namespace mt::capi {

// The arguments of a call: some in order, others by name.
struct Arguments {
  const mt_value* args = nullptr;
  int32_t count = 0;
  const mt_named_value* named = nullptr;
  int32_t named_count = 0;

  // The argument at a position, from 1, of both kinds.
  const mt_value& operator[](int at) const { return at <= count ? args[at - 1] : named[at - count - 1].value; }
};

// Runs an op as mt_call_named does. In an inference all tensors are on meta, including new ones with a named device.
enum class Purpose : uint8_t { results, inference };
void call_named(const Op& op, const Arguments& given, int32_t n_results, mt_tensor** results);
// The same as mt_op_call does: without names, the arguments may be in the signature's order.
void call(const Op& op, const mt_value* args, int32_t n_args, int32_t n_results, mt_tensor** results, Purpose purpose = Purpose::results);

// The op with a name, which must not be NULL; raises an error that names the function if there is none.
const Op& op_called(const char* name, const char* function);

// The form that the arguments of a call fit, some of which may have a name; sets `m` to their positions. Raises an error if there is
// none.
const Form& match_named(const Op& op, const Arguments& given, Match& m);

// The hook of this thread's calls, NULL unless calls are captured or measured.
OpHook*& thread_hook();

}  // namespace mt::capi
