/* A program that knows no Lua answers with a network that was trained and saved there:
 *
 *     score NETWORK.t7 NUMBER...      one row of input from the arguments
 *     score NETWORK.t7 < ROWS         a row from each line: numbers between blanks or commas
 *
 * Prints a line of outputs for each row. Exits with 0, with 1 where a row could not be answered, with 2 where the call is wrong, and with 3
 * where the network can't be loaded; the standard error says why.
 *
 *     cc -std=c99 score.c -lmoontorch -o score */
#define _POSIX_C_SOURCE 200809L
#include <moontorch/lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOOD = 0, BAD_ROW = 1, BAD_CALL = 2, BAD_NETWORK = 3, MOST_NUMBERS = 1 << 20 };

/* The row that is read next. Its memory is the host's: the network reads it where it lies. */
typedef struct Row {
  float* numbers;
  int64_t count, room;
} Row;

/* A network's message names its modules, one a line, and ends in Lua's stack, which is nothing for a user of this program. */
static void complain(const char* where) {
  const char* const message = mt_error_message();
  const char* const stack = strstr(message, "\nstack traceback");
  const int length = stack ? (int)(stack - message) : (int)strlen(message);
  fprintf(stderr, "score: %s: ", where);
  for (int i = 0; i < length; ++i) {
    if (message[i] != '\n')
      fputc(message[i], stderr);
    else if (i > 0)
      fputc(' ', stderr);
  }
  fputc('\n', stderr);
}

static int add_number(Row* row, const char* text, char** end) {
  const float number = strtof(text, end);
  if (*end == text) return 0;
  if (row->count == row->room) {
    const int64_t room = row->room ? 2 * row->room : 64;
    float* const more = room > MOST_NUMBERS ? NULL : realloc(row->numbers, (size_t)room * sizeof *more);
    if (more == NULL) return 0;
    row->numbers = more;
    row->room = room;
  }
  row->numbers[row->count++] = number;
  return 1;
}

/* Reads all numbers of a text; 1 where there was nothing else in it. */
static int add_numbers(Row* row, const char* text, const char* where) {
  char* end;
  for (text += strspn(text, " \t\r\n,"); *text != '\0'; text = end + strspn(end, " \t\r\n,")) {
    if (!add_number(row, text, &end) || strchr(" \t\r\n,", *end) == NULL) {
      fprintf(stderr, "score: %s: '%.*s', expected a number\n", where, (int)strcspn(text, " \t\r\n,"), text);
      return 0;
    }
  }
  return 1;
}

static int print_outputs(const mt_object* output) {
  mt_tensor* y = NULL;
  if (mt_object_tensor(output, &y) != MT_OK) return 0;
  const int64_t count = mt_tensor_count(y);
  float* const numbers = malloc((size_t)(count ? count : 1) * sizeof *numbers);
  const int good = numbers != NULL && mt_tensor_read(y, (size_t)count * sizeof *numbers, numbers) == MT_OK;
  for (int64_t i = 0; good && i < count; ++i) printf("%s%.6g", i ? " " : "", (double)numbers[i]);
  if (good) printf("\n");
  free(numbers);
  mt_tensor_release(y);
  return good;
}

static int answer(const mt_object* network, const Row* row, const char* where) {
  mt_tensor* x = NULL;
  mt_object* output = NULL;
  int good = 0;
  if (row->count == 0) {
    fprintf(stderr, "score: %s: no numbers\n", where);
    return 0;
  }
  if (mt_tensor_borrow(MT_FLOAT32, row->numbers, row->count, 1, &row->count, NULL, NULL, NULL, &x) == MT_OK) {
    const mt_value input = mt_value_tensor(x);
    good = mt_object_invoke(network, "forward", &input, 1, NULL, 0, 1, &output) == MT_OK && print_outputs(output);
  }
  if (!good) complain(where);
  mt_object_release(output);
  mt_tensor_release(x);
  return good;
}

/* Loads a network and makes it ready: no dropout, floats. */
static mt_object* load(mt_session* session, const char* path) {
  mt_object* network = NULL;
  char type[64] = "nothing";
  if (mt_session_load(session, path, &network) != MT_OK) {
    complain(path);
    return NULL;
  }
  (void)mt_object_type(network, sizeof type, type);
  if (strncmp(type, "nn.", 3) != 0) {
    fprintf(stderr, "score: %s: %s is in it, expected a network\n", path, type);
  } else if (mt_object_invoke(network, "evaluate", NULL, 0, NULL, 0, 0, NULL) != MT_OK ||
             mt_object_invoke(network, "float", NULL, 0, NULL, 0, 0, NULL) != MT_OK) {
    complain(path);
  } else {
    return network;
  }
  mt_object_release(network);
  return NULL;
}

static int answer_arguments(const mt_object* network, Row* row, int count, char** texts) {
  for (int i = 0; i < count; ++i)
    if (!add_numbers(row, texts[i], "arguments")) return 0;
  return answer(network, row, "arguments");
}

/* Goes on after a line that is wrong, so that outputs of the others are not lost. */
static int answer_lines(const mt_object* network, Row* row) {
  char *line = NULL, where[32];
  size_t room = 0;
  int good = 1;
  for (long number = 1; getline(&line, &room, stdin) >= 0; ++number) {
    snprintf(where, sizeof where, "line %ld", number);
    row->count = 0;
    good = add_numbers(row, line, where) && answer(network, row, where) && good;
  }
  free(line);
  return good;
}

int main(int argc, char** argv) {
  mt_session* session = NULL;
  Row row = {NULL, 0, 0};
  int result = BAD_NETWORK;
  if (argc < 2 || argv[1][0] == '-') {
    fprintf(stderr, "usage: score NETWORK.t7 [NUMBER...]\n");
    return BAD_CALL;
  }
  if (mt_session_create(NULL, &session) != MT_OK) {
    complain("session");
    return BAD_NETWORK;
  }
  mt_object* const network = load(session, argv[1]);
  if (network != NULL) {
    const int good = argc > 2 ? answer_arguments(network, &row, argc - 2, argv + 2) : answer_lines(network, &row);
    result = good ? GOOD : BAD_ROW;
  }
  mt_object_release(network);
  (void)mt_session_close(session);
  free(row.numbers);
  return result;
}
