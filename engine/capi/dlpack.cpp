// Exchange of tensors with other libraries of the process, by DLPack's structures.
#include "engine/core/dlpack.h"

#include "engine/capi/handle.h"

using mt::dlpack::Unversioned;
using mt::dlpack::Versioned;

namespace {

template <class Managed, class Theirs> mt_status to_dlpack(const char* function, const mt_tensor* x, Theirs** out) {
  return mt::capi::guard([&] {
    mt::capi::take(out, function, "out");
    Managed* const made = mt::dlpack::exported<Managed>(function, mt::capi::take(x, function, "x").tensor);
    *out = reinterpret_cast<Theirs*>(made);
  });
}

template <class Managed, class Theirs> mt_status from_dlpack(const char* function, Theirs* managed, int32_t copy, mt_tensor** out) {
  return mt::capi::guard([&] {
    mt::capi::take(out, function, "out");
    if (copy < MT_COPY_IF_NEEDED || copy > MT_COPY_ALWAYS)
      mt::fail<mt::Status::range>(function, "copy", int64_t{copy}, ", expected MT_COPY_IF_NEEDED, MT_COPY_NEVER or MT_COPY_ALWAYS");
    mt_tensor* const made = mt::capi::give(mt::Tensor());  // before the structure becomes the tensor's
    try {
      made->tensor = mt::dlpack::imported(function, reinterpret_cast<Managed*>(managed), static_cast<mt::dlpack::Copy>(copy));
    } catch (...) {
      mt_tensor_release(made);
      throw;
    }
    *out = made;
  });
}

}  // namespace

mt_status mt_tensor_to_dlpack(const mt_tensor* x, struct DLManagedTensorVersioned** out) {
  return to_dlpack<Versioned>("mt_tensor_to_dlpack", x, out);
}

mt_status mt_tensor_from_dlpack(struct DLManagedTensorVersioned* managed, int32_t copy, mt_tensor** out) {
  return from_dlpack<Versioned>("mt_tensor_from_dlpack", managed, copy, out);
}

mt_status mt_tensor_to_dlpack_unversioned(const mt_tensor* x, struct DLManagedTensor** out) {
  return to_dlpack<Unversioned>("mt_tensor_to_dlpack_unversioned", x, out);
}

mt_status mt_tensor_from_dlpack_unversioned(struct DLManagedTensor* managed, int32_t copy, mt_tensor** out) {
  return from_dlpack<Unversioned>("mt_tensor_from_dlpack_unversioned", managed, copy, out);
}
