/* Runs a model that is a part of the program, for machines without an operating system: no files, threads or environment variables.
 * Tensors are in one block of memory, which the program gives; models and plans of runs, which C++ allocates, need malloc.
 *
 *     th sine.lua && bin/minimal sine.onnx --freestanding --output small
 *     cc -std=c99 sine.c -Ismall/include small/libmoontorch.a -lstdc++ -lm -Wl,--gc-sections -o sine */
#include <moontorch/arena.h>
#include <stdio.h>

#include "sine.h"

static char memory[64 << 10];

static int failed(void) { return printf("%s\n", mt_error_message()), 1; }

int main(void) {
  const int64_t sizes[2] = {1, 1};
  mt_named_value input = {"x", {0}};
  mt_arena* arena = NULL;
  mt_onnx* model = NULL;
  mt_prepared* run = NULL;
  mt_tensor *x = NULL, *y = NULL;
  if (mt_arena_create(memory, sizeof memory, &arena) != MT_OK || mt_arena_use(arena) != MT_OK) return failed();
  if (mt_onnx_read(sine, sizeof sine, &model) != MT_OK) return failed();
  if (mt_tensor_create(MT_FLOAT32, 2, sizes, &x) != MT_OK) return failed();
  input.value = mt_value_tensor(x); /* an example: its type and sizes count */
  if (mt_onnx_prepare(model, &input, 1, NULL, 0, &run) != MT_OK) return failed();
  if (mt_prepared_input(run, 0, &x) != MT_OK || mt_prepared_output(run, 0, &y) != MT_OK) return failed();
  for (int i = 0; i <= 8; ++i) {
    *(float*)mt_tensor_data(x) = 0.75f * (float)i;
    if (mt_prepared_run(run, NULL, 0) != MT_OK) return failed(); /* allocates nothing */
    printf("%.2f %.3f\n", 0.75 * i, *(const float*)mt_tensor_data(y));
  }
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_prepared_free(run);
  mt_onnx_free(model);
  printf("%d bytes for tensors\n", (int)mt_arena_peak(arena));
  return 0;
}
