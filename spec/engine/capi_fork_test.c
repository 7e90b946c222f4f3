/* Threads, then fork(): parent and child both continue to compute, with equal results. ctest's timeout ends a test that hangs. */
#define _POSIX_C_SOURCE 200809L
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check.h"

/* An elementwise op over 1e6 elements, and a product of 512 x 512 matrices whose elements are all 512 * 3 * 3. */
static int compute(void) {
  const int64_t line[1] = {1000000}, square[2] = {512, 512};
  mt_tensor *x = NULL, *total = NULL, *a = NULL, *b = NULL;
  mt_value args[3];
  double sum = 0;
  int good;
  args[0] = mt_value_sizes(line, 1);
  CHECK(mt_call("ones", args, 1, 1, &x) == MT_OK);
  args[0] = args[1] = mt_value_tensor(x);
  CHECK(mt_call("add", args, 2, 1, &x) == MT_OK);
  CHECK(mt_call("sum", args, 1, 1, &total) == MT_OK);
  CHECK(mt_tensor_read(total, sizeof sum, &sum) == MT_OK);
  args[0] = mt_value_sizes(square, 2);
  args[1] = mt_value_number(3);
  CHECK(mt_call("full", args, 2, 1, &a) == MT_OK);
  args[0] = args[1] = mt_value_tensor(a);
  CHECK(mt_call("mm", args, 2, 1, &b) == MT_OK);
  good = sum == 2e6 && ((double*)mt_tensor_data(b))[512 * 512 - 1] == 512 * 9;
  mt_tensor_release(x);
  mt_tensor_release(total);
  mt_tensor_release(a);
  mt_tensor_release(b);
  return good;
}

int main(void) {
  int round;
  CHECK(mt_set_num_threads(4) == MT_OK);
  for (round = 0; round < 3; ++round) {
    pid_t child;
    int status = 0;
    CHECK(compute());
    child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(mt_num_threads() == 1 && compute() ? 0 : 1);
    CHECK(compute());
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  return 0;
}
