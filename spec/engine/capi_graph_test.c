/* Graphs of the C interface: built, parsed, inspected, saved, loaded and run; errors name the function, and change nothing. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check_graphs.h"

static const float weights[4] = {1, 2, 3, 4}, points[4] = {1, 0, 0, 1}, expected[2] = {3, 7};

/* The row sums of x * weight, as a graph: relu(sum(x w, 1)). */
static mt_graph* built(const mt_tensor* w) {
  const int64_t sizes[2] = {-1, 2};
  mt_graph* g = NULL;
  mt_ref x, c, product, sums, result;
  mt_value args[2];
  mt_named_value dim;
  OK(mt_graph_create(&g));
  OK(mt_graph_input(g, "x", MT_FLOAT32, 2, sizes, &x));
  OK(mt_graph_constant(g, "weight", w, &c));
  args[0] = mt_value_ref(x);
  args[1] = mt_value_ref(c);
  OK(mt_graph_step(g, "mm", args, 2, NULL, 0, "model.c:1", 1, &product));
  args[0] = mt_value_ref(product);
  dim.name = "dim";
  dim.value = mt_value_integer(1);
  OK(mt_graph_step(g, "sum", args, 1, &dim, 1, NULL, 1, &sums));
  args[0] = mt_value_ref(sums);
  OK(mt_graph_step(g, "relu", args, 1, NULL, 0, NULL, 1, &result));
  OK(mt_graph_output(g, result));
  return g;
}

static void check_run(const mt_graph* g, mt_tensor* x) {
  const mt_value input = mt_value_tensor(x);
  mt_tensor* y = NULL;
  OK(mt_graph_run(g, &input, 1, 1, &y));
  check_values(y, 2, expected);
  OK(mt_tensor_write(y, sizeof points / 2, points));
  OK(mt_graph_run(g, &input, 1, 1, &y)); /* into the tensor of before */
  check_values(y, 2, expected);
  mt_tensor_release(y);
}

static void building(void) {
  mt_tensor *w = matrix(2, 2, weights), *x = matrix(2, 2, points), *constant = NULL;
  mt_graph *g = built(w), *parsed = NULL;
  mt_named_value named;
  mt_value input = mt_value_tensor(x);
  mt_tensor* y = NULL;
  char text[512];
  size_t length = 0;
  mt_ref ref;
  check_refused(mt_graph_run(g, &input, 1, 1, &y), "mt_graph_run: graph: one that is not finished, expected mt_graph_finish before");
  OK(mt_graph_finish(g));
  check_refused(mt_graph_finish(g), "mt_graph_finish: graph: one that is finished, expected one that can be changed");
  check_refused(mt_graph_constant(g, "c", w, &ref), "mt_graph_constant: graph: one that is finished");
  check_run(g, x);

  CHECK(mt_graph_input_count(g) == 1 && strcmp(mt_graph_input_name(g, 0), "x") == 0 && mt_graph_input_name(g, 1) == NULL);
  CHECK(mt_graph_input_dtype(g, 0) == MT_FLOAT32 && mt_graph_input_ndim(g, 0) == 2 && mt_graph_input_sizes(g, 0)[0] == -1);
  CHECK(mt_graph_output_count(g) == 1 && mt_graph_output_dtype(g, 0) == -1 && mt_graph_output_sizes(g, 0) == NULL);
  CHECK(mt_graph_constant_count(g) == 1 && strcmp(mt_graph_constant_name(g, 0), "weight") == 0);
  CHECK(mt_graph_step_count(g) == 3 && strcmp(mt_graph_step_op(g, 1), "sum") == 0 && mt_graph_step_op(g, -1) == NULL);
  CHECK(strcmp(mt_graph_step_origin(g, 0), "model.c:1") == 0 && strcmp(mt_graph_step_origin(g, 1), "") == 0);
  CHECK(mt_graph_input_count(NULL) == 0 && mt_graph_input_ndim(NULL, 0) == -1 && mt_graph_step_origin(NULL, 0) == NULL);
  OK(mt_graph_constant_tensor(g, 0, &constant));
  CHECK(mt_tensor_data(constant) == mt_tensor_data(w));
  mt_tensor_release(constant);

  OK(mt_graph_text(g, sizeof text, text, &length));
  CHECK(strlen(text) == length);
  CHECK(strcmp(text,
               "graph(x: float32[?, 2]) {\n  constant weight: float32[2, 2]\n  %1 = mm(x, weight)  -- model.c:1\n  %2 = sum(%1, 2)\n"
               "  %3 = relu(%2)\n  return %3\n}\n") == 0);
  named.name = "weight";
  named.value = mt_value_tensor(w);
  OK(mt_graph_parse(text, &named, 1, &parsed));
  check_run(parsed, x);
  CHECK(mt_graph_text(parsed, 6, text, NULL) == MT_OK && strcmp(text, "graph") == 0);

  named.name = "x";
  named.value = input;
  OK(mt_graph_run_named(g, &named, 1, 1, &y));
  check_values(y, 2, expected);
  mt_tensor_release(y);
  mt_graph_free(g);
  mt_graph_free(parsed);
  mt_graph_free(NULL);
  mt_tensor_release(w);
  mt_tensor_release(x);
}

/* The types of outputs, several of them, and updates. */
static void types_and_updates(void) {
  const int64_t sizes[2] = {2, 2};
  mt_tensor *total = matrix(2, 2, points), *x = matrix(2, 2, weights), *outputs[2] = {NULL, NULL};
  const mt_value input = mt_value_tensor(x);
  mt_graph* g = NULL;
  mt_ref in, c, sum[1], parts[2];
  mt_value args[2];
  mt_ref both[2];
  OK(mt_graph_create(&g));
  OK(mt_graph_input(g, NULL, MT_FLOAT32, 2, sizes, &in));
  OK(mt_graph_constant(g, "total", total, &c));
  args[0] = mt_value_ref(in);
  args[1] = mt_value_ref(c);
  OK(mt_graph_step(g, "add", args, 2, NULL, 0, NULL, 1, sum));
  both[0] = sum[0];
  both[1] = in;
  args[0] = mt_value_refs(both, 2);
  args[1] = mt_value_integer(1);
  OK(mt_graph_step(g, "cat", args, 2, NULL, 0, NULL, 1, parts));
  OK(mt_graph_output(g, parts[0]));
  OK(mt_graph_output(g, in));
  check_refused(mt_graph_update(g, sum[0], in), "mt_graph_update: target: a result of a step, expected an input or a constant");
  OK(mt_graph_update(g, c, sum[0]));
  OK(mt_graph_finish(g));
  CHECK(mt_graph_output_dtype(g, 0) == MT_FLOAT32 && mt_graph_output_ndim(g, 0) == 2);
  CHECK(mt_graph_output_sizes(g, 0)[0] == 2 && mt_graph_output_sizes(g, 0)[1] == 4 && mt_graph_output_sizes(g, 1)[1] == 2);
  OK(mt_graph_run(g, &input, 1, 2, outputs));
  {
    const float first[8] = {2, 2, 1, 2, 3, 5, 3, 4}, updated[4] = {2, 2, 3, 5};
    check_values(outputs[0], 8, first);
    check_values(outputs[1], 4, weights);
    check_values(total, 4, updated);
  }
  check_refused(mt_graph_run(g, &input, 1, 1, &total),
                "mt_graph_run: output 1: torch.FloatTensor [2, 2], expected torch.FloatTensor [2, 4]");
  {
    const float updated[4] = {2, 2, 3, 5}; /* a run that fails updates nothing */
    check_values(total, 4, updated);
  }
  mt_tensor_release(outputs[0]);
  mt_tensor_release(outputs[1]);
  mt_tensor_release(total);
  mt_tensor_release(x);
  mt_graph_free(g);
}

static void refusals(void) {
  const int64_t three[2] = {2, 3};
  mt_tensor *w = matrix(2, 2, weights), *x = matrix(2, 2, points), *wide = NULL, *y = NULL;
  mt_graph *g = built(w), *parsed = NULL;
  mt_value inputs[2];
  mt_named_value named[2];
  mt_ref ref = -7;
  OK(mt_tensor_create(MT_FLOAT32, 2, three, &wide));
  check_refused(mt_graph_step(g, "frob", inputs, 0, NULL, 0, NULL, 1, &ref), "mt_graph_step: name: frob, expected the name of an op");
  inputs[0] = mt_value_ref(77);
  check_refused(mt_graph_step(g, "exp", inputs, 1, NULL, 0, NULL, 1, &ref), "mt_graph_step: exp, argument 1: the value 77, expected one");
  inputs[0] = mt_value_tensor(x);
  check_refused(mt_graph_step(g, "exp", inputs, 1, NULL, 0, NULL, 1, &ref), "exp, argument 1: a value of the kind 1, expected a number");
  inputs[0] = mt_value_number(1);
  check_refused(mt_graph_step(g, "mm", inputs, 1, NULL, 0, NULL, 1, &ref), "mm: arguments: (number");
  check_refused(mt_graph_step(g, "exp", inputs, 1, NULL, 0, NULL, 3, &ref), "mt_graph_step: results");
  CHECK(ref == -7);
  OK(mt_graph_input(g, "x", -1, 0, NULL, &ref));
  check_refused(mt_graph_finish(g), "graph: names: x twice, expected different names");
  mt_graph_free(g);
  g = built(w);
  OK(mt_graph_finish(g));

  inputs[0] = mt_value_tensor(wide);
  inputs[1] = inputs[0];
  check_refused(mt_graph_run(g, inputs, 2, 1, &y), "mt_graph_run: inputs: 2, expected 1");
  check_refused(mt_graph_run(g, inputs, 1, 1, &y), "mt_graph_run: x: torch.FloatTensor [2, 3], expected torch.FloatTensor [any, 2]");
  check_refused(mt_graph_run(g, inputs, 1, 2, &y), "mt_graph_run: outputs: 2, expected 0..1");
  inputs[0] = mt_value_number(1);
  check_refused(mt_graph_run(g, inputs, 1, 1, &y), "mt_graph_run: x: number");
  inputs[0] = mt_value_none();
  check_refused(mt_graph_run(g, inputs, 1, 1, &y), "mt_graph_run: x: nothing, expected tensor");
  named[0].name = named[1].name = "x";
  named[0].value = named[1].value = mt_value_tensor(x);
  check_refused(mt_graph_run_named(g, named, 2, 1, &y), "mt_graph_run_named: x: twice, expected once");
  check_refused(mt_graph_run_named(g, named, 0, 1, &y), "mt_graph_run_named: x: nothing, expected tensor");
  named[1].name = "z";
  check_refused(mt_graph_run_named(g, named, 2, 1, &y), "mt_graph_run_named: inputs: one called z, expected x");
  CHECK(y == NULL);

  /* An error of a step names it, and leaves the output as it is. */
  OK(mt_graph_parse("graph(a: tensor, b: tensor) { c = exp(a) d = mm(c, b) return d }", NULL, 0, &parsed));
  inputs[0] = mt_value_tensor(x);
  inputs[1] = mt_value_tensor(wide);
  OK(mt_tensor_clone(x, &y));
  inputs[0] = mt_value_tensor(wide);
  check_refused(mt_graph_run(parsed, inputs, 2, 1, &y), "graph: step 2: mm: ");
  check_values(y, 4, points);
  mt_graph_free(parsed);
  check_refused(mt_graph_parse("graph(x) {\n  y = frob(x)\n}", NULL, 0, &parsed),
                "mt_graph_parse: text: line 2: 'frob(x)', expected an op of the engine");
  check_refused(mt_graph_parse("graph(x) { constant w: float32[3] return w }", named, 1, &parsed), "no tensor w");
  named[0].name = "w";
  check_refused(mt_graph_parse("graph(x) { constant w: float32[3] return w }", named, 1, &parsed),
                "torch.FloatTensor [2, 2] as constant w, expected torch.FloatTensor [3]");
  check_refused(mt_graph_load("/nowhere/net.mtg", &parsed), "mt_graph_load: /nowhere/net.mtg: No such file or directory");
  check_refused(mt_graph_load("/", &parsed), "mt_graph_load: /: ");
  check_refused(mt_graph_save(g, "/nowhere/net.mtg"), "mt_graph_save: /nowhere/net.mtg: No such file or directory");
  check_refused(mt_graph_load(NULL, &parsed), "mt_graph_load: path: NULL");
  check_refused(mt_graph_save(NULL, "x"), "mt_graph_save: graph: NULL");
  check_refused(mt_graph_create(NULL), "mt_graph_create: out: NULL");
  mt_tensor_release(y);
  mt_tensor_release(w);
  mt_tensor_release(x);
  mt_tensor_release(wide);
  mt_graph_free(g);
}

static void* run_often(void* graph) {
  mt_tensor* x = matrix(2, 2, points);
  int i;
  for (i = 0; i < 200; ++i) check_run(graph, x);
  mt_tensor_release(x);
  return NULL;
}

/* A loaded graph runs in several threads at a time. */
static void files_and_threads(void) {
  char path[] = "/tmp/moontorch-graph-XXXXXX";
  mt_tensor *w = matrix(2, 2, weights), *constant = NULL;
  mt_graph *g = built(w), *loaded = NULL;
  pthread_t threads[4];
  char before[512], after[512];
  const int file = mkstemp(path);
  int i;
  CHECK(file >= 0);
  close(file);
  check_refused(mt_graph_save(g, path), "mt_graph_save: graph: one that is not finished");
  OK(mt_graph_finish(g));
  OK(mt_graph_save(g, path));
  OK(mt_graph_load(path, &loaded));
  OK(mt_graph_text(g, sizeof before, before, NULL));
  OK(mt_graph_text(loaded, sizeof after, after, NULL));
  CHECK(strcmp(before, after) == 0);
  OK(mt_graph_constant_tensor(loaded, 0, &constant));
  CHECK((size_t)mt_tensor_data(constant) % 64 == 0);
  for (i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, run_often, loaded) == 0);
  for (i = 0; i < 4; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  OK(mt_graph_save(loaded, path)); /* onto the file that is mapped */
  mt_graph_free(loaded);
  unlink(path);
  check_values(constant, 4, weights); /* the tensor keeps the mapping */
  mt_tensor_release(constant);
  mt_tensor_release(w);
  mt_graph_free(g);
}

/* A graph of one call: op(inputs...). */
static mt_graph* one_step(const char* op, int32_t n_inputs) {
  mt_graph* g = NULL;
  mt_ref input, result;
  mt_value args[2];
  int32_t i;
  OK(mt_graph_create(&g));
  for (i = 0; i < n_inputs; ++i) {
    OK(mt_graph_input(g, NULL, -1, 0, NULL, &input));
    args[i] = mt_value_ref(input);
  }
  OK(mt_graph_step(g, op, args, n_inputs, NULL, 0, NULL, 1, &result));
  OK(mt_graph_output(g, result));
  return g;
}

/* x + x + ..., while it is less than a bound; and sums of rows from the last one on. */
static void control_flow(void) {
  const float one[1] = {1}, sixteen[1] = {16}, rows[4] = {1, 2, 3, 4}, start[2] = {1, 1}, sums[2] = {5, 7}, bounds[1] = {10};
  const mt_graph* bodies[2];
  mt_graph *condition = one_step("lt", 2), *body, *g = NULL, *copy = NULL;
  mt_ref x, bound, state, total;
  mt_value args[4];
  mt_tensor *outputs[1] = {NULL}, *tensors[2];
  char text[2000];
  OK(mt_graph_create(&body));
  OK(mt_graph_input(body, "a", -1, 0, NULL, &x));
  OK(mt_graph_input(body, "b", -1, 0, NULL, &bound));
  args[0] = args[1] = mt_value_ref(x);
  OK(mt_graph_step(body, "add", args, 2, NULL, 0, "model.c:9", 1, &state));
  OK(mt_graph_output(body, state));
  bodies[0] = condition;
  bodies[1] = body;
  OK(mt_graph_create(&g));
  OK(mt_graph_input(g, "x", -1, 0, NULL, &x));
  OK(mt_graph_input(g, "bound", -1, 0, NULL, &bound));
  args[0] = mt_value_refs(&x, 1);
  args[1] = mt_value_refs(&bound, 1);
  check_refused(mt_graph_control(g, "if", args, 2, bodies, 2, NULL, 1, &state), "mt_graph_control: op: if, expected cond, while or scan");
  check_refused(mt_graph_control(g, "while", args, 2, bodies, 1, NULL, 1, &state), "mt_graph_control: bodies: 1, expected 2");
  check_refused(mt_graph_control(g, "while", args, 2, bodies, 2, NULL, 2, &state), "mt_graph_control: results: 2, expected 0..1");
  check_refused(mt_graph_control(g, "while", args, 1, bodies, 2, NULL, 1, &state), "while, condition: 2 inputs, expected 1");
  check_refused(mt_graph_control(g, "while", NULL, 2, bodies, 2, NULL, 1, &state), "mt_graph_control: args: 2 at NULL");
  bodies[1] = NULL;
  check_refused(mt_graph_control(g, "while", args, 2, bodies, 2, NULL, 1, &state), "mt_graph_control: bodies: NULL");
  bodies[1] = body;
  CHECK(mt_graph_step_count(g) == 0);
  OK(mt_graph_control(g, "while", args, 2, bodies, 2, "model.c:5", 1, &state));
  mt_graph_free(condition);
  mt_graph_free(body);
  OK(mt_graph_output(g, state));
  OK(mt_graph_finish(g));
  CHECK(strcmp(mt_graph_step_op(g, 0), "while") == 0);
  OK(mt_graph_text(g, sizeof text, text, NULL));
  OK(mt_graph_parse(text, NULL, 0, &copy));
  tensors[0] = matrix(1, 1, one);
  tensors[1] = matrix(1, 1, bounds);
  args[0] = mt_value_tensor(tensors[0]);
  args[1] = mt_value_tensor(tensors[1]);
  OK(mt_graph_run(copy, args, 2, 1, outputs));
  check_values(outputs[0], 1, sixteen);
  mt_tensor_release(outputs[0]);
  mt_tensor_release(tensors[1]);
  tensors[1] = matrix(1, 2, rows);
  args[1] = mt_value_tensor(tensors[1]);
  outputs[0] = NULL;
  check_refused(mt_graph_run(g, args, 2, 1, outputs), "while: condition: torch.ByteTensor [1, 2], expected one element");
  CHECK(outputs[0] == NULL);
  mt_graph_free(g);
  mt_graph_free(copy);
  mt_tensor_release(tensors[0]);
  mt_tensor_release(tensors[1]);

  body = one_step("add", 2);
  bodies[0] = body;
  OK(mt_graph_create(&g));
  OK(mt_graph_input(g, "x", -1, 0, NULL, &x));
  OK(mt_graph_input(g, "rows", -1, 0, NULL, &bound));
  args[0] = mt_value_refs(&x, 1);
  args[1] = mt_value_refs(&bound, 1);
  args[2] = mt_value_none();
  args[3] = mt_value_boolean(1);
  OK(mt_graph_control(g, "scan", args, 4, bodies, 1, NULL, 1, &total));
  OK(mt_graph_output(g, total));
  OK(mt_graph_finish(g));
  mt_graph_free(body);
  tensors[0] = matrix(1, 2, start);
  tensors[1] = matrix(2, 2, rows);
  args[0] = mt_value_tensor(tensors[0]);
  args[1] = mt_value_tensor(tensors[1]);
  OK(mt_graph_run(g, args, 2, 1, outputs));
  check_values(outputs[0], 2, sums);
  mt_tensor_release(outputs[0]);
  mt_tensor_release(tensors[0]);
  mt_tensor_release(tensors[1]);
  mt_graph_free(g);
}

int main(void) {
  building();
  control_flow();
  types_and_updates();
  refusals();
  files_and_threads();
  return 0;
}
