/* Shared by the C tests of graphs: statuses, messages and elements. */
#ifndef SPEC_ENGINE_CHECK_GRAPHS_H
#define SPEC_ENGINE_CHECK_GRAPHS_H

#include <string.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check.h"

#define OK(call)                                                                         \
  do {                                                                                   \
    if ((call) != MT_OK) {                                                               \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, mt_error_message()); \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

static inline void check_refused(mt_status status, const char* message) {
  CHECK(status != MT_OK && status != MT_ERR_INTERNAL);
  if (strstr(mt_error_message(), message) == NULL) {
    fprintf(stderr, "actual: %s\nexpected: %s\n", mt_error_message(), message);
    exit(1);
  }
}

static inline mt_tensor* matrix(int64_t rows, int64_t columns, const float* values) {
  const int64_t sizes[2] = {rows, columns};
  mt_tensor* x = NULL;
  OK(mt_tensor_create(MT_FLOAT32, 2, sizes, &x));
  OK(mt_tensor_write(x, (size_t)(rows * columns) * sizeof(float), values));
  return x;
}

static inline void check_values(const mt_tensor* x, int64_t count, const float* expected) {
  float values[16];
  int64_t i;
  CHECK(mt_tensor_count(x) == count);
  OK(mt_tensor_read(x, (size_t)count * sizeof(float), values));
  for (i = 0; i < count; ++i) CHECK(values[i] == expected[i]);
}

#endif
