/* A host without Lua: sessions, objects, rejected calls, and the kinds of errors. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moontorch/lua.h"
#include "spec/engine/check.h"

#define OK(call)                                                              \
  do {                                                                        \
    if ((call) != MT_OK) {                                                    \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, mt_error_message()); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static int message_has(const char* part) {
  if (strstr(mt_error_message(), part) != NULL) return 1;
  fprintf(stderr, "actual: %s\nexpected: %s\n", mt_error_message(), part);
  return 0;
}

static mt_value text(const char* string) { return mt_value_string(string, (int32_t)strlen(string)); }

static mt_object* make(mt_session* session, const char* name, const mt_value* args, int32_t n) {
  mt_object* made = NULL;
  OK(mt_session_make(session, name, args, n, NULL, 0, 1, &made));
  return made;
}

/* Checks the kind of each family of errors, and words of its message. */
static void kinds(mt_session* session) {
  const int64_t two[1] = {2}, grid[2] = {2, 3}, unlike[2] = {2, 4}, minus[1] = {-1};
  mt_tensor *x = NULL, *m = NULL, *n = NULL, *bytes = NULL, *out = NULL;
  mt_object* result = NULL;
  mt_value args[4];
  OK(mt_tensor_create(MT_FLOAT32, 1, two, &x));
  OK(mt_tensor_create(MT_FLOAT32, 2, grid, &m));
  OK(mt_tensor_create(MT_FLOAT32, 2, unlike, &n));
  OK(mt_tensor_create(MT_UINT8, 1, two, &bytes));
  args[0] = mt_value_tensor(m);
  args[1] = mt_value_integer(5);
  CHECK(mt_call("sum", args, 2, 1, &out) == MT_ERR_RANGE && message_has("dimension 6 out of range 1..2"));
  CHECK(mt_session_call(session, "sum", args, 2, NULL, 0, 1, &result) == MT_ERR_RANGE && message_has("dimension 6 out of range 1..2"));
  args[2] = mt_value_integer(0);
  CHECK(mt_call("select", args, 3, 1, &out) == MT_ERR_RANGE);
  args[1] = mt_value_integer(0);
  args[2] = mt_value_integer(1);
  args[3] = mt_value_integer(7);
  CHECK(mt_call("narrow", args, 4, 1, &out) == MT_ERR_RANGE);
  args[1] = mt_value_tensor(n);
  CHECK(mt_call("add", args, 2, 1, &out) == MT_ERR_SHAPE && message_has("broadcast"));
  CHECK(mt_call("mm", args, 2, 1, &out) == MT_ERR_SHAPE && message_has("size mismatch"));
  CHECK(mt_call("cmul", args, 2, 1, &out) == MT_ERR_SHAPE);
  CHECK(mt_session_call(session, "mm", args, 2, NULL, 0, 1, &result) == MT_ERR_SHAPE);
  args[0] = mt_value_sizes(minus, 1);
  CHECK(mt_call("zeros", args, 1, 1, &out) == MT_ERR_RANGE);
  args[0] = mt_value_tensor(bytes);
  CHECK(mt_call("inverse", args, 1, 1, &out) != MT_OK);
  args[0] = mt_value_tensor(x);
  args[1] = mt_value_integer(0);
  args[2] = mt_value_tensor(x); /* floats as positions */
  CHECK(mt_call("index", args, 3, 1, &out) == MT_ERR_DTYPE);
  args[1] = mt_value_dtype(77);
  args[0] = mt_value_sizes(two, 1);
  CHECK(mt_call("zeros", args, 2, 1, &out) == MT_ERR_DTYPE);
  args[1] = text("float33");
  CHECK(mt_call("zeros", args, 2, 1, &out) == MT_ERR_DTYPE);
  mt_fail_allocations_after(1);
  CHECK(mt_call("zeros", args, 1, 1, &out) == MT_ERR_MEMORY);
  mt_fail_allocations_after(0);
  args[0] = text("x");
  CHECK(mt_call("exp", args, 1, 1, &out) == MT_ERR_INVALID && message_has("exp: arguments: (string), expected"));
  CHECK(mt_session_call(session, "exp", args, 1, NULL, 0, 1, &result) == MT_ERR_INVALID);
  CHECK(mt_session_load(session, "/no/such/file", &result) == MT_ERR_FILE && message_has("/no/such/file"));
  CHECK(mt_session_load(session, __FILE__, &result) == MT_ERR_FILE);
  CHECK(mt_device_load("/no/such/file") == MT_ERR_FILE);
  CHECK(mt_session_make(session, "nn.Linear", args, 1, NULL, 0, 1, &result) == MT_ERR_INVALID && message_has("nn.Linear: inputSize"));
  args[0] = mt_value_integer(-1);
  args[1] = mt_value_integer(2);
  CHECK(mt_session_make(session, "nn.Linear", args, 2, NULL, 0, 1, &result) == MT_ERR_RANGE && message_has("nn.Linear: inputSize"));
  CHECK(out == NULL && result == NULL);
  mt_tensor_release(x);
  mt_tensor_release(m);
  mt_tensor_release(n);
  mt_tensor_release(bytes);
}

static double number_of(const mt_object* object) {
  double number = NAN;
  OK(mt_object_number(object, &number));
  return number;
}

static void objects(mt_session* session) {
  const int64_t sizes[2] = {2, 3};
  const float values[6] = {1, 2, 3, 4, 5, 6};
  mt_tensor *x = NULL, *y = NULL;
  mt_object *held = NULL, *list = NULL, *part = NULL, *several[3] = {NULL, NULL, NULL};
  mt_value args[2];
  mt_named_value named[2];
  char name[32];
  size_t length = 0;
  int64_t count = 0;
  OK(mt_tensor_create(MT_FLOAT32, 2, sizes, &x));
  OK(mt_tensor_write(x, sizeof values, values));
  args[0] = mt_value_tensor(x);
  OK(mt_session_object(session, args, &held));
  OK(mt_object_tensor(held, &y));
  CHECK(mt_tensor_data(x) == mt_tensor_data(y) && mt_object_kind(held) == MT_TENSOR);
  OK(mt_object_type(held, sizeof name, name));
  CHECK(strcmp(name, "torch.FloatTensor") == 0);
  OK(mt_object_type(held, 6, name));
  CHECK(strcmp(name, "torch") == 0);
  mt_tensor_release(y);

  named[0].name = "dim";
  named[0].value = mt_value_integer(1);
  OK(mt_session_call(session, "max", args, 1, named, 1, 2, several));
  y = NULL;
  OK(mt_object_tensor(several[0], &y));
  CHECK(mt_tensor_count(y) == 2 && ((float*)mt_tensor_data(y))[1] == 6);
  mt_tensor_release(y);
  mt_object_release(several[0]);
  mt_object_release(several[1]);
  several[0] = several[1] = NULL;
  args[0] = mt_value_object(held);
  OK(mt_session_call(session, "sum", args, 1, NULL, 0, 1, several));
  CHECK(number_of(several[0]) == 21);
  mt_object_release(several[0]);
  named[0].name = "p";
  named[0].value = mt_value_number(1);
  args[1] = mt_value_tensor(x);
  OK(mt_session_call(session, "cdist", args, 2, named, 1, 1, several));
  y = NULL;
  OK(mt_object_tensor(several[0], &y));
  CHECK(((float*)mt_tensor_data(y))[1] == 9);
  mt_tensor_release(y);
  mt_object_release(several[0]);
  named[1] = named[0];
  CHECK(mt_session_call(session, "cdist", args, 2, named, 2, 1, several) == MT_ERR_INVALID &&
        message_has("cdist: p: twice, expected once"));
  named[0].name = "q";
  CHECK(mt_session_call(session, "cdist", args, 2, named, 1, 1, several) == MT_ERR_INVALID && message_has("one called q, expected"));
  CHECK(mt_session_call(session, "no_op", args, 2, NULL, 0, 1, several) == MT_ERR_INVALID &&
        message_has("no_op, expected the name of an op"));

  args[0] = mt_value_integer(2);
  args[1] = mt_value_integer(3);
  part = make(session, "nn.Linear", args, 2);
  OK(mt_object_invoke(part, "parameters", NULL, 0, NULL, 0, 1, &list));
  OK(mt_object_count(list, &count));
  CHECK(count == 2 && mt_object_kind(list) == MT_OBJECT);
  several[0] = NULL;
  OK(mt_object_get(list, NULL, 2, several));
  OK(mt_object_get(part, "weight", 0, several + 1));
  OK(mt_object_get(part, "no such field", 0, several + 2));
  CHECK(mt_object_kind(several[1]) == MT_TENSOR && mt_object_kind(several[2]) == MT_NONE);
  CHECK(mt_object_number(several[2], &(double){0}) == MT_ERR_INVALID && mt_object_tensor(several[2], &y) == MT_ERR_INVALID);
  CHECK(mt_object_invoke(part, "fly", NULL, 0, NULL, 0, 0, NULL) == MT_ERR_INVALID && message_has("nn.Linear"));
  CHECK(mt_object_call(several[2], NULL, 0, NULL, 0, 0, NULL) == MT_ERR_LUA);
  args[0] = text("a text");
  mt_object_release(several[2]);
  OK(mt_session_object(session, args, several + 2));
  OK(mt_object_string(several[2], 4, name, &length));
  CHECK(strcmp(name, "a t") == 0 && length == 6);
  mt_object_release(several[0]);
  mt_object_release(several[1]);
  mt_object_release(several[2]);
  mt_object_release(list);
  mt_object_release(part);
  mt_object_release(held);
  mt_tensor_release(x);
}

static void limits(void) {
  mt_session_options options;
  mt_session* session = NULL;
  mt_object* x = NULL;
  const int64_t large[1] = {1000000}, small[1] = {10000};
  mt_value args[1];
  int64_t tensor_bytes = -1, heap_bytes = -1;
  int i;
  memset(&options, 0, sizeof options);
  CHECK(mt_session_create(&options, &session) == MT_ERR_INVALID && message_has("size")); /* the size field is not set */
  options.size = sizeof options;
  options.folder = "/no/such/folder";
  CHECK(mt_session_create(&options, &session) == MT_ERR_FILE && message_has("/no/such/folder"));
  options.folder = NULL;
  options.tensor_bytes = 1 << 20;
  OK(mt_session_create(&options, &session));
  args[0] = mt_value_sizes(large, 1);
  CHECK(mt_session_call(session, "zeros", args, 1, NULL, 0, 1, &x) == MT_ERR_MEMORY && x == NULL);
  args[0] = mt_value_sizes(small, 1);
  for (i = 0; i < 100; ++i) { /* 80 KB each; all are freed */
    OK(mt_session_call(session, "zeros", args, 1, NULL, 0, 1, &x));
    mt_object_release(x);
  }
  OK(mt_session_collect(session));
  OK(mt_session_bytes(session, &tensor_bytes, &heap_bytes));
  CHECK(tensor_bytes >= 0 && tensor_bytes < (1 << 20) && heap_bytes > 0);
  CHECK(mt_session_limit(session, -1, 0) == MT_ERR_RANGE);
  OK(mt_session_limit(session, 0, 0));
  OK(mt_session_close(session));
}

static void* other_thread(void* session) {
  mt_object* made = NULL;
  return mt_session_make(session, "torch.seed", NULL, 0, NULL, 0, 1, &made) == MT_ERR_INVALID && made == NULL ? session : NULL;
}

/* The session that the clock uses while a call runs, and whether its use from another thread was refused. */
static mt_session* asked;
static int refused;
static double reading(void* context, int32_t which) {
  pthread_t thread;
  void* result = NULL;
  (void)context;
  (void)which;
  if (asked != NULL) {
    CHECK(pthread_create(&thread, NULL, other_thread, asked) == 0 && pthread_join(thread, &result) == 0);
    CHECK(mt_session_close(asked) == MT_ERR_INVALID);
    refused = result != NULL;
  }
  return 42;
}

static void threads_and_clock(void) {
  const mt_clock clock = {sizeof clock, reading, NULL, NULL};
  mt_session* session = NULL;
  mt_object* now = NULL;
  OK(mt_set_clock(&clock));
  CHECK(mt_set_clock(&(mt_clock){0}) == MT_ERR_INVALID && mt_set_threads(&(mt_threads){sizeof(mt_threads), NULL, NULL}) == MT_ERR_INVALID);
  OK(mt_session_create(NULL, &session));
  asked = session;
  OK(mt_session_make(session, "torch.tic", NULL, 0, NULL, 0, 1, &now));
  CHECK(number_of(now) == 42 && refused);
  asked = NULL;
  mt_object_release(now);
  OK(mt_set_clock(NULL));
  OK(mt_session_close(session));
}

static char logged[200];
static void keep_log(void* context, int32_t level, const char* line) {
  (void)context;
  CHECK(level == MT_LOG_WARNING || level == MT_LOG_ERROR);
  snprintf(logged, sizeof logged, "%s", line);
}

static void logs(mt_session* session) {
  const mt_log log = {sizeof log, keep_log, NULL};
  mt_value args[1];
  mt_object* none = NULL;
  OK(mt_set_log(&log));
  args[0] = text("a warning");
  OK(mt_session_make(session, "libmoontorch.log", args, 1, NULL, 0, 1, &none));
  CHECK(strcmp(logged, "a warning") == 0 && mt_object_kind(none) == MT_NONE);
  mt_object_release(none);
  OK(mt_set_log(NULL));
}

static uint64_t seven(void* context) {
  (void)context;
  return 7;
}

/* Unseeded draws use the host's seed. */
static double first_draw(void) {
  mt_session* session = NULL;
  mt_object* drawn = NULL;
  const int64_t one[1] = {1};
  const mt_value args[1] = {mt_value_sizes(one, 1)};
  double number;
  OK(mt_session_create(NULL, &session));
  OK(mt_session_call(session, "rand", args, 1, NULL, 0, 1, &drawn));
  number = number_of(drawn);
  mt_object_release(drawn);
  OK(mt_session_close(session));
  return number;
}

static void seeds(void) {
  const mt_clock clock = {sizeof clock, reading, seven, NULL};
  double first;
  OK(mt_set_clock(&clock));
  first = first_draw();
  CHECK(first == first_draw());
  OK(mt_set_clock(NULL));
  CHECK(first != first_draw());
}

static void closed(mt_session* session, mt_object* left) {
  mt_object* out = NULL;
  double number;
  mt_tensor* x = NULL;
  OK(mt_session_close(session));
  CHECK(mt_object_kind(left) == -1 && mt_object_number(left, &number) == MT_ERR_INVALID && message_has("it is closed"));
  CHECK(mt_object_tensor(left, &x) == MT_ERR_INVALID && mt_object_save(left, "/dev/null") == MT_ERR_INVALID);
  CHECK(mt_object_call(left, NULL, 0, NULL, 0, 1, &out) == MT_ERR_INVALID && out == NULL);
  CHECK(mt_object_get(left, "weight", 0, &out) == MT_ERR_INVALID);
  mt_object_release(mt_object_retain(left));
  mt_object_release(left);
}

static void nothing(mt_session* session) {
  mt_object* out = NULL;
  mt_tensor* x = NULL;
  mt_value value = mt_value_none();
  CHECK(mt_session_close(NULL) == MT_OK && mt_session_lua(NULL) == NULL && mt_object_kind(NULL) == -1 && mt_object_retain(NULL) == NULL);
  mt_object_release(NULL);
  CHECK(mt_session_create(NULL, NULL) == MT_ERR_INVALID && mt_session_call(NULL, "exp", NULL, 0, NULL, 0, 1, &out) == MT_ERR_INVALID);
  CHECK(mt_session_call(session, NULL, NULL, 0, NULL, 0, 1, &out) == MT_ERR_INVALID);
  CHECK(mt_session_call(session, "exp", NULL, 1, NULL, 0, 1, &out) == MT_ERR_INVALID);
  CHECK(mt_session_call(session, "exp", NULL, 0, NULL, 1, 1, &out) == MT_ERR_INVALID);
  CHECK(mt_session_call(session, "exp", &value, -1, NULL, 0, 1, &out) == MT_ERR_INVALID);
  value.kind = 77;
  CHECK(mt_session_object(session, &value, &out) == MT_ERR_INVALID && mt_session_object(session, NULL, &out) == MT_ERR_INVALID);
  value = mt_value_tensor(NULL);
  CHECK(mt_session_object(session, &value, &out) == MT_ERR_INVALID);
  value = mt_value_object(NULL);
  CHECK(mt_session_object(session, &value, &out) == MT_ERR_INVALID);
  CHECK(mt_call("exp", &value, 1, 1, &x) == MT_ERR_INVALID);
  CHECK(mt_session_make(session, NULL, NULL, 0, NULL, 0, 1, &out) == MT_ERR_INVALID);
  CHECK(mt_session_make(session, "", NULL, 0, NULL, 0, 1, &out) == MT_ERR_LUA &&
        mt_session_make(session, "nn..", NULL, 0, NULL, 0, 1, &out) == MT_ERR_INVALID);
  CHECK(mt_session_make(session, "nn.Identity", NULL, 0, NULL, 0, 9999, &out) == MT_ERR_RANGE);
  CHECK(mt_session_load(session, NULL, &out) == MT_ERR_INVALID && mt_session_load(session, "x", NULL) == MT_ERR_INVALID);
  CHECK(mt_object_tensor(NULL, &x) == MT_ERR_INVALID && mt_object_save(NULL, "x") == MT_ERR_INVALID);
  CHECK(mt_lua_open(NULL, NULL) == MT_ERR_INVALID && mt_lua_push_tensor(NULL, NULL) == MT_ERR_INVALID);
  CHECK(mt_lua_to_tensor(NULL, 1, &x) == MT_ERR_INVALID && out == NULL && x == NULL);
}

int main(void) {
  mt_session* session = NULL;
  mt_value sizes[2];
  seeds(); /* first, like hooks */
  OK(mt_session_create(NULL, &session));
  logs(session);
  kinds(session);
  objects(session);
  nothing(session);
  limits();
  threads_and_clock();
  sizes[0] = sizes[1] = mt_value_integer(2);
  closed(session, make(session, "nn.Linear", sizes, 2));
  return 0;
}
