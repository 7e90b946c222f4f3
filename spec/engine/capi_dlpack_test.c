/* DLPack by the C interface: structures declared as in its header, writes seen on both sides, deleters called once, in any thread. */
#include <pthread.h>
#include <string.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check.h"

#define OK(status) CHECK((status) == MT_OK)

typedef struct {
  void* data;
  struct {
    int32_t device_type, device_id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor dl_tensor;
};
typedef struct DLManagedTensorVersioned Versioned;

static int deleted = 0;
static void count(Versioned* self) {
  ++deleted;
  CHECK(self->manager_ctx == &deleted);
}

static void* delete_elsewhere(void* managed) {
  ((Versioned*)managed)->deleter(managed);
  return NULL;
}

static void* release_elsewhere(void* x) {
  mt_tensor_release(x);
  return NULL;
}

static void in_thread(void* (*f)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, f, argument) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

static void out(void) {
  const int64_t sizes[2] = {2, 3};
  const double values[6] = {1, 2, 3, 4, 5, 6};
  mt_tensor *x = NULL, *column = NULL, *again = NULL;
  Versioned* managed = NULL;
  struct DLManagedTensor* plain = NULL;

  OK(mt_tensor_create(MT_FLOAT64, 2, sizes, &x));
  OK(mt_tensor_write(x, sizeof values, values));
  OK(mt_tensor_narrow(x, 1, 1, 1, &column));
  OK(mt_tensor_to_dlpack(column, &managed));
  CHECK(managed->version.major == 1 && managed->flags == 0 && managed->dl_tensor.ndim == 2);
  CHECK(managed->dl_tensor.shape[0] == 2 && managed->dl_tensor.shape[1] == 1 && managed->dl_tensor.strides[0] == 3);
  CHECK(managed->dl_tensor.dtype.code == 2 && managed->dl_tensor.dtype.bits == 64 && managed->dl_tensor.dtype.lanes == 1);
  CHECK(managed->dl_tensor.device.device_type == 1);
  ((double*)managed->dl_tensor.data)[3] = 50;
  CHECK(((double*)mt_tensor_data(x))[4] == 50);
  mt_tensor_release(column);
  mt_tensor_release(x);
  CHECK(((double*)managed->dl_tensor.data)[0] == 2);
  in_thread(delete_elsewhere, managed);

  OK(mt_tensor_create(MT_UINT8, 2, sizes, &x));
  OK(mt_tensor_to_dlpack_unversioned(x, &plain));
  CHECK(plain->dl_tensor.data == mt_tensor_data(x) && plain->dl_tensor.dtype.code == 1);
  OK(mt_tensor_from_dlpack_unversioned(plain, MT_COPY_NEVER, &again)); /* its own structure */
  CHECK(mt_tensor_data(again) == mt_tensor_data(x) && mt_tensor_dtype(again) == MT_UINT8);
  mt_tensor_release(x);
  mt_tensor_release(again);
}

static void in(void) {
  float memory[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[2] = {3, 2}, strides[2] = {1, 3};
  Versioned managed;
  mt_tensor* x = NULL;

  memset(&managed, 0, sizeof managed);
  managed.version.major = 1;
  managed.manager_ctx = &deleted;
  managed.deleter = count;
  managed.dl_tensor.data = memory;
  managed.dl_tensor.device.device_type = 1;
  managed.dl_tensor.ndim = 2;
  managed.dl_tensor.dtype.code = 2;
  managed.dl_tensor.dtype.bits = 32;
  managed.dl_tensor.dtype.lanes = 1;
  managed.dl_tensor.shape = shape;
  managed.dl_tensor.strides = strides;

  OK(mt_tensor_from_dlpack(&managed, MT_COPY_IF_NEEDED, &x));
  CHECK(mt_tensor_data(x) == memory && mt_tensor_strides(x)[1] == 3 && deleted == 0);
  in_thread(release_elsewhere, x);
  CHECK(deleted == 1);
  OK(mt_tensor_from_dlpack(&managed, MT_COPY_ALWAYS, &x));
  CHECK(deleted == 2 && ((float*)mt_tensor_data(x))[1] == 4);
  mt_tensor_release(x);

  managed.flags = 1; /* read-only */
  x = NULL;
  CHECK(mt_tensor_from_dlpack(&managed, MT_COPY_NEVER, &x) == MT_ERR_INVALID && x == NULL && deleted == 2);
  CHECK(strcmp(mt_error_message(), "mt_tensor_from_dlpack: copy: never, but the memory can't be shared: it may only be read") == 0);
  managed.flags = 0;
  CHECK(mt_tensor_from_dlpack(&managed, 3, &x) == MT_ERR_RANGE);
  CHECK(mt_tensor_from_dlpack(NULL, 0, &x) == MT_ERR_INVALID && mt_tensor_from_dlpack(&managed, 0, NULL) == MT_ERR_INVALID);
  CHECK(mt_tensor_to_dlpack(NULL, NULL) == MT_ERR_INVALID);
  managed.version.major = 2;
  CHECK(mt_tensor_from_dlpack(&managed, 0, &x) == MT_ERR_UNSUPPORTED);
  managed.version.major = 1;
  managed.dl_tensor.dtype.bits = 24;
  CHECK(mt_tensor_from_dlpack(&managed, 0, &x) == MT_ERR_DTYPE && x == NULL && deleted == 2);
}

int main(void) {
  out();
  in();
  return 0;
}
