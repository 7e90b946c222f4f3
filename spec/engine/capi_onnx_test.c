/* ONNX models of the C interface: loaded from bytes and files, inspected, run, as graphs and prepared; errors name the function and change
 * nothing, also for files cut anywhere. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check_graphs.h"
#include "spec/engine/onnx_bytes.h"

enum { FLOAT = 1, INT64 = 7, BOOLEAN = 9 };

static const int64_t n_by_2[2] = {-1, 2}, two[1] = {2};
static const float c[2] = {1, -1};

/* y = relu(x + c), and c itself. */
static bytes sum_model(void) {
  bytes graph = {0, {0}};
  add_node(&graph, "Add", "x c", "s", NULL);
  add_node(&graph, "Relu", "s", "y", NULL);
  add_tensor(&graph, 5, "c", FLOAT, 1, two, c, sizeof c);
  add_value(&graph, 11, "x", FLOAT, 2, n_by_2);
  add_value(&graph, 12, "y", FLOAT, 2, n_by_2);
  add_value(&graph, 12, "c", FLOAT, 1, two);
  return model_of(&graph);
}

/* y = flag ? x + x : -x. */
static bytes branch_model(void) {
  bytes graph = {0, {0}}, yes = {0, {0}}, no = {0, {0}}, bodies = {0, {0}};
  add_node(&yes, "Add", "x x", "twice", NULL);
  add_value(&yes, 12, "twice", FLOAT, 2, n_by_2);
  add_node(&no, "Neg", "x", "minus", NULL);
  add_value(&no, 12, "minus", FLOAT, 2, n_by_2);
  add_body(&bodies, "then_branch", &yes);
  add_body(&bodies, "else_branch", &no);
  add_node(&graph, "If", "flag:0", "y", &bodies);
  add_value(&graph, 11, "flag:0", BOOLEAN, 0, NULL);
  add_value(&graph, 11, "x", FLOAT, 2, n_by_2);
  add_value(&graph, 12, "y", FLOAT, 2, n_by_2);
  return model_of(&graph);
}

static mt_onnx* read_model(const bytes* model) {
  mt_onnx* m = NULL;
  OK(mt_onnx_read(model->data, model->count, &m));
  return m;
}

static mt_named_value named(const char* name, mt_tensor* x) {
  mt_named_value value;
  value.name = name;
  value.value = mt_value_tensor(x);
  return value;
}

static mt_tensor* boolean(int value) {
  const int64_t one[1] = {1};
  const unsigned char element = value != 0;
  mt_tensor* x = NULL;
  OK(mt_tensor_create(MT_BOOL, 1, one, &x));
  OK(mt_tensor_write(x, 1, &element));
  return x;
}

static void properties(void) {
  bytes model = sum_model(), entry = {0, {0}};
  mt_onnx* m;
  add_text(&entry, 1, "labels");
  add_text(&entry, 2, "cat\ndog");
  add_message(&model, 14, &entry);
  m = read_model(&model);
  CHECK(strcmp(mt_onnx_metadata(m, "labels"), "cat\ndog") == 0 && mt_onnx_metadata(m, "label") == NULL);
  CHECK(mt_onnx_metadata(NULL, "labels") == NULL && mt_onnx_metadata(m, NULL) == NULL);
  CHECK(mt_onnx_input_count(m) == 1 && mt_onnx_required_count(m) == 1 && strcmp(mt_onnx_input_name(m, 0), "x") == 0);
  CHECK(mt_onnx_input_dtype(m, 0) == MT_FLOAT32 && mt_onnx_input_ndim(m, 0) == 2);
  CHECK(mt_onnx_input_sizes(m, 0)[0] == -1 && mt_onnx_input_sizes(m, 0)[1] == 2);
  CHECK(mt_onnx_output_count(m) == 2 && strcmp(mt_onnx_output_name(m, 1), "c") == 0);
  CHECK(mt_onnx_output_dtype(m, 1) == MT_FLOAT32 && mt_onnx_output_ndim(m, 1) == 1 && mt_onnx_output_sizes(m, 1)[0] == 2);
  CHECK(mt_onnx_input_name(m, 1) == NULL && mt_onnx_input_name(m, -1) == NULL && mt_onnx_output_dtype(m, 2) == -1);
  CHECK(mt_onnx_input_count(NULL) == 0 && mt_onnx_required_count(NULL) == 0 && mt_onnx_output_ndim(NULL, 0) == -1);
  CHECK(mt_onnx_output_sizes(NULL, 0) == NULL);
  mt_onnx_free(m);
  mt_onnx_free(NULL);
}

static void runs(void) {
  static const float x_values[6] = {1, 2, -3, 4, 5, 0}, sums[6] = {2, 1, 0, 3, 6, 0};
  const bytes model = sum_model();
  mt_onnx* m = read_model(&model);
  mt_tensor *x = matrix(3, 2, x_values), *first = matrix(1, 2, x_values), *y[2] = {NULL, NULL};
  mt_named_value input = named("x", x);
  int i;
  for (i = 0; i < 5; ++i) { /* the second run captures a graph, the third prepares it, the fourth writes into the tensors of before */
    if (i == 1 || i == 2) {
      mt_tensor_release(y[0]);
      mt_tensor_release(y[1]);
      y[0] = y[1] = NULL;
    }
    OK(mt_onnx_run(m, &input, 1, 2, y));
    check_values(y[0], 6, sums);
    check_values(y[1], 2, c);
    OK(mt_tensor_write(y[1], sizeof c, sums)); /* the model has its own c */
  }
  input = named("x", first); /* other sizes */
  check_refused(mt_onnx_run(m, &input, 1, 1, y), "mt_onnx_run: output 1: torch.FloatTensor [3, 2], expected torch.FloatTensor [1, 2]");
  mt_tensor_release(y[0]);
  y[0] = NULL;
  OK(mt_onnx_run(m, &input, 1, 1, y));
  check_values(y[0], 2, sums);
  for (i = 0; i < 2; ++i) mt_tensor_release(y[i]);
  mt_tensor_release(x);
  mt_tensor_release(first);
  mt_onnx_free(m);
}

/* More sizes than are prepared, in turns and one for a long time; then the others again. */
static void many_sizes(void) {
  const bytes model = sum_model();
  mt_onnx* m = read_model(&model);
  mt_tensor* x[7];
  int64_t rows;
  int i, k;
  for (rows = 1; rows <= 7; ++rows) {
    float values[14];
    for (k = 0; k < 2 * rows; ++k) values[k] = (float)(k - rows);
    x[rows - 1] = matrix(rows, 2, values);
  }
  for (i = 0; i < 120; ++i) {
    float sums[14];
    mt_tensor* y = NULL;
    const int at = i < 35 || i >= 106 ? i % 7 : 6;
    const mt_named_value input = named("x", x[at]);
    for (k = 0; k < 2 * (at + 1); ++k) {
      const float sum = (float)(k - at - 1) + c[k % 2];
      sums[k] = sum > 0 ? sum : 0;
    }
    OK(mt_onnx_run(m, &input, 1, 1, &y));
    check_values(y, 2 * (at + 1), sums);
    mt_tensor_release(y);
  }
  for (rows = 1; rows <= 7; ++rows) mt_tensor_release(x[rows - 1]);
  mt_onnx_free(m);
}

/* y = c[i]: wrong positions are errors of the node in all runs, and the next run works. */
static void errors_of_later_runs(void) {
  static const int64_t wanted[2] = {1, 0}, wrong[2] = {0, 2}, any[1] = {-1};
  static const float values[2] = {-1, 1};
  bytes graph = {0, {0}}, model;
  mt_onnx* m;
  mt_tensor *positions = NULL, *y = NULL;
  mt_named_value input;
  int i;
  add_node(&graph, "Gather", "c i", "y", NULL);
  add_tensor(&graph, 5, "c", FLOAT, 1, two, c, sizeof c);
  add_value(&graph, 11, "i", INT64, 1, any);
  add_value(&graph, 12, "y", FLOAT, 1, any);
  model = model_of(&graph);
  m = read_model(&model);
  OK(mt_tensor_create(MT_INT64, 1, two, &positions));
  input = named("i", positions);
  for (i = 0; i < 5; ++i) {
    OK(mt_tensor_write(positions, sizeof wrong, wrong));
    CHECK(mt_onnx_run(m, &input, 1, 1, &y) == MT_ERR_RANGE && strstr(mt_error_message(), "position 3, expected 1..2") != NULL);
    OK(mt_tensor_write(positions, sizeof wanted, wanted));
    OK(mt_onnx_run(m, &input, 1, 1, &y));
    check_values(y, 2, values);
  }
  mt_tensor_release(positions);
  mt_tensor_release(y);
  mt_onnx_free(m);
}

/* y = x + random numbers, other ones in each run. */
static void random_numbers(void) {
  static const float zeros[2] = {0, 0};
  bytes graph = {0, {0}}, model;
  mt_onnx* m;
  mt_tensor *x = matrix(1, 2, zeros), *y = NULL;
  const mt_named_value input = named("x", x);
  float before[2] = {0, 0};
  int i;
  add_node(&graph, "RandomUniformLike", "x", "r", NULL);
  add_node(&graph, "Add", "x r", "y", NULL);
  add_value(&graph, 11, "x", FLOAT, 2, n_by_2);
  add_value(&graph, 12, "y", FLOAT, 2, n_by_2);
  model = model_of(&graph);
  m = read_model(&model);
  for (i = 0; i < 6; ++i) {
    float now[2];
    OK(mt_onnx_run(m, &input, 1, 1, &y));
    OK(mt_tensor_read(y, sizeof now, now));
    CHECK(now[0] != before[0] && now[1] != before[1]);
    memcpy(before, now, sizeof now);
  }
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_onnx_free(m);
}

static void branches(void) {
  static const float points[4] = {1, 2, 3, -4}, twice[4] = {2, 4, 6, -8}, minus[4] = {-1, -2, -3, 4};
  const bytes model = branch_model();
  mt_onnx* m = read_model(&model);
  mt_tensor *x = matrix(2, 2, points), *yes = boolean(1), *no = boolean(0), *y = NULL;
  mt_named_value inputs[2];
  mt_graph* g = NULL;
  mt_prepared* p = NULL;
  mt_value value = mt_value_tensor(x);
  int i;
  CHECK(mt_onnx_input_dtype(m, 0) == MT_BOOL && mt_onnx_input_ndim(m, 0) == 0);
  inputs[1] = named("x", x);
  for (i = 0; i < 6; ++i) { /* a graph for each branch, of which the last that was valid is tried first */
    inputs[0] = named("flag:0", i % 3 == 0 ? yes : no);
    OK(mt_onnx_run(m, inputs, 2, 1, &y));
    check_values(y, 4, i % 3 == 0 ? twice : minus);
  }
  inputs[0] = named("flag:0", no);
  check_refused(mt_onnx_graph(m, inputs, 2, NULL, 0, &g), "onnx: If (y): ");
  CHECK(g == NULL);
  OK(mt_onnx_graph(m, inputs + 1, 1, inputs, 1, &g));
  CHECK(mt_graph_input_count(g) == 1 && strcmp(mt_graph_input_name(g, 0), "x") == 0);
  OK(mt_onnx_prepare(m, inputs + 1, 1, inputs, 1, &p));
  mt_onnx_free(m); /* both stay valid */
  OK(mt_graph_run(g, &value, 1, 1, &y));
  check_values(y, 4, minus);
  mt_tensor_release(y);
  OK(mt_prepared_output(p, 0, &y));
  OK(mt_prepared_run(p, NULL, 0)); /* with the elements of x */
  check_values(y, 4, minus);
  mt_prepared_free(p);
  mt_graph_free(g);
  mt_tensor_release(x);
  mt_tensor_release(yes);
  mt_tensor_release(no);
  mt_tensor_release(y);
}

static void refusals(void) {
  const float points[4] = {1, 2, 3, 4};
  const bytes model = sum_model();
  bytes strange = {0, {0}}, graph = {0, {0}};
  mt_onnx *m = read_model(&model), *none = NULL;
  mt_tensor *x = matrix(2, 2, points), *wide = matrix(1, 4, points), *y[3] = {NULL, NULL, NULL};
  mt_tensor* list[1] = {x};
  mt_named_value inputs[2];
  mt_graph* g = NULL;
  inputs[0] = named("x", wide);
  check_refused(mt_onnx_run(m, inputs, 1, 1, y), "mt_onnx_run: x: torch.FloatTensor [1, 4], expected torch.FloatTensor [any, 2]");
  inputs[0] = named("z", x);
  check_refused(mt_onnx_run(m, inputs, 1, 1, y), "mt_onnx_run: inputs: one called z, expected x");
  check_refused(mt_onnx_run(m, inputs, 0, 1, y), "mt_onnx_run: x: nothing, expected torch.FloatTensor [any, 2]");
  inputs[0] = inputs[1] = named("x", x);
  check_refused(mt_onnx_run(m, inputs, 2, 1, y), "mt_onnx_run: x: twice, expected once");
  check_refused(mt_onnx_run(m, inputs, 1, 3, y), "mt_onnx_run: outputs: 3, expected 0..2");
  check_refused(mt_onnx_run(m, inputs, 1, 1, NULL), "mt_onnx_run: outputs: NULL");
  check_refused(mt_onnx_run(m, NULL, 1, 1, y), "mt_onnx_run: inputs: NULL");
  check_refused(mt_onnx_run(NULL, inputs, 1, 1, y), "mt_onnx_run: model: NULL");
  check_refused(mt_onnx_graph(m, inputs, 1, inputs + 1, 1, &g), "mt_onnx_graph: x: an input that is also a constant, expected one of both");
  inputs[0].value = mt_value_tensors(list, 1);
  check_refused(mt_onnx_run(m, inputs, 1, 1, y), "mt_onnx_run: x: a value of the kind 256, expected a tensor");
  inputs[0].value = mt_value_tensor(NULL);
  check_refused(mt_onnx_run(m, inputs, 1, 1, y), "mt_onnx_run: x: NULL");
  CHECK(mt_onnx_load("/no/such.onnx", &none) == MT_ERR_FILE && strstr(mt_error_message(), "mt_onnx_load: /no/such.onnx: ") != NULL);
  check_refused(mt_onnx_read(NULL, 3, &none), "mt_onnx_read: data: NULL");
  check_refused(mt_onnx_read("no model", 8, &none), "mt_onnx_read: data: damaged data");
  add_node(&graph, "Frob", "", "y", NULL);
  strange = model_of(&graph);
  CHECK(mt_onnx_read(strange.data, strange.count, &none) == MT_ERR_UNSUPPORTED);
  CHECK(strstr(mt_error_message(), "nodes with unknown ops: Frob") != NULL && none == NULL && y[0] == NULL && g == NULL);
  mt_tensor_release(x);
  mt_tensor_release(wide);
  mt_onnx_free(m);
}

/* Every beginning of a model, and every byte replaced, gives a model or one error; bytes behind its end are not read. */
static void hostile(void) {
  const float points[4] = {1, 2, 3, 4};
  const bytes models[2] = {sum_model(), branch_model()};
  mt_tensor *x = matrix(2, 2, points), *flag = boolean(1);
  int k;
  for (k = 0; k < 2; ++k) {
    size_t at;
    for (at = 0; at < 3 * models[k].count; ++at) {
      const size_t count = at < models[k].count ? at : models[k].count;
      unsigned char* const data = malloc(count + 1);
      mt_onnx* m = NULL;
      mt_status status;
      CHECK(data != NULL);
      memcpy(data, models[k].data, count);
      if (at >= models[k].count) data[at % models[k].count] ^= at < 2 * models[k].count ? 255 : 1;
      status = mt_onnx_read(data, count, &m);
      CHECK(status != MT_ERR_INTERNAL && (status == MT_OK) == (m != NULL));
      if (m != NULL) {
        const mt_named_value inputs[2] = {named("x", x), named("flag:0", flag)};
        mt_tensor* y = NULL;
        int i;
        for (i = 0; i < 2 && mt_onnx_output_count(m) > 0; ++i) status = mt_onnx_run(m, inputs, 1 + (mt_onnx_input_count(m) > 1), 1, &y);
        CHECK(status != MT_ERR_INTERNAL);
        mt_tensor_release(y);
      }
      mt_onnx_free(m);
      free(data);
    }
  }
  mt_tensor_release(x);
  mt_tensor_release(flag);
}

/* Failed allocations are errors without leaks, and the model works on. */
static void memory(void) {
  static const float x_values[2] = {1, 2}, sums[2] = {2, 1};
  const bytes model = sum_model();
  mt_tensor* x = matrix(1, 2, x_values);
  const mt_named_value input = named("x", x);
  mt_memory before = {sizeof before, 0, 0, 0}, after = {sizeof after, 0, 0, 0};
  int64_t n;
  int succeeded = 0;
  OK(mt_memory_read(&before));
  for (n = 1; !succeeded; ++n) {
    mt_onnx* m = NULL;
    mt_tensor* y = NULL;
    int i;
    CHECK(n < 1000);
    mt_fail_allocations_after(n);
    if (mt_onnx_read(model.data, model.count, &m) == MT_OK) {
      for (succeeded = 1, i = 0; succeeded && i < 3; ++i) succeeded = mt_onnx_run(m, &input, 1, 1, &y) == MT_OK;
    }
    CHECK(succeeded || strstr(mt_error_message(), "out of memory") != NULL);
    mt_fail_allocations_after(0);
    if (m != NULL) {
      OK(mt_onnx_run(m, &input, 1, 1, &y));
      check_values(y, 2, sums);
    }
    mt_tensor_release(y);
    mt_onnx_free(m);
    OK(mt_memory_read(&after));
    CHECK(after.live_bytes == before.live_bytes);
  }
  CHECK(n > 3);
  mt_tensor_release(x);
}

/* Threads run one model with different sizes, so that each captures, and uses the graphs of others. */
static mt_onnx* shared_model;

static void* run_often(void* argument) {
  const int64_t rows = 1 + (int64_t)(intptr_t)argument % 3;
  const float x_values[6] = {1, 2, 1, 2, 1, 2}, sums[6] = {2, 1, 2, 1, 2, 1};
  mt_tensor *x = matrix(rows, 2, x_values), *y = NULL;
  const mt_named_value input = named("x", x);
  int i;
  for (i = 0; i < 200; ++i) {
    OK(mt_onnx_run(shared_model, &input, 1, 1, &y));
    check_values(y, 2 * rows, sums);
  }
  mt_tensor_release(x);
  mt_tensor_release(y);
  return NULL;
}

static void threads(void) {
  const bytes model = sum_model();
  pthread_t started[4];
  int i;
  shared_model = read_model(&model);
  for (i = 0; i < 4; ++i) CHECK(pthread_create(&started[i], NULL, run_often, (void*)(intptr_t)i) == 0);
  for (i = 0; i < 4; ++i) CHECK(pthread_join(started[i], NULL) == 0);
  mt_onnx_free(shared_model);
}

static void files(void) {
  static const float x_values[2] = {1, 2}, sums[2] = {2, 1};
  const bytes model = sum_model();
  char path[] = "/tmp/moontorch_onnx_XXXXXX";
  const int descriptor = mkstemp(path);
  mt_onnx* m = NULL;
  mt_tensor *x = matrix(1, 2, x_values), *y = NULL;
  const mt_named_value input = named("x", x);
  CHECK(descriptor >= 0 && write(descriptor, model.data, model.count) == (ssize_t)model.count && close(descriptor) == 0);
  OK(mt_onnx_load(path, &m));
  OK(mt_onnx_run(m, &input, 1, 1, &y));
  check_values(y, 2, sums);
  CHECK(strcmp(mt_onnx_input_name(m, 0), "x") == 0);
  CHECK(unlink(path) == 0);
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_onnx_free(m);
}

int main(void) {
  properties();
  runs();
  many_sizes();
  errors_of_later_runs();
  random_numbers();
  branches();
  refusals();
  hostile();
  memory();
  threads();
  files();
  return 0;
}
