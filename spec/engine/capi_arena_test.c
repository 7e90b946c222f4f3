/* A bounded arena: tensors lie in the host's block, joined free blocks give all of it again, and what does not fit is an error. */
#include <string.h>

#include "moontorch/arena.h"
#include "spec/engine/check.h"

#define OK(status) CHECK((status) == MT_OK)

enum { BYTES = 1 << 20, TENSORS = 64 };
static char block[BYTES + 1];

static mt_tensor* floats(int64_t count) {
  mt_tensor* x = NULL;
  const mt_status status = mt_tensor_create(MT_FLOAT32, 1, &count, &x);
  CHECK(status == MT_OK || (status == MT_ERR_MEMORY && x == NULL && strstr(mt_error_message(), "out of memory") != NULL));
  return x;
}

/* Tensors of many sizes, released in another order. */
static void mixed(unsigned seed) {
  mt_tensor* list[TENSORS] = {NULL};
  int step;
  for (step = 0; step < 2000; ++step) {
    const unsigned k = (seed = seed * 1664525u + 1013904223u) >> 16;
    mt_tensor** const at = &list[k % TENSORS];
    if (*at != NULL) {
      const float* const data = mt_tensor_data(*at);
      const int64_t last = mt_tensor_count(*at) - 1;
      CHECK(data[0] == (float)(k % TENSORS) && data[last] == data[0]); /* nobody else wrote there */
      mt_tensor_release(*at);
      *at = NULL;
      continue;
    }
    *at = floats(1 + (int64_t)(seed % 20000));
    if (*at != NULL) {
      float* const data = mt_tensor_data(*at);
      CHECK((char*)data >= block && (char*)(data + mt_tensor_count(*at)) <= block + sizeof block && (size_t)data % 64 == 0);
      data[0] = data[mt_tensor_count(*at) - 1] = (float)(k % TENSORS);
    }
  }
  for (step = 0; step < TENSORS; ++step) mt_tensor_release(list[step]);
}

int main(void) {
  mt_arena* arena = NULL;
  mt_tensor *x, *y = NULL;
  mt_value args[2];
  float sum = 0;
  size_t all;

  CHECK(mt_arena_create(NULL, BYTES, &arena) == MT_ERR_INVALID && mt_arena_create(block, BYTES, NULL) == MT_ERR_INVALID);
  CHECK(mt_arena_create(block, 4095, &arena) == MT_ERR_RANGE && arena == NULL);
  CHECK(strcmp(mt_error_message(), "mt_arena_create: bytes: 4095, expected at least 4096") == 0);
  CHECK(mt_arena_use(NULL) == MT_ERR_INVALID && mt_arena_used(NULL) == 0 && mt_arena_peak(NULL) == 0 && mt_arena_largest(NULL) == 0);

  OK(mt_arena_create(block + 1, BYTES, &arena)); /* of any alignment */
  OK(mt_arena_use(arena));
  all = mt_arena_largest(arena);
  CHECK(all > BYTES - 256 && mt_arena_used(arena) == 0 && mt_arena_peak(arena) == 0);

  x = floats(1000);
  CHECK(x != NULL && mt_arena_used(arena) >= 4000 && mt_arena_used(arena) < 8000);
  CHECK(mt_set_allocator(NULL) == MT_ERR_INVALID); /* while a tensor exists */
  args[0] = mt_value_tensor(x);
  args[1] = mt_value_number(0.5);
  OK(mt_call("fill", args, 2, 1, &x));
  OK(mt_call("add", args, 2, 1, &y));
  args[0] = mt_value_tensor(y);
  OK(mt_call("sum", args, 1, 1, &x));
  OK(mt_tensor_read(x, sizeof sum, &sum));
  CHECK(sum == 1000);
  CHECK(floats(BYTES / 4) == NULL); /* too large, and nothing was lost */
  OK(mt_call("sum", args, 1, 1, &x));
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_memory_trim();
  CHECK(mt_arena_used(arena) == 0 && mt_arena_largest(arena) == all && mt_arena_peak(arena) >= 8000);

  mixed(1);
  mixed(2);
  mt_memory_trim();
  CHECK(mt_arena_used(arena) == 0 && mt_arena_largest(arena) == all && mt_arena_peak(arena) <= all);
  x = floats((int64_t)((all - 8192) / 4 * 3 / 4));
  CHECK(x != NULL); /* the most of it, in one piece */
  mt_tensor_release(x);
  OK(mt_set_allocator(NULL));
  x = floats(1000);
  CHECK((char*)mt_tensor_data(x) < block || (char*)mt_tensor_data(x) > block + sizeof block);
  mt_tensor_release(x);
  return 0;
}
