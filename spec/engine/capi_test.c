/* The whole C interface, as a C99 program sees it: known answers, ownership, messages. */
#define _POSIX_C_SOURCE 200112L /* posix_memalign */
#include <math.h>
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

static mt_tensor* matrix(int64_t rows, int64_t columns, const double* values) {
  const int64_t sizes[2] = {rows, columns};
  mt_tensor* x = NULL;
  OK(mt_tensor_create(MT_FLOAT64, 2, sizes, &x));
  OK(mt_tensor_write(x, (size_t)(rows * columns) * sizeof(double), values));
  return x;
}

static void check_values(const mt_tensor* x, int64_t count, const double* expected) {
  double values[16];
  int64_t i;
  CHECK(mt_tensor_count(x) == count);
  OK(mt_tensor_read(x, (size_t)count * sizeof(double), values));
  for (i = 0; i < count; ++i) CHECK(values[i] == expected[i]);
}

static int64_t live_bytes(void) {
  mt_memory m;
  m.size = sizeof m;
  OK(mt_memory_read(&m));
  return m.live_bytes;
}

/* Returns whether the status is an error of any kind about an argument; session_test.c checks the kinds. */
static int is_refusal(mt_status status) {
  return status == MT_ERR_INVALID || status == MT_ERR_RANGE || status == MT_ERR_DTYPE || status == MT_ERR_SHAPE || status == MT_ERR_FILE;
}

static void check_refused(mt_status status, const char* message) {
  CHECK(is_refusal(status));
  if (strcmp(mt_error_message(), message) != 0) {
    fprintf(stderr, "actual: %s\nexpected: %s\n", mt_error_message(), message);
    exit(1);
  }
}

static const double six[6] = {1, 2, 3, 4, 5, 6};

static void tensors(void) {
  const int64_t sizes[2] = {2, 3}, negative[1] = {-1};
  mt_tensor *x = matrix(2, 3, six), *y = NULL, *same;
  mt_tensor* none = NULL;
  CHECK(mt_tensor_dtype(x) == MT_FLOAT64 && mt_tensor_ndim(x) == 2 && mt_tensor_count(x) == 6 && mt_tensor_is_contiguous(x));
  CHECK(mt_tensor_sizes(x)[1] == 3 && mt_tensor_strides(x)[0] == 3 && mt_tensor_strides(x)[1] == 1);
  CHECK(((double*)mt_tensor_data(x))[5] == 6);

  OK(mt_tensor_narrow(x, 1, 1, 2, &y));
  {
    const double expected[4] = {2, 3, 5, 6}, fresh[4] = {20, 30, 50, 60}, all[6] = {1, 20, 30, 4, 50, 60};
    CHECK(!mt_tensor_is_contiguous(y));
    check_values(y, 4, expected);
    OK(mt_tensor_write(y, sizeof fresh, fresh)); /* a view writes through */
    check_values(x, 6, all);
  }
  same = mt_tensor_retain(y);
  CHECK(same == y);
  mt_tensor_release(y);
  mt_tensor_release(x); /* the view keeps the storage */
  OK(mt_tensor_clone(same, &x));
  mt_tensor_release(same);
  {
    const double expected[4] = {20, 30, 50, 60};
    CHECK(mt_tensor_is_contiguous(x));
    check_values(x, 4, expected);
  }
  check_refused(mt_tensor_narrow(x, 1, 1, 2, &none), "narrow: length: 2 slices from 2 are out of range, dimension 2 of [2, 2]");
  CHECK(none == NULL);
  CHECK(mt_tensor_narrow(NULL, 0, 0, 1, &none) == MT_ERR_INVALID && mt_tensor_narrow(x, 0, 0, 1, NULL) == MT_ERR_INVALID);
  CHECK(mt_tensor_read(x, 3, &none) == MT_ERR_SHAPE && none == NULL);
  CHECK(mt_tensor_create(99, 2, sizes, &none) == MT_ERR_DTYPE && mt_tensor_create(MT_INT8, 1, negative, &none) == MT_ERR_RANGE);
  CHECK(mt_tensor_create(MT_INT8, -1, sizes, &none) == MT_ERR_RANGE && mt_tensor_create(MT_INT8, 1, NULL, &none) == MT_ERR_INVALID);
  CHECK(none == NULL);
  mt_tensor_release(x);
  mt_tensor_release(NULL);
  OK(mt_tensor_create(MT_FLOAT32, 0, NULL, &x));
  CHECK(mt_tensor_ndim(x) == 0 && mt_tensor_count(x) == 0);
  mt_tensor_release(x);
}

static void count_release(void* context) { ++*(int*)context; }

static void borrowed_memory(void) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  const int64_t sizes[2] = {3, 2}, strides[2] = {1, 3}, far[2] = {1, 4};
  int released = 0;
  mt_tensor *x = NULL, *row = NULL;
  mt_value args[3];
  CHECK(mt_tensor_borrow(MT_FLOAT32, data, 6, 2, sizes, far, count_release, &released, &x) == MT_ERR_SHAPE);
  CHECK(mt_tensor_borrow(MT_FLOAT32, data, 5, 2, sizes, NULL, count_release, &released, &x) == MT_ERR_SHAPE);
  CHECK(mt_tensor_borrow(MT_FLOAT32, (char*)data + 1, 5, 2, sizes, NULL, count_release, &released, &x) == MT_ERR_INVALID);
  CHECK(x == NULL && released == 0);
  OK(mt_tensor_borrow(MT_FLOAT32, data, 6, 2, sizes, strides, count_release, &released, &x)); /* the transpose of 2x3 */
  args[0] = mt_value_tensor(x);
  args[1] = mt_value_integer(0);
  args[2] = mt_value_integer(-1 + 3);
  OK(mt_call("select", args, 3, 1, &row));
  CHECK(((float*)mt_tensor_data(row))[0] == 3 && mt_tensor_strides(row)[0] == 3);
  args[0] = mt_value_tensor(row);
  args[1] = mt_value_number(7);
  OK(mt_call("fill", args, 2, 1, &row));
  CHECK(data[2] == 7 && data[5] == 7 && data[0] == 1);
  mt_tensor_release(x);
  CHECK(released == 0); /* the view keeps the memory */
  mt_tensor_release(row);
  CHECK(released == 1);
}

static void ops(void) {
  mt_tensor *x = matrix(2, 3, six), *y = NULL, *pair[2] = {NULL, NULL}, *list[2], *kept;
  mt_value args[4];
  const int64_t sizes[1] = {5};

  args[0] = mt_value_tensor(x);
  args[1] = mt_value_tensor(x);
  args[2] = mt_value_number(2);
  OK(mt_call("add", args, 3, 1, &y));
  {
    const double expected[6] = {3, 6, 9, 12, 15, 18};
    check_values(y, 6, expected);
  }
  kept = y;
  OK(mt_call("add", args, 2, 1, &y)); /* into y: the trailing factor is 1 */
  {
    const double expected[6] = {2, 4, 6, 8, 10, 12};
    CHECK(y == kept);
    check_values(y, 6, expected);
  }
  mt_tensor_release(y);
  y = NULL;

  OK(mt_call("sum", args, 1, 1, &y));
  {
    const double expected[1] = {21};
    check_values(y, 1, expected);
  }
  mt_tensor_release(y);
  y = NULL;

  args[1] = mt_value_integer(-1);
  OK(mt_call("max", args, 2, 2, pair)); /* values, and indices that count from 1 as in Lua */
  {
    const double expected[2] = {3, 6};
    int64_t at[2];
    check_values(pair[0], 2, expected);
    OK(mt_tensor_read(pair[1], sizeof at, at));
    CHECK(at[0] == 3 && at[1] == 3);
  }
  mt_tensor_release(pair[0]);
  mt_tensor_release(pair[1]);
  OK(mt_call("max", args, 2, 1, &y)); /* without the indices */
  mt_tensor_release(y);
  y = NULL;

  list[0] = list[1] = x;
  args[0] = mt_value_tensors(list, 2);
  args[1] = args[2] = mt_value_none();
  args[3] = mt_value_integer(0);
  OK(mt_call("cat", args, 4, 1, &y));
  CHECK(mt_tensor_sizes(y)[0] == 4 && mt_tensor_sizes(y)[1] == 3);
  mt_tensor_release(y);
  y = NULL;

  args[0] = mt_value_sizes(sizes, 1);
  args[1] = mt_value_dtype(MT_INT32);
  OK(mt_call("ones", args, 2, 1, &y));
  CHECK(mt_tensor_dtype(y) == MT_INT32 && ((int32_t*)mt_tensor_data(y))[4] == 1);
  mt_tensor_release(y);
  y = NULL;

  args[0] = mt_value_tensor(x);
  args[1] = mt_value_boolean(1);
  check_refused(
      mt_call("narrow", args, 2, 1, &y),
      "narrow: arguments: (torch.DoubleTensor [2, 3], boolean), expected (x: tensor, dim: dimension, first: index, length: integer)");
  args[1] = mt_value_number(HUGE_VAL);
  check_refused(mt_call("select", args, 2, 1, &y),
                "select: arguments: (torch.DoubleTensor [2, 3], inf), expected (x: tensor, dim: dimension, index: index)");
  args[2] = mt_value_integer(0);
  check_refused(mt_call("select", args, 3, 1, &y), "select: dim: inf, expected a whole number");
  args[0] = mt_value_tensor(NULL);
  check_refused(mt_call("exp", args, 1, 1, &y), "exp: x: NULL, expected a tensor");
  check_refused(mt_call("no such op", args, 1, 1, &y), "mt_call: name: no such op, expected the name of an op");
  CHECK(mt_call("exp", args, -1, 1, &y) == MT_ERR_INVALID && mt_call("exp", NULL, 1, 1, &y) == MT_ERR_INVALID);
  CHECK(mt_call("exp", args, 1, 1, NULL) == MT_ERR_INVALID && mt_call("exp", args, 1, 9, &y) == MT_ERR_RANGE);
  CHECK(mt_op_call(NULL, args, 1, 1, &y) == MT_ERR_INVALID && mt_call(NULL, args, 1, 1, &y) == MT_ERR_INVALID);
  args[0].kind = 1 << 20;
  CHECK(mt_call("exp", args, 1, 1, &y) == MT_ERR_INVALID);
  CHECK(y == NULL);
  mt_tensor_release(x);
}

static void reflection(void) {
  int32_t i, p;
  const mt_op *add = mt_op_find("add"), *cat = mt_op_find("cat");
  CHECK(mt_op_count() > 100 && mt_op_at(-1) == NULL && mt_op_at(mt_op_count()) == NULL);
  CHECK(mt_op_find("no such op") == NULL && mt_op_find(NULL) == NULL);
  for (i = 0; i < mt_op_count(); ++i) {
    const mt_op* op = mt_op_at(i);
    CHECK(mt_op_find(mt_op_name(op)) == op && mt_op_doc(op) != NULL);
    for (p = 0; p < mt_op_param_count(op); ++p) CHECK(mt_op_param_name(op, p)[0] != '\0' && mt_op_param_kinds(op, p) != 0);
    CHECK(mt_op_form_count(op) >= 1);
  }
  CHECK(strcmp(mt_op_param_name(add, 0), "x") == 0 && mt_op_param_kinds(add, 0) == MT_TENSOR && !mt_op_param_optional(add, 0));
  CHECK(mt_op_param_optional(add, mt_op_param_count(add) - 1));
  CHECK(mt_op_result_count(add) == 1 && strcmp(mt_op_result_name(add, 0), "res") == 0 && mt_op_result_name(add, 1) == NULL);
  CHECK(mt_op_param_name(add, -1) == NULL && mt_op_param_name(add, 99) == NULL && mt_op_param_kinds(add, 99) == 0);
  CHECK(mt_op_form_count(cat) == 2 && mt_op_form_size(cat, 0) == 2 && mt_op_form_param(cat, 0, 1) == 3);
  CHECK(mt_op_form_size(cat, 2) == -1 && mt_op_form_param(cat, 0, 2) == -1);
}

/* A handle that is no op or no tensor has no properties; a kind is a single one, not a set. */
static void nothing_and_no_kind(void) {
  static const int32_t kinds[] = {MT_TENSOR | MT_NUMBER, MT_NUMBER | MT_INTEGER, 0x7fffffff, -1, INT32_MIN, MT_GENERATOR << 1};
  const int64_t sizes[1] = {2};
  mt_tensor *x = matrix(1, 2, six), *y = NULL, *list[2];
  mt_value args[4];
  size_t i;
  CHECK(mt_op_name(NULL) == NULL && mt_op_doc(NULL) == NULL && mt_op_param_count(NULL) == 0 && mt_op_param_name(NULL, 0) == NULL);
  CHECK(mt_op_param_kinds(NULL, 0) == 0 && mt_op_param_optional(NULL, 0) == 0 && mt_op_result_count(NULL) == 0);
  CHECK(mt_op_result_name(NULL, 0) == NULL && mt_op_form_count(NULL) == 0 && mt_op_form_size(NULL, 0) == -1);
  CHECK(mt_op_form_param(NULL, 0, 0) == -1);
  CHECK(mt_tensor_dtype(NULL) == -1 && mt_tensor_ndim(NULL) == 0 && mt_tensor_count(NULL) == 0 && !mt_tensor_is_contiguous(NULL));
  CHECK(mt_tensor_sizes(NULL) == NULL && mt_tensor_strides(NULL) == NULL && mt_tensor_data(NULL) == NULL);
  CHECK(mt_tensor_retain(NULL) == NULL);
  CHECK(mt_tensor_read(NULL, 0, NULL) == MT_ERR_INVALID && mt_tensor_write(NULL, 0, NULL) == MT_ERR_INVALID);
  CHECK(mt_tensor_clone(NULL, &y) == MT_ERR_INVALID && mt_tensor_clone(x, NULL) == MT_ERR_INVALID);
  CHECK(mt_tensor_create(MT_INT8, 1, sizes, NULL) == MT_ERR_INVALID && mt_tensor_create(-1, 1, sizes, &y) == MT_ERR_DTYPE);
  CHECK(mt_tensor_borrow(MT_INT8, NULL, 2, 1, sizes, NULL, NULL, NULL, &y) == MT_ERR_INVALID);
  CHECK(mt_tensor_borrow(MT_INT8, args, 2, 1, NULL, NULL, NULL, NULL, &y) == MT_ERR_INVALID);
  CHECK(mt_tensor_borrow(MT_INT8, args, 2, 1, sizes, NULL, NULL, NULL, NULL) == MT_ERR_INVALID);
  CHECK(mt_tensor_borrow(INT32_MAX, args, 2, 1, sizes, NULL, NULL, NULL, &y) == MT_ERR_DTYPE);
  CHECK(mt_generator_create(1, NULL) == MT_ERR_INVALID);
  for (i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    args[0] = mt_value_tensor(x);
    args[1] = mt_value_number(2);
    args[1].kind = kinds[i];
    check_refused(mt_call("mul", args, 2, 1, &y),
                  "mul: arguments: (torch.DoubleTensor [1, 2], a value of no known kind), expected (x: tensor, value: number)");
  }
  args[1].kind = MT_DIMS; /* of an argument; a list of dimensions is MT_SIZES */
  check_refused(mt_call("permute", args, 2, 1, &y),
                "permute: arguments: (torch.DoubleTensor [1, 2], a value of no known kind), expected (x: tensor, dims: dimensions)");
  args[0] = mt_value_dtype(0);
  args[0].as.dtype = INT64_MAX;
  args[1] = mt_value_sizes(NULL, 1);
  CHECK(mt_call("ones", args + 1, 1, 1, &y) == MT_ERR_INVALID);
  args[1] = mt_value_sizes(sizes, -1);
  CHECK(mt_call("ones", args + 1, 1, 1, &y) == MT_ERR_RANGE);
  args[1] = mt_value_sizes(sizes, 1);
  args[2] = args[0];
  CHECK(mt_call("ones", args + 1, 2, 1, &y) == MT_ERR_DTYPE);
  args[0] = mt_value_generator(NULL);
  CHECK(mt_call("rand", args, 2, 1, &y) == MT_ERR_INVALID);
  args[0] = mt_value_tensors(NULL, 2);
  CHECK(mt_call("cat", args, 1, 1, &y) == MT_ERR_INVALID);
  CHECK(y == NULL);

  list[0] = list[1] = x;
  args[0] = mt_value_tensors(list, 2); /* a form's order: (tensors, dim), where the signature has (tensors, a, b, dim) */
  args[1] = mt_value_integer(0);
  OK(mt_call("cat", args, 2, 1, &y));
  CHECK(mt_tensor_sizes(y)[0] == 2 && mt_tensor_sizes(y)[1] == 2);
  mt_tensor_release(y);
  mt_tensor_release(x);
}

static double first_uniform(mt_generator* generator) {
  const int64_t sizes[1] = {3};
  mt_tensor* x = NULL;
  mt_value args[2];
  double values[3];
  args[0] = generator != NULL ? mt_value_generator(generator) : mt_value_none();
  args[1] = mt_value_sizes(sizes, 1);
  OK(mt_call("rand", args, 2, 1, &x));
  OK(mt_tensor_read(x, sizeof values, values));
  mt_tensor_release(x);
  return values[0];
}

static void random_numbers(void) {
  mt_generator* generator = NULL;
  double a;
  OK(mt_generator_create(5489, &generator));
  CHECK(first_uniform(generator) == 3499211612.0 / 4294967296.0); /* MT19937's published first draw */
  OK(mt_generator_seed(generator, 7));
  a = first_uniform(generator);
  mt_seed(7);
  CHECK(first_uniform(NULL) == a);
  CHECK(first_uniform(NULL) != a);
  mt_generator_free(generator);
  OK(mt_generator_create_philox(0, &generator));
  CHECK(first_uniform(generator) == (double)(0xe169c58d6627e8d5u >> 12) / 4503599627370496.0); /* Random123's first two words, 52 bits */
  OK(mt_generator_seed(generator, 0));
  CHECK(first_uniform(generator) == (double)(0xe169c58d6627e8d5u >> 12) / 4503599627370496.0);
  mt_generator_free(generator);
  CHECK(mt_generator_create_philox(1, NULL) == MT_ERR_INVALID);
  mt_generator_free(NULL);
  CHECK(mt_generator_seed(NULL, 1) == MT_ERR_INVALID);
}

typedef struct Counts {
  int64_t bytes, calls;
} Counts;

static void* counted_allocate(void* context, size_t bytes, size_t alignment) {
  void* data = NULL;
  if (posix_memalign(&data, alignment, bytes) != 0) return NULL;
  ((Counts*)context)->bytes += (int64_t)bytes;
  ++((Counts*)context)->calls;
  return data;
}

static void counted_release(void* context, void* data, size_t bytes) {
  ((Counts*)context)->bytes -= (int64_t)bytes;
  free(data);
}

static void interrupts(void) {
  const int64_t large[1] = {5 << 20};
  mt_tensor *x, *y[1] = {NULL};
  mt_value args[1];
  OK(mt_tensor_create(MT_FLOAT32, 1, large, &x));
  args[0] = mt_value_tensor(x);
  CHECK(mt_interrupt(1) == 0);
  CHECK(mt_call("exp", args, 1, 1, y) == MT_ERR_INTERRUPTED && y[0] == NULL);
  OK(mt_call("exp", args, 1, 1, y)); /* the first call has consumed the interrupt */
  mt_tensor_release(y[0]);
  y[0] = NULL;
  CHECK(mt_interrupt(2) == 0);
  CHECK(mt_call("exp", args, 1, 1, y) == MT_ERR_INTERRUPTED && mt_call("exp", args, 1, 1, y) == MT_ERR_INTERRUPTED);
  CHECK(mt_interrupt(0) == 2);
  OK(mt_call("exp", args, 1, 1, y));
  mt_tensor_release(y[0]);
  mt_tensor_release(x);
}

static void process(void) {
  const int32_t threads = mt_num_threads();
  const int64_t large[1] = {5 << 20};
  Counts counts = {0, 0};
  mt_allocator hooks;
  mt_memory stats;
  mt_tensor* x;
  OK(mt_set_num_threads(2));
  CHECK(mt_num_threads() == 2 && mt_set_num_threads(0) == MT_ERR_RANGE && mt_num_threads() == 2);
  OK(mt_set_num_threads(threads));
  interrupts();

  stats.size = 0;
  CHECK(mt_memory_read(&stats) == MT_ERR_INVALID && mt_memory_read(NULL) == MT_ERR_INVALID);
  hooks.size = sizeof hooks;
  hooks.allocate = counted_allocate;
  hooks.release = counted_release;
  hooks.context = &counts;
  x = matrix(2, 3, six);
  CHECK(mt_set_allocator(&hooks) == MT_ERR_INVALID); /* a tensor lives */
  mt_tensor_release(x);
  OK(mt_set_allocator(&hooks));
  x = matrix(2, 3, six);
  mt_tensor_release(x);
  OK(mt_tensor_create(MT_FLOAT32, 1, large, &x));
  CHECK(counts.calls > 1 && counts.bytes > 0);
  mt_tensor_release(x);
  mt_memory_trim();
  CHECK(counts.bytes == 0);
  OK(mt_set_allocator(NULL));
}

/* Tensors without elements report their properties, and cannot be read. */
static void other_devices(void) {
  const int64_t sizes[2] = {2, 3};
  const double before = 5;
  double values[6];
  mt_tensor *x = matrix(2, 3, six), *m = NULL, *y = NULL;
  mt_value args[2];
  CHECK(strcmp(mt_tensor_device(x), "cpu") == 0 && mt_tensor_device(NULL) == NULL);
  OK(mt_tensor_create_on("meta", MT_FLOAT32, 2, sizes, &m));
  CHECK(strcmp(mt_tensor_device(m), "meta") == 0 && mt_tensor_dtype(m) == MT_FLOAT32 && mt_tensor_count(m) == 6);
  CHECK(mt_tensor_data(m) == NULL);
  CHECK(strcmp(mt_error_message(), "mt_tensor_data: x: it is on meta; mt_tensor_to brings it to the CPU") == 0);
  check_refused(mt_tensor_read(m, 24, values), "meta: tensor: it has sizes alone, and no elements to read");
  check_refused(mt_tensor_to(m, "cpu", &y), "meta: tensor: it has sizes alone, and no elements to read");
  check_refused(mt_tensor_to(x, "moon", &y), "mt_tensor_to: device: moon, expected a device: one of cpu, meta");
  check_refused(mt_tensor_create_on(NULL, MT_INT8, 2, sizes, &y), "mt_tensor_create_on: device: NULL, expected an address");
  check_refused(mt_tensor_create_on("moon", MT_INT8, 2, sizes, &y),
                "mt_tensor_create_on: device: moon, expected a device: one of cpu, meta");
  CHECK(y == NULL);
  OK(mt_tensor_write(m, 24, values)); /* the elements are dropped */
  mt_tensor_release(m);

  OK(mt_tensor_to(x, "meta", &m));
  CHECK(mt_tensor_dtype(m) == MT_FLOAT64 && mt_tensor_sizes(m)[1] == 3);
  OK(mt_tensor_to(x, "cpu", &y)); /* a copy, although x is on the CPU */
  args[0] = mt_value_tensor(y);
  args[1] = mt_value_number(before);
  OK(mt_call("fill", args, 2, 1, &y));
  check_values(x, 6, six);
  mt_tensor_release(y);
  y = NULL;

  args[1] = mt_value_tensor(m);
  args[0] = mt_value_tensor(x);
  check_refused(mt_call("add", args, 2, 1, &y), "add: y: a tensor on meta, expected cpu, where the others are");
  args[1] = mt_value_string("float32 on meta", 15);
  OK(mt_call("to", args, 2, 1, &y));
  CHECK(mt_tensor_dtype(y) == MT_FLOAT32 && strcmp(mt_tensor_device(y), "meta") == 0);
  mt_tensor_release(y);
  y = NULL;
  args[0] = mt_value_sizes(sizes, 2);
  args[1] = mt_value_string("meta", 4);
  OK(mt_call("zeros", args, 2, 1, &y));
  CHECK(mt_tensor_dtype(y) == MT_FLOAT64 && strcmp(mt_tensor_device(y), "meta") == 0 && mt_tensor_count(y) == 6);
  check_refused(mt_call("empty", args, 2, 1, &x), "empty: dtype: meta, expected cpu, where the result is");
  args[1] = mt_value_string("moon", 4);
  check_refused(mt_call("empty", args, 2, 1, &x), "empty: dtype: moon, expected the name of a tensor type, or of a device: cpu, meta");
  mt_tensor_release(y);
  mt_tensor_release(m);
  mt_tensor_release(x);
}

/* Sizes of results, computed by hand: a matrix product, a list, a view, several results; and sizes that inference can't determine. */
static void inference(void) {
  const int64_t sizes[2] = {3, 4}, five[1] = {5};
  mt_tensor *x = matrix(2, 3, six), *w = NULL, *y = NULL, *pair[2] = {NULL, NULL}, *list[2];
  mt_value args[4];
  OK(mt_tensor_create_on("meta", MT_FLOAT64, 2, sizes, &w));
  args[0] = mt_value_tensor(x);
  args[1] = mt_value_tensor(w); /* on meta already */
  OK(mt_infer("mm", args, 2, 1, &y));
  CHECK(mt_tensor_ndim(y) == 2 && mt_tensor_sizes(y)[0] == 2 && mt_tensor_sizes(y)[1] == 4);
  CHECK(strcmp(mt_tensor_device(y), "meta") == 0 && mt_tensor_dtype(y) == MT_FLOAT64 && mt_tensor_data(y) == NULL);
  check_refused(mt_infer("mm", args, 2, 1, &y), "mt_infer: results: a tensor as result 1, expected NULL");
  mt_tensor_release(y);
  y = NULL;
  args[1] = mt_value_tensor(x);
  CHECK(mt_infer("mm", args, 2, 1, &y) == MT_ERR_SHAPE && strstr(mt_error_message(), "mm: ") == mt_error_message() && y == NULL);

  list[0] = list[1] = x;
  args[0] = mt_value_tensors(list, 2);
  args[1] = mt_value_integer(0);
  OK(mt_infer("cat", args, 2, 1, &y));
  CHECK(mt_tensor_sizes(y)[0] == 4 && mt_tensor_sizes(y)[1] == 3);
  mt_tensor_release(y);
  y = NULL;

  args[0] = mt_value_tensor(x);
  OK(mt_infer("t", args, 1, 1, &y)); /* a view of the meta tensor that represents x */
  CHECK(mt_tensor_strides(y)[0] == 1 && mt_tensor_strides(y)[1] == 3 && !mt_tensor_is_contiguous(y));
  mt_tensor_release(y);
  y = NULL;
  args[1] = mt_value_integer(1);
  OK(mt_infer("max", args, 2, 2, pair));
  CHECK(mt_tensor_sizes(pair[0])[0] == 2 && mt_tensor_sizes(pair[0])[1] == 1 && mt_tensor_dtype(pair[1]) == MT_INT64);
  mt_tensor_release(pair[0]);
  mt_tensor_release(pair[1]);
  check_refused(mt_infer("nonzero", args, 1, 1, &y), "nonzero: sizes: they depend on elements, of which a tensor on meta has none");
  CHECK(mt_op_data_dependent(mt_op_find("nonzero")));

  args[0] = mt_value_sizes(five, 1);
  args[1] = mt_value_string("float32 on cpu", 14); /* all is on meta in an inference */
  OK(mt_infer("empty", args, 2, 1, &y));
  CHECK(mt_tensor_count(y) == 5 && mt_tensor_dtype(y) == MT_FLOAT32 && strcmp(mt_tensor_device(y), "meta") == 0);
  mt_tensor_release(y);
  y = NULL;
  CHECK(!mt_op_data_dependent(mt_op_find("mm")) && !mt_op_data_dependent(NULL));
  check_refused(mt_infer("no such op", args, 1, 1, &y), "mt_infer: name: no such op, expected the name of an op");
  check_values(x, 6, six);
  mt_tensor_release(w);
  mt_tensor_release(x);
}

/* Files that are not device libraries; spec/device has a valid one. */
static void device_libraries(void) {
  check_refused(mt_device_load(NULL), "mt_device_load: path: NULL, expected an address");
  CHECK(mt_device_load("/no/such/file.so") == MT_ERR_FILE);
  CHECK(strstr(mt_error_message(), "mt_device_load: path: ") == mt_error_message() && strstr(mt_error_message(), "/no/such/file.so"));
  check_refused(mt_device_load("libm.so.6"), "mt_device_load: path: libm.so.6 without mt_device_abi, expected a device's library");
}

int main(void) {
  CHECK(mt_error_message()[0] == '\0' && mt_version()[0] == '8');
  tensors();
  borrowed_memory();
  ops();
  reflection();
  nothing_and_no_kind();
  random_numbers();
  other_devices();
  inference();
  device_libraries();
  CHECK(live_bytes() == 0);
  process();
  CHECK(live_bytes() == 0);
  return 0;
}
