/* Every op accepts its arguments in the order of each form that its messages list, with and without optional ones, and by name. */
#include <stdio.h>
#include <string.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check.h"

enum { most = 16 };

static mt_tensor* x;
static mt_tensor* list[2];
static mt_generator* generator;
static const int64_t sizes[2] = {2, 2};

/* A value of the first kind that a parameter accepts. */
static mt_value of_kinds(int32_t kinds) {
  if (kinds & MT_TENSOR) return mt_value_tensor(x);
  if (kinds & MT_TENSORS) return mt_value_tensors(list, 2);
  if (kinds & MT_SIZES) return mt_value_sizes(sizes, 2);
  if (kinds & MT_GENERATOR) return mt_value_generator(generator);
  if (kinds & MT_BOOLEAN) return mt_value_boolean(1);
  if (kinds & MT_DTYPE) return mt_value_dtype(MT_FLOAT32);
  if (kinds & MT_STRING) return mt_value_string("none", 4);
  return mt_value_integer(1);
}

/* The values may be invalid for the op; only their order must be accepted. */
static void check_taken(const char* name, mt_status status, mt_tensor** result) {
  if (status != MT_OK && strstr(mt_error_message(), ": arguments: (") != NULL) {
    fprintf(stderr, "%s\n", mt_error_message());
    CHECK(name == NULL);
  }
  mt_tensor_release(*result);
  *result = NULL;
}

static void check_form(const mt_op* op, int32_t form, int with_optional) {
  const char* const name = mt_op_name(op);
  const int32_t n_results = mt_op_result_count(op) > 0 ? 1 : 0;
  mt_value args[most];
  mt_named_value named[most];
  mt_tensor* result = NULL;
  int32_t i, n = 0, split;
  for (i = 0; i < mt_op_form_size(op, form); ++i) {
    const int32_t param = mt_op_form_param(op, form, i);
    if (mt_op_param_optional(op, param) && !with_optional) continue;
    args[n] = of_kinds(mt_op_param_kinds(op, param));
    named[n].name = mt_op_param_name(op, param);
    named[n].value = args[n];
    ++n;
  }
  check_taken(name, mt_call(name, args, n, n_results, &result), &result);
  for (split = 0; split <= n; ++split) { /* the first ones by their order, the rest by their names */
    check_taken(name, mt_call_named(name, args, split, named + split, n - split, n_results, &result), &result);
  }
}

static void named_values(void) {
  mt_value args[2];
  mt_named_value named[3];
  mt_tensor* y = NULL;
  double sums[2];
  args[0] = mt_value_tensor(x);
  named[0].name = "dim";
  named[0].value = mt_value_integer(1);
  CHECK(mt_call_named("sum", args, 1, named, 1, 1, &y) == MT_OK && mt_tensor_read(y, sizeof sums, sums) == MT_OK);
  CHECK(sums[0] == 3 && sums[1] == 7); /* along the rows */
  mt_tensor_release(y);
  y = NULL;
  named[1].name = "x";
  named[1].value = args[0];
  CHECK(mt_call_named("sum", NULL, 0, named, 2, 1, &y) == MT_OK && mt_tensor_read(y, sizeof sums, sums) == MT_OK && sums[1] == 7);
  mt_tensor_release(y);
  y = NULL;
  named[2].name = "y";
  named[2].value = mt_value_number(10);
  CHECK(mt_call_named("add", args, 1, named + 2, 1, 1, &y) == MT_OK); /* x + 10: a form may lack arguments in the middle */
  mt_tensor_release(y);
  y = NULL;
  CHECK(mt_call_named("sum", args, 1, named + 1, 1, 1, &y) == MT_ERR_INVALID && y == NULL); /* x is passed twice */
  named[1] = named[0];
  CHECK(mt_call_named("sum", args, 1, named, 2, 1, &y) == MT_ERR_INVALID && strstr(mt_error_message(), "sum: dim: twice, expected once"));
  named[0].name = "axis";
  CHECK(mt_call_named("sum", args, 1, named, 1, 1, &y) == MT_ERR_INVALID && strstr(mt_error_message(), "one called axis, expected x, dim"));
  named[0].name = NULL;
  CHECK(mt_call_named("sum", args, 1, named, 1, 1, &y) == MT_ERR_INVALID);
  CHECK(mt_call_named("sum", args, 1, NULL, 1, 1, &y) == MT_ERR_INVALID && mt_call_named(NULL, args, 1, named, 0, 1, &y) == MT_ERR_INVALID);
  CHECK(mt_call_named("no op", args, 1, named, 0, 1, &y) == MT_ERR_INVALID &&
        mt_call_named("sum", args, -1, named, 0, 1, &y) == MT_ERR_INVALID);
}

int main(void) {
  const double values[4] = {1, 2, 3, 4};
  int32_t i, form;
  CHECK(mt_tensor_create(MT_FLOAT64, 2, sizes, &x) == MT_OK && mt_generator_create(1, &generator) == MT_OK);
  CHECK(mt_tensor_write(x, sizeof values, values) == MT_OK);
  list[0] = list[1] = x;
  named_values();
  for (i = 0; i < mt_op_count(); ++i) {
    for (form = 0; form < mt_op_form_count(mt_op_at(i)); ++form) {
      check_form(mt_op_at(i), form, 0);
      check_form(mt_op_at(i), form, 1);
    }
  }
  mt_tensor_release(x);
  mt_generator_free(generator);
  return 0;
}
