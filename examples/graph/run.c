/* Runs a file of a graph (th --export, g:save) without Lua: reads the elements of its input from the standard input, as numbers between
 * blanks, and prints those of its first output.
 *
 *     cc -std=c99 run.c -lmoontorch -o run && ./run net.mtg < numbers */
#include <moontorch/moontorch.h>
#include <stdio.h>

static int failed(const char* place) { return fprintf(stderr, "run: %s: %s\n", place, mt_error_message()), 1; }

static int run(const mt_graph* g) {
  mt_tensor *x = NULL, *y = NULL;
  int status = 0;
  if (mt_graph_input_count(g) != 1 || mt_graph_input_dtype(g, 0) != MT_FLOAT32 || mt_graph_output_dtype(g, 0) != MT_FLOAT32)
    return fprintf(stderr, "run: another graph, expected one with a float32 input and output\n"), 1;
  if (mt_tensor_create(MT_FLOAT32, mt_graph_input_ndim(g, 0), mt_graph_input_sizes(g, 0), &x) != MT_OK) return failed("input");
  float* const elements = mt_tensor_data(x);
  for (int64_t i = 0; i < mt_tensor_count(x) && status == 0; ++i)
    if (scanf("%f", &elements[i]) != 1) status = (fprintf(stderr, "run: too few numbers\n"), 1);
  const mt_value input = mt_value_tensor(x);
  if (status == 0 && mt_graph_run(g, &input, 1, 1, &y) != MT_OK) status = failed("graph");
  const mt_value output = mt_value_tensor(y);
  mt_tensor* z = NULL;
  if (status == 0 && mt_call("contiguous", &output, 1, 1, &z) != MT_OK) status = failed("output");
  for (int64_t i = 0; i < mt_tensor_count(z); ++i) printf("%.6g\n", ((const float*)mt_tensor_data(z))[i]);
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_tensor_release(z);
  return status;
}

int main(int argc, char** argv) {
  mt_graph* g = NULL;
  if (argc != 2) return fprintf(stderr, "usage: run FILE.mtg < NUMBERS\n"), 2;
  if (mt_graph_load(argv[1], &g) != MT_OK) return failed("file");
  const int status = run(g);
  mt_graph_free(g);
  return status;
}
