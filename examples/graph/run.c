/* Runs a file of a graph (th --export, g:save) without Lua: reads the elements of its input from the standard input, as numbers between
 * blanks, and prints those of its first output; then the next input, until the numbers end. The runs are prepared: they allocate nothing.
 *
 *     cc -std=c99 run.c -lmoontorch -o run && ./run net.mtg < numbers */
#include <moontorch/moontorch.h>
#include <stdio.h>

static int failed(const char* place) { return fprintf(stderr, "run: %s: %s\n", place, mt_error_message()), 1; }
static int other(const char* expected) { return fprintf(stderr, "run: another graph, expected %s\n", expected), 1; }

static int run(mt_prepared* p, mt_tensor* x, mt_tensor* y) {
  float *const from = mt_tensor_data(x), *const to = mt_tensor_data(y); /* the same memory in each run */
  int64_t read = 0, runs = 0;
  if (mt_tensor_dtype(x) != MT_FLOAT32 || mt_tensor_dtype(y) != MT_FLOAT32) return other("a float32 input and output");
  if (mt_tensor_count(x) == 0 || !mt_tensor_is_contiguous(y)) return other("an input with elements and a contiguous output");
  for (float number; scanf("%f", &number) == 1;) {
    from[read++] = number;
    if (read < mt_tensor_count(x)) continue;
    if (mt_prepared_run(p, NULL, 0) != MT_OK) return failed("graph");
    for (int64_t i = 0; i < mt_tensor_count(y); ++i) printf("%.6g\n", to[i]);
    read = 0, ++runs;
  }
  return read > 0 || runs == 0 ? (fprintf(stderr, "run: too few numbers\n"), 1) : 0;
}

int main(int argc, char** argv) {
  mt_graph* g = NULL;
  mt_prepared* p = NULL;
  mt_tensor *x = NULL, *y = NULL;
  if (argc != 2) return fprintf(stderr, "usage: run FILE.mtg < NUMBERS\n"), 2;
  if (mt_graph_load(argv[1], &g) != MT_OK) return failed("file");
  const int is_ready =
      mt_graph_prepare(g, NULL, 0, &p) == MT_OK && mt_prepared_input(p, 0, &x) == MT_OK && mt_prepared_output(p, 0, &y) == MT_OK;
  const int status = !is_ready ? failed("graph") : mt_graph_input_count(g) == 1 ? run(p, x, y) : other("one input");
  mt_graph_free(g);
  mt_prepared_free(p);
  mt_tensor_release(x);
  mt_tensor_release(y);
  return status;
}
