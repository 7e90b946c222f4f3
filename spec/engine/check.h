/* Shared by the C tests: CHECK prints the condition that did not hold and ends the program. */
#ifndef SPEC_ENGINE_CHECK_H
#define SPEC_ENGINE_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#endif
