/* Opening and closing the library, in a process without Lua: both binding modes work, closing unloads the library, and memory does not
 * grow. The argument is the library's path. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "moontorch/moontorch.h"
#include "spec/engine/check.h"

static long resident_kib(void) {
  long pages = 0, resident = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  CHECK(f != NULL && fscanf(f, "%ld %ld", &pages, &resident) == 2);
  fclose(f);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* ISO C has no conversion from an object pointer to a function pointer. */
static void find(void* library, const char* name, void* function, size_t size) {
  void* symbol = dlsym(library, name);
  CHECK(symbol != NULL && size == sizeof symbol);
  memcpy(function, &symbol, size);
}

static void use(const char* path, int mode) {
  const int64_t sizes[2] = {300, 300};
  mt_status (*call)(const char*, const mt_value*, int32_t, int32_t, mt_tensor**);
  mt_status (*narrow)(const mt_tensor*, int32_t, int64_t, int64_t, mt_tensor**);
  void (*release)(mt_tensor*);
  const char* (*message)(void);
  mt_tensor *x = NULL, *y = NULL;
  mt_value args[2];
  void* library = dlopen(path, mode);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  find(library, "mt_call", &call, sizeof call);
  find(library, "mt_tensor_narrow", &narrow, sizeof narrow);
  find(library, "mt_tensor_release", &release, sizeof release);
  find(library, "mt_error_message", &message, sizeof message);
  args[0] = mt_value_none();
  args[1] = mt_value_sizes(sizes, 2);
  CHECK(call("rand", args, 2, 1, &x) == MT_OK);
  args[0] = args[1] = mt_value_tensor(x);
  CHECK(call("mm", args, 2, 1, &y) == MT_OK);
  CHECK(narrow(x, 0, 0, 301, &x) == MT_ERR_RANGE && strstr(message(), "narrow: length") != NULL);
  release(x);
  release(y);
  CHECK(dlclose(library) == 0);
}

int main(int argc, char** argv) {
  long before, after;
  int i;
  CHECK(argc == 2);
  CHECK(dlsym(RTLD_DEFAULT, "lua_gettop") == NULL);
  /* With one thread, closing unloads the library. If it has started threads, they wait in its code and it stays loaded. */
  CHECK(setenv("OMP_NUM_THREADS", "1", 1) == 0);
  for (i = 0; i < 40; ++i) use(argv[1], i % 2 == 0 ? RTLD_LAZY : RTLD_NOW);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* sanitizers keep libraries loaded */
  CHECK(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL);
#endif
  CHECK(setenv("OMP_NUM_THREADS", "2", 1) == 0);
  use(argv[1], RTLD_NOW);
  before = resident_kib();
  for (i = 0; i < 100; ++i) use(argv[1], i % 2 == 0 ? RTLD_LAZY : RTLD_NOW);
  after = resident_kib();
  printf("resident: %ld KiB before, %ld KiB after 100 more times\n", before, after);
/* Sanitizers also hold freed memory, and an emulator holds its translations. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(MT_EMULATED)
  CHECK(after - before < 4096); /* alignment of two matrices varies by 2 MiB; a matrix leaked each time would be 70 MiB */
#endif
  return 0;
}
