/* Prepared runs of the C interface: results, memory, allocations, clones in threads, and errors, after which nothing has changed. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check_graphs.h"

/* Counts the C library's allocations of the whole program, unless a sanitizer replaces them. */
static volatile int counting = 0;
static volatile long allocations = 0;
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void* malloc(size_t bytes) {
  if (counting) ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  if (counting) ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  if (counting) ++allocations;
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  if (counting) ++allocations;
  return __libc_memalign(alignment, bytes);
}
#else
#define COUNTS_ALLOCATIONS 0
#endif

static int64_t live_bytes(void) {
  mt_memory m;
  m.size = sizeof m;
  OK(mt_memory_read(&m));
  return m.live_bytes;
}

static mt_graph* parsed(const char* text, const mt_named_value* constants, int32_t count) {
  mt_graph* g = NULL;
  OK(mt_graph_parse(text, constants, count, &g));
  return g;
}

/* Two layers of whole numbers, so that sums are exact: y = w2 relu(w1 x + b). */
enum { in = 24, hidden = 40, out = 8 };
static float w1[hidden * in], b[hidden], w2[out * hidden];
static mt_tensor* layers[3];

static void draw_layers(void) {
  int i;
  for (i = 0; i < hidden * in; ++i) w1[i] = (float)(i * 7 % 11) - 5;
  for (i = 0; i < hidden; ++i) b[i] = (float)(i * 5 % 7) - 3;
  for (i = 0; i < out * hidden; ++i) w2[i] = (float)(i * 3 % 13) - 6;
  layers[0] = matrix(hidden, in, w1);
  layers[1] = matrix(1, hidden, b);
  layers[2] = matrix(out, hidden, w2);
}

static mt_graph* network(void) {
  static const char* const names[3] = {"w1", "b", "w2"};
  mt_named_value constants[3];
  int i;
  for (i = 0; i < 3; ++i) {
    constants[i].name = names[i];
    constants[i].value = mt_value_tensor(layers[i]);
  }
  return parsed(
      "graph(x: float32[1, 24]) { constant w1: float32[40, 24] constant b: float32[1, 40] constant w2: float32[8, 40]\n"
      "h = relu(add(linear(x, w1), b)) return linear(h, w2), h }",
      constants, 3);
}

static void set_input(float* x, int seed) {
  int i;
  for (i = 0; i < in; ++i) x[i] = (float)((i + seed) * (seed + 3) % 9) - 4;
}

static int has_outputs(const float* x, const float* y) {
  float h[hidden];
  int i, k;
  for (i = 0; i < hidden; ++i) {
    h[i] = b[i];
    for (k = 0; k < in; ++k) h[i] += w1[i * in + k] * x[k];
    if (h[i] < 0) h[i] = 0;
  }
  for (i = 0; i < out; ++i) {
    float sum = 0;
    for (k = 0; k < hidden; ++k) sum += w2[i * hidden + k] * h[k];
    if (sum != y[i]) return 0;
  }
  return 1;
}

static void memory_of_runs(void) {
  const int64_t sizes[2] = {1, in};
  mt_graph* g = network();
  mt_prepared* p = NULL;
  mt_tensor *input = NULL, *output = NULL, *again = NULL, *x = NULL;
  mt_value values[1];
  float *from, *to, first[out];
  int i;
  OK(mt_graph_prepare(g, NULL, 0, &p)); /* with zeros */
  mt_graph_free(g);
  OK(mt_prepared_input(p, 0, &input));
  OK(mt_prepared_output(p, 0, &output));
  OK(mt_prepared_output(p, 0, &again));
  CHECK(mt_tensor_dtype(input) == MT_FLOAT32 && mt_tensor_ndim(input) == 2 && mt_tensor_sizes(input)[1] == in);
  CHECK(mt_tensor_is_contiguous(input) && mt_tensor_is_contiguous(output) && mt_tensor_sizes(output)[1] == out);
  from = mt_tensor_data(input);
  to = mt_tensor_data(output);
  CHECK(to == mt_tensor_data(again) && from != to);
  for (i = 0; i < in; ++i) CHECK(from[i] == 0);

  set_input(from, 1);
  OK(mt_prepared_run(p, NULL, 0)); /* without a copy */
  CHECK(has_outputs(from, to));
  OK(mt_tensor_create(MT_FLOAT32, 2, sizes, &x));
  set_input(mt_tensor_data(x), 2);
  values[0] = mt_value_tensor(x);
  OK(mt_prepared_run(p, values, 1)); /* with a copy */
  CHECK(has_outputs(mt_tensor_data(x), to) && memcmp(from, mt_tensor_data(x), in * sizeof(float)) == 0);
  values[0] = mt_value_none();
  set_input(from, 3);
  OK(mt_prepared_run(p, values, 1));
  CHECK(has_outputs(from, to));
  values[0] = mt_value_tensor(input);
  set_input(from, 4);
  OK(mt_prepared_run(p, values, 1));
  CHECK(has_outputs(from, to) && to == mt_tensor_data(output));

  memcpy(first, to, sizeof first);
  mt_prepared_free(p); /* the tensors stay valid */
  CHECK(has_outputs(from, first) && memcmp(first, mt_tensor_data(output), sizeof first) == 0);
  from[0] = to[0] = 1;
  mt_tensor_release(output);
  mt_tensor_release(again);
  CHECK(from[0] == 1);
  mt_tensor_release(input);
  mt_tensor_release(x);
  mt_prepared_free(NULL);
}

static void allocation_of_runs(void) {
  const int64_t sizes[2] = {1, in};
  mt_graph* g = network();
  mt_prepared* p = NULL;
  mt_tensor *x = NULL, *y = NULL;
  mt_value input;
  int i;
  OK(mt_tensor_create(MT_FLOAT32, 2, sizes, &x));
  set_input(mt_tensor_data(x), 0);
  input = mt_value_tensor(x);
  OK(mt_graph_prepare(g, &input, 1, &p));
  OK(mt_prepared_output(p, 0, &y));
  OK(mt_prepared_run(p, &input, 1));
  mt_fail_allocations_after(1); /* the engine's */
  counting = 1;
  for (i = 1; i < 50; ++i) {
    set_input(mt_tensor_data(x), i);
    OK(mt_prepared_run(p, &input, 1));
    CHECK(has_outputs(mt_tensor_data(x), mt_tensor_data(y)));
    OK(mt_prepared_run(p, NULL, 0));
  }
  counting = 0;
  mt_fail_allocations_after(0);
  CHECK(allocations == 0);
  if (COUNTS_ALLOCATIONS) {
    mt_tensor* made = NULL;
    counting = 1;
    OK(mt_graph_run(g, &input, 1, 1, &made)); /* allocates */
    counting = 0;
    CHECK(allocations > 0);
    mt_tensor_release(made);
  }
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_prepared_free(p);
  mt_graph_free(g);
}

/* Passes for inference: a batch normalisation becomes part of the layer before it, up to rounding. */
static void passes(void) {
  static const float one[2] = {1, 2}, weight[4] = {1, -2, 3, 4}, mean[2] = {1, -1}, variance[2] = {4, 9};
  mt_tensor *w = matrix(2, 2, weight), *m = matrix(1, 2, mean), *v = matrix(1, 2, variance), *x = matrix(1, 2, one), *y = NULL;
  mt_named_value constants[3] = {{"w", {0}}, {"m", {0}}, {"v", {0}}};
  mt_value input = mt_value_tensor(x);
  mt_graph* g;
  mt_prepared* p = NULL;
  float result[2];
  constants[0].value = mt_value_tensor(w);
  constants[1].value = mt_value_tensor(m);
  constants[2].value = mt_value_tensor(v);
  g = parsed("graph(x: float32[1, 2]) { constant w constant m constant v return cdiv(add(linear(x, w), neg(m)), sqrt(v)) }", constants, 3);
  OK(mt_graph_prepare(g, &input, 1, &p));
  OK(mt_tensor_write(v, sizeof one, one)); /* sqrt(v) was computed before: constants must not change */
  OK(mt_prepared_run(p, &input, 1));
  OK(mt_prepared_output(p, 0, &y));
  OK(mt_tensor_read(y, sizeof result, result));
  CHECK(fabs(result[0] - (-3.0 - 1) / 2) < 1e-6 && fabs(result[1] - (11.0 + 1) / 3) < 1e-6);
  mt_tensor_release(w);
  mt_tensor_release(m);
  mt_tensor_release(v);
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_prepared_free(p);
  mt_graph_free(g);
}

/* An output as the next input, outputs that are inputs, and the memory of one input as another. */
static void recurrence(void) {
  static const float one[2] = {1, 1}, ten[2] = {10, 20};
  mt_tensor *a = matrix(1, 2, one), *x = matrix(1, 2, ten), *places[2] = {NULL, NULL}, *outputs[2] = {NULL, NULL};
  mt_graph* g = parsed("graph(a: float32[1, 2], b: float32[1, 2]) { return add(mul(a, 2), b), b }", NULL, 0);
  mt_value inputs[2], swapped[2];
  mt_prepared* p = NULL;
  float expected[2] = {12, 22};
  int i;
  inputs[0] = mt_value_tensor(a);
  inputs[1] = mt_value_tensor(x);
  OK(mt_graph_prepare(g, inputs, 2, &p));
  for (i = 0; i < 2; ++i) {
    OK(mt_prepared_input(p, i, &places[i]));
    OK(mt_prepared_output(p, i, &outputs[i]));
  }
  CHECK(mt_tensor_data(outputs[1]) == mt_tensor_data(places[1]));
  OK(mt_prepared_run(p, inputs, 2));
  check_values(outputs[0], 2, expected);
  inputs[0] = mt_value_tensor(outputs[0]);
  inputs[1] = mt_value_tensor(outputs[1]);
  OK(mt_prepared_run(p, inputs, 2));
  expected[0] = 34;
  expected[1] = 64;
  check_values(outputs[0], 2, expected);
  swapped[0] = mt_value_tensor(places[1]);
  swapped[1] = mt_value_tensor(places[0]);
  check_refused(mt_prepared_run(p, swapped, 2), "mt_prepared_run: a: memory from which runs read b, expected other memory");
  check_values(outputs[0], 2, expected);
  check_values(places[1], 2, ten);
  swapped[1] = mt_value_none(); /* both are the second */
  OK(mt_prepared_run(p, swapped, 2));
  expected[0] = 30;
  expected[1] = 60;
  check_values(outputs[0], 2, expected);
  for (i = 0; i < 2; ++i) {
    mt_tensor_release(places[i]);
    mt_tensor_release(outputs[i]);
  }
  mt_tensor_release(a);
  mt_tensor_release(x);
  mt_prepared_free(p);
  mt_graph_free(g);
}

/* A graph with an update: preparing and cloning write nothing, each run does. */
static void updates(void) {
  static const float zeros[2] = {0, 0}, step[2] = {1, -2};
  mt_tensor *total = matrix(1, 2, zeros), *x = matrix(1, 2, step);
  const mt_value input = mt_value_tensor(x);
  mt_named_value constant = {"total", {0}};
  mt_graph* g;
  mt_prepared *p = NULL, *clone = NULL;
  float expected[2] = {2, -4};
  constant.value = mt_value_tensor(total);
  g = parsed("graph(x: float32[1, 2]) { constant total: float32[1, 2] s = add(total, x) update total = s return s }", &constant, 1);
  OK(mt_graph_prepare(g, &input, 1, &p));
  check_values(total, 2, zeros);
  OK(mt_prepared_run(p, &input, 1));
  OK(mt_prepared_run(p, NULL, 0));
  check_values(total, 2, expected);
  OK(mt_prepared_clone(p, &clone));
  check_values(total, 2, expected);
  mt_prepared_free(p);
  mt_graph_free(g);
  OK(mt_prepared_run(clone, NULL, 0)); /* has the elements of the first one's input */
  expected[0] = 3;
  expected[1] = -6;
  check_values(total, 2, expected);
  mt_prepared_free(clone);
  mt_tensor_release(total);
  mt_tensor_release(x);
}

static void* run_often(void* prepared) {
  mt_prepared* p = prepared;
  mt_tensor *x = NULL, *y = NULL;
  int i;
  OK(mt_prepared_input(p, 0, &x));
  OK(mt_prepared_output(p, 0, &y));
  for (i = 0; i < 500; ++i) {
    set_input(mt_tensor_data(x), i);
    OK(mt_prepared_run(p, NULL, 0));
    CHECK(has_outputs(mt_tensor_data(x), mt_tensor_data(y)));
  }
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_prepared_free(p);
  return NULL;
}

static void clones_in_threads(void) {
  mt_graph* g = network();
  mt_prepared *p = NULL, *clones[4];
  mt_tensor *x = NULL, *y = NULL;
  pthread_t threads[4];
  int64_t before;
  int i;
  OK(mt_graph_prepare(g, NULL, 0, &p));
  OK(mt_prepared_input(p, 0, &x));
  OK(mt_prepared_output(p, 0, &y));
  set_input(mt_tensor_data(x), 5);
  OK(mt_prepared_run(p, NULL, 0));
  before = live_bytes();
  for (i = 0; i < 4; ++i) OK(mt_prepared_clone(i == 3 ? clones[0] : p, &clones[i]));
  CHECK(live_bytes() - before < 4 * (int64_t)sizeof w1); /* they share the weights */
  for (i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, run_often, clones[i]) == 0);
  for (i = 0; i < 4; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(has_outputs(mt_tensor_data(x), mt_tensor_data(y))); /* no clone wrote there */
  CHECK(live_bytes() == before);
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_prepared_free(p);
  mt_graph_free(g);
}

/* The threads of a host call the library while a run uses them. */
struct host {
  mt_prepared* running;
  int calls;
};

static void call_while_running(void* context, int32_t count, void (*task)(void* job, int32_t i), void* job) {
  struct host* host = context;
  mt_prepared* clone = NULL;
  int32_t i;
  if (host->running != NULL) {
    check_refused(mt_prepared_run(host->running, NULL, 0), "mt_prepared_run: run: another thread runs it, expected one at a time");
    check_refused(mt_prepared_clone(host->running, &clone), "mt_prepared_clone: run: another thread runs it, expected one at a time");
    CHECK(clone == NULL);
    ++host->calls;
  }
  for (i = 0; i < count; ++i) task(job, i);
}

static void one_run_at_a_time(void) {
  struct host host = {NULL, 0};
  const mt_threads threads = {sizeof threads, call_while_running, &host};
  const int32_t before = mt_num_threads();
  mt_graph* g = parsed("graph(x: float32[1000, 1000]) { return exp(x) }", NULL, 0);
  mt_prepared* p = NULL;
  mt_tensor* y = NULL;
  OK(mt_set_threads(&threads));
  OK(mt_set_num_threads(4));
  OK(mt_graph_prepare(g, NULL, 0, &p));
  host.running = p;
  OK(mt_prepared_run(p, NULL, 0));
  CHECK(host.calls > 0);
  host.running = NULL;
  OK(mt_prepared_run(p, NULL, 0));
  OK(mt_prepared_output(p, 0, &y));
  CHECK(((float*)mt_tensor_data(y))[999999] == 1);
  OK(mt_set_threads(NULL));
  OK(mt_set_num_threads(before));
  mt_tensor_release(y);
  mt_prepared_free(p);
  mt_graph_free(g);
}

static void refusals_of_preparing(void) {
  static const float ones[4] = {1, 1, 1, 1};
  mt_tensor *x = matrix(2, 2, ones), *row = matrix(1, 3, ones), *meta = NULL;
  mt_graph *g = parsed("graph(x: float32[?, 2], n) { return add(x, n) }", NULL, 0), *empty = NULL, *other;
  mt_value inputs[2];
  mt_prepared* p = NULL;
  const int64_t sizes[2] = {2, 2};
  OK(mt_tensor_create_on("meta", MT_FLOAT32, 2, sizes, &meta));
  OK(mt_graph_create(&empty));
  inputs[0] = inputs[1] = mt_value_tensor(x);
  check_refused(mt_graph_prepare(NULL, inputs, 2, &p), "mt_graph_prepare: graph: NULL, expected an address");
  check_refused(mt_graph_prepare(empty, NULL, 0, &p), "mt_graph_prepare: graph: one that is not finished");
  check_refused(mt_graph_prepare(g, inputs, 2, NULL), "mt_graph_prepare: out: NULL, expected an address");
  check_refused(mt_graph_prepare(g, NULL, 2, &p), "mt_graph_prepare: inputs: NULL, expected an address");
  check_refused(mt_graph_prepare(g, inputs, 1, &p), "mt_graph_prepare: inputs: 1, expected 2, or 0 for none");
  check_refused(mt_graph_prepare(g, inputs, -1, &p), "mt_graph_prepare: inputs: -1, expected 2, or 0 for none");
  check_refused(mt_graph_prepare(g, NULL, 0, &p), "mt_graph_prepare: x: an input of any size, expected a tensor for it");
  inputs[1] = mt_value_none();
  check_refused(mt_graph_prepare(g, inputs, 2, &p), "mt_graph_prepare: n: an input without a type, expected a tensor for it");
  inputs[1] = mt_value_number(1);
  check_refused(mt_graph_prepare(g, inputs, 2, &p), "mt_graph_prepare: n: a value of the kind 2, expected a tensor");
  inputs[1] = mt_value_tensor(NULL);
  check_refused(mt_graph_prepare(g, inputs, 2, &p), "mt_graph_prepare: n: NULL, expected a tensor");
  inputs[1] = mt_value_tensor(meta);
  check_refused(mt_graph_prepare(g, inputs, 2, &p), "mt_graph_prepare: n: a tensor on meta, expected one on the CPU");
  inputs[0] = mt_value_tensor(row);
  inputs[1] = mt_value_tensor(x);
  check_refused(mt_graph_prepare(g, inputs, 2, &p), "mt_graph_prepare: x: torch.FloatTensor [1, 3], expected torch.FloatTensor [any, 2]");
  inputs[0] = mt_value_tensor(x);
  inputs[1] = mt_value_tensor(row);
  check_refused(mt_graph_prepare(g, inputs, 2, &p), "add: y: [1, 3]");
  mt_graph_free(g);

  g = parsed("graph(x) { y = uniform(0, 1) into float32[2, 2] return add(x, y) }", NULL, 0);
  CHECK(mt_graph_prepare(g, inputs, 1, &p) == MT_ERR_UNSUPPORTED);
  check_refused(mt_graph_prepare(g, inputs, 1, &p),
                "graph: step 1: prepare: it draws random numbers, expected a step that can be repeated");
  mt_graph_free(g);
  other = parsed("graph(x: float32[2, 2]) { y = add(x, 1) update x = y return y }", NULL, 0);
  CHECK(mt_graph_prepare(other, inputs, 1, &p) == MT_ERR_UNSUPPORTED);
  check_refused(mt_graph_prepare(other, inputs, 1, &p),
                "mt_graph_prepare: x: an input that the graph writes, expected writes to constants alone");
  CHECK(p == NULL);
  check_values(x, 4, ones);
  mt_graph_free(other);
  mt_graph_free(empty);
  mt_tensor_release(x);
  mt_tensor_release(row);
  mt_tensor_release(meta);
}

static void refusals_of_runs(void) {
  static const float ones[4] = {1, 1, 1, 1}, twos[4] = {2, 2, 2, 2};
  mt_tensor *x = matrix(2, 2, ones), *second = matrix(2, 2, twos), *row = matrix(1, 4, ones), *doubles = NULL, *meta = NULL, *y = NULL;
  mt_tensor* untouched = NULL;
  mt_graph* g = NULL;
  mt_value inputs[2];
  mt_prepared *p = NULL, *clone = NULL;
  mt_ref in_first, in_second, sum;
  const int64_t sizes[2] = {2, 2};
  OK(mt_tensor_create(MT_FLOAT64, 2, sizes, &doubles));
  OK(mt_tensor_create_on("meta", MT_FLOAT32, 2, sizes, &meta));
  OK(mt_graph_create(&g)); /* its first input has no name */
  OK(mt_graph_input(g, NULL, MT_FLOAT32, 2, sizes, &in_first));
  OK(mt_graph_input(g, "n", MT_FLOAT32, 2, sizes, &in_second));
  inputs[0] = mt_value_ref(in_first);
  inputs[1] = mt_value_ref(in_second);
  OK(mt_graph_step(g, "add", inputs, 2, NULL, 0, NULL, 1, &sum));
  OK(mt_graph_output(g, sum));
  OK(mt_graph_finish(g));
  inputs[0] = inputs[1] = mt_value_tensor(x);
  OK(mt_graph_prepare(g, inputs, 2, &p));
  mt_graph_free(g);
  OK(mt_prepared_output(p, 0, &y));
  OK(mt_prepared_run(p, inputs, 2));
  check_values(y, 4, twos);

  inputs[0] = mt_value_tensor(second);
  check_refused(mt_prepared_run(NULL, inputs, 2), "mt_prepared_run: prepared: NULL, expected an address");
  check_refused(mt_prepared_run(p, NULL, 2), "mt_prepared_run: inputs: NULL, expected an address");
  check_refused(mt_prepared_run(p, inputs, 1), "mt_prepared_run: inputs: 1, expected 2, or 0 for none");
  check_refused(mt_prepared_run(p, inputs, -2), "mt_prepared_run: inputs: -2, expected 2, or 0 for none");
  inputs[1] = mt_value_tensor(row);
  CHECK(mt_prepared_run(p, inputs, 2) == MT_ERR_SHAPE);
  check_refused(mt_prepared_run(p, inputs, 2),
                "mt_prepared_run: n: torch.FloatTensor [1, 4], expected torch.FloatTensor [2, 2], for which the run was prepared");
  inputs[1] = mt_value_tensor(meta);
  check_refused(mt_prepared_run(p, inputs, 2), "mt_prepared_run: n: a tensor on meta, expected one on the CPU");
  inputs[1] = mt_value_string("x", 1);
  check_refused(mt_prepared_run(p, inputs, 2), "mt_prepared_run: n: a value of the kind 64, expected a tensor");
  inputs[1] = mt_value_tensor(NULL);
  check_refused(mt_prepared_run(p, inputs, 2), "mt_prepared_run: n: NULL, expected a tensor");
  inputs[0] = mt_value_tensor(doubles);
  check_refused(mt_prepared_run(p, inputs, 2), "mt_prepared_run: n: NULL, expected a tensor");
  inputs[1] = mt_value_none();
  check_refused(mt_prepared_run(p, inputs, 2), "mt_prepared_run: input1: torch.DoubleTensor [2, 2], expected torch.FloatTensor [2, 2]");

  check_refused(mt_prepared_input(NULL, 0, &untouched), "mt_prepared_input: prepared: NULL, expected an address");
  check_refused(mt_prepared_input(p, 0, NULL), "mt_prepared_input: out: NULL, expected an address");
  check_refused(mt_prepared_input(p, 2, &untouched), "mt_prepared_input: input: 2, expected less than 2");
  check_refused(mt_prepared_input(p, -1, &untouched), "mt_prepared_input: input: -1, expected less than 2");
  check_refused(mt_prepared_output(NULL, 0, &untouched), "mt_prepared_output: prepared: NULL, expected an address");
  check_refused(mt_prepared_output(p, 1, &untouched), "mt_prepared_output: output: 1, expected less than 1");
  check_refused(mt_prepared_output(p, 0, NULL), "mt_prepared_output: out: NULL, expected an address");
  check_refused(mt_prepared_clone(NULL, &clone), "mt_prepared_clone: prepared: NULL, expected an address");
  check_refused(mt_prepared_clone(p, NULL), "mt_prepared_clone: out: NULL, expected an address");
  CHECK(untouched == NULL && clone == NULL);

  check_values(y, 4, twos);
  OK(mt_prepared_run(p, NULL, 0)); /* no error copied an input */
  check_values(y, 4, twos);
  mt_tensor_release(x);
  mt_tensor_release(second);
  mt_tensor_release(row);
  mt_tensor_release(doubles);
  mt_tensor_release(meta);
  mt_tensor_release(y);
  mt_prepared_free(p);
}

/* Every allocation of preparing and cloning may fail; nothing leaks. */
static void failing_allocations(void) {
  mt_graph* g = network();
  mt_prepared *p = NULL, *clone = NULL;
  int64_t n, before;
  OK(mt_graph_prepare(g, NULL, 0, &p)); /* fills caches */
  mt_prepared_free(p);
  p = NULL;
  before = live_bytes();
  for (n = 1;; ++n) {
    mt_status status;
    CHECK(n < 1000);
    mt_fail_allocations_after(n);
    status = mt_graph_prepare(g, NULL, 0, &p);
    if (status == MT_OK) status = mt_prepared_clone(p, &clone);
    mt_fail_allocations_after(0);
    if (status == MT_OK) break;
    CHECK(status == MT_ERR_MEMORY && clone == NULL);
    mt_prepared_free(p);
    p = NULL;
    CHECK(live_bytes() == before);
  }
  CHECK(n > 10);
  mt_prepared_free(p);
  mt_prepared_free(clone);
  CHECK(live_bytes() == before);
  mt_graph_free(g);
}

int main(void) {
  int i;
  draw_layers();
  memory_of_runs();
  allocation_of_runs();
  passes();
  recurrence();
  updates();
  clones_in_threads();
  one_run_at_a_time();
  refusals_of_preparing();
  refusals_of_runs();
  failing_allocations();
  for (i = 0; i < 3; ++i) mt_tensor_release(layers[i]);
  CHECK(live_bytes() == 0);
  return 0;
}
