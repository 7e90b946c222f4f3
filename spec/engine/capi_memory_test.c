/* Fails each allocation of a small program in turn: every failure is an error, and nothing leaks. */
#include <string.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check.h"

static int64_t live_bytes(void) {
  mt_memory m;
  m.size = sizeof m;
  CHECK(mt_memory_read(&m) == MT_OK);
  return m.live_bytes;
}

/* Returns the first status that is not MT_OK; releases everything on every exit. */
static mt_status program(double* sum) {
  const int64_t sizes[2] = {40, 30};
  mt_tensor *x = NULL, *view = NULL, *y = NULL, *product = NULL, *total = NULL, *sorted[2] = {NULL, NULL}, *list[2];
  mt_generator *generator = NULL, *philox = NULL;
  mt_value args[4];
  mt_status status;
  if ((status = mt_generator_create(1, &generator)) != MT_OK) goto done;
  if ((status = mt_generator_create_philox(1, &philox)) != MT_OK) goto done;
  args[0] = mt_value_generator(generator);
  args[1] = mt_value_sizes(sizes, 2);
  if ((status = mt_call("rand", args, 2, 1, &x)) != MT_OK) goto done;
  if ((status = mt_tensor_narrow(x, 0, 3, 30, &view)) != MT_OK) goto done;
  args[0] = mt_value_tensor(view);
  if ((status = mt_call("t", args, 1, 1, &y)) != MT_OK) goto done;
  args[1] = mt_value_tensor(y);
  if ((status = mt_call("mm", args, 2, 1, &product)) != MT_OK) goto done;
  args[0] = mt_value_tensor(product);
  if ((status = mt_call("exp", args, 1, 1, &product)) != MT_OK) goto done;
  args[1] = mt_value_integer(0);
  if ((status = mt_call("max", args, 2, 2, sorted)) != MT_OK) goto done;
  list[0] = sorted[0];
  list[1] = product;
  args[0] = mt_value_tensors(list, 2);
  args[1] = args[2] = mt_value_none();
  args[3] = mt_value_integer(0);
  mt_tensor_release(x);
  x = NULL;
  if ((status = mt_call("cat", args, 4, 1, &x)) != MT_OK) goto done;
  args[0] = mt_value_tensor(x);
  if ((status = mt_call("sum", args, 1, 1, &total)) != MT_OK) goto done;
  status = mt_tensor_read(total, sizeof *sum, sum);
done:
  mt_tensor_release(x);
  mt_tensor_release(view);
  mt_tensor_release(y);
  mt_tensor_release(product);
  mt_tensor_release(total);
  mt_tensor_release(sorted[0]);
  mt_tensor_release(sorted[1]);
  mt_generator_free(philox);
  mt_generator_free(generator);
  return status;
}

int main(void) {
  double expected = 0, sum = 0;
  int64_t n, before;
  CHECK(program(&expected) == MT_OK);
  before = live_bytes();
  CHECK(before == 0);
  for (n = 1;; ++n) {
    mt_status status;
    mt_fail_allocations_after(n);
    status = program(&sum);
    mt_fail_allocations_after(0);
    CHECK(live_bytes() == before);
    if (status == MT_OK) break;
    CHECK(status == MT_ERR_MEMORY && strstr(mt_error_message(), "out of memory") != NULL);
    CHECK(n < 1000);
  }
  CHECK(n > 15 && sum == expected);
  CHECK(program(&sum) == MT_OK && sum == expected);
  return 0;
}
