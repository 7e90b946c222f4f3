// Calls ops from C++ with tensors instead of argument lists, so that a hook sees the writes and views like those of a program.
#pragma once

#include "engine/core/registry.h"

namespace mt {

// ---- writes, named after the tensor methods

void call_copy(OpHook* hook, Tensor& to, const Tensor& from);
void call_fill(OpHook* hook, Tensor& to, const Value& value);
void call_zero(OpHook* hook, Tensor& to);

// ---- views; `view` receives the result

void call_select(OpHook* hook, const Tensor& x, int dim, int64_t index, Tensor& view);
void call_narrow(OpHook* hook, const Tensor& x, int dim, int64_t first, int64_t length, Tensor& view);
void call_view(OpHook* hook, const Tensor& x, Sizes sizes, Tensor& view);
void call_as_strided(OpHook* hook, const Tensor& x, Sizes sizes, Sizes strides, int64_t offset, Tensor& view);

// ---- copies; `made` receives the result

void call_clone(OpHook* hook, const Tensor& x, Tensor& made);
void call_to(OpHook* hook, const Tensor& x, DType dtype, Tensor& made);  // on the device of x
void call_contiguous(OpHook* hook, const Tensor& x, Tensor& made);       // x itself if it is contiguous
void call_channels_last(OpHook* hook, const Tensor& x, Tensor& made);    // x itself if it has this layout

// ---- arithmetic; `made` receives the result, which is real

void call_abs(OpHook* hook, const Tensor& z, Tensor& made);
void call_hypot(OpHook* hook, const Tensor& x, const Tensor& y, Tensor& made);
void call_part(OpHook* hook, const Tensor& z, int part, Tensor& view);  // a view of complex numbers: 0 the real parts, 1 the imaginary

// ---- geometry of existing tensors; programs have no ops for this

void call_set(OpHook* hook, Tensor& t, const Tensor& x);                                              // t becomes an alias of x
void call_set(OpHook* hook, Tensor& t, const Tensor& x, int64_t offset, Sizes sizes, Sizes strides);  // of x's storage, with this geometry
void call_resize(OpHook* hook, Tensor& t, Sizes sizes);
void call_resize_storage(OpHook* hook, const StoragePtr& storage, int64_t size);

// ---- writes through pointers

void call_touch(OpHook* hook, Tensor& t);   // elements of t were written
void call_expose(OpHook* hook, Tensor& t);  // a pointer to elements of t exists: they may be written unseen

// ---- reads by programs

void call_read(OpHook* hook, const Tensor& t);  // elements of t become numbers: only hooks that see reads receive it

// All elements of a storage, as a vector.
Tensor whole_of(const StoragePtr& storage);

}  // namespace mt
