/* Many Lua states in one process: as servers have them, one for each customer, opened and closed all day.
 *
 *     states [OPENS [STATES [THREADS]]]      10000 opens, 100 states at a time, on 8 threads
 *
 * Goes in rounds. In each, threads open their share of the states, so that all are open at a time; each state trains a small network for a
 * few steps; then all are closed, and the threads end. Resident memory and open descriptors are printed after the first rounds, in which
 * libraries are opened and the allocator's arenas are made, and at the end. Exits with 1 where they grew, 2 where the call is wrong, 3
 * where a state failed.
 *
 *     cc -std=c99 states.c $(pkg-config --cflags --libs luajit) -lmoontorch -lpthread -o states */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <malloc.h>
#include <moontorch/lua.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { GREW = 1, BAD_CALL = 2, BAD_STATE = 3, WARM_UP = 3, MOST_STATES = 1000 };

/* What a lost state would hold is far more: some megabytes with its packages. What a lost tensor or thread of a state would hold is 64
 * bytes and up, so that 10,000 opens show 1 KiB each; less is the scatter of pages in the allocator's arenas, which comes to a few MiB. */
static const long most_growth_kib = 8192;

static const char step[] =
    "local torch, nn, optim = require 'torch', require 'nn', require 'optim'\n"
    "torch.manualSeed(1)\n"
    "local net = nn.Sequential():add(nn.Linear(8, 16)):add(nn.Tanh()):add(nn.Linear(16, 1)):requiresGrad()\n"
    "local criterion, adam = nn.MSECriterion(), optim.Adam(net:parameters(), { learningRate = 0.01 })\n"
    "local x, y, first, last = torch.randn(32, 8), torch.randn(32, 1)\n"
    "for i = 1, 3 do\n"
    "  adam:zeroGrad()\n"
    "  local loss = criterion(net(x), y)\n"
    "  loss:backward()\n"
    "  adam:step()\n"
    "  last = loss:item()\n"
    "  first = first or last\n"
    "end\n"
    "assert(last < first, 'the loss did not fall')\n";

/* The states of one thread in one round. */
typedef struct Share {
  pthread_barrier_t* all_open;
  int count, failed;
  lua_State* states[MOST_STATES];
} Share;

static int open_state(lua_State** out) {
  lua_State* const L = *out = luaL_newstate();
  if (L == NULL) return 0;
  luaL_openlibs(L);
  if (mt_lua_open(L, NULL) == MT_OK) return 1;
  fprintf(stderr, "states: %s\n", mt_error_message());
  return 0;
}

static int train(lua_State* L) {
  if (luaL_dostring(L, step) == 0) return 1;
  fprintf(stderr, "states: %s\n", lua_tostring(L, -1));
  return 0;
}

static void* work(void* argument) {
  Share* const share = argument;
  for (int i = 0; i < share->count; ++i) share->failed |= !open_state(&share->states[i]);
  for (int i = 0; i < share->count && !share->failed; ++i) share->failed |= !train(share->states[i]);
  pthread_barrier_wait(share->all_open);
  for (int i = 0; i < share->count; ++i)
    if (share->states[i] != NULL) lua_close(share->states[i]);
  return NULL;
}

static int run_round(Share* shares, int states, int threads) {
  pthread_barrier_t all_open;
  pthread_t* const ids = malloc((size_t)threads * sizeof *ids);
  int failed = 0;
  if (ids == NULL || pthread_barrier_init(&all_open, NULL, (unsigned)threads) != 0) exit(BAD_STATE);
  for (int i = 0; i < threads; ++i) {
    shares[i].all_open = &all_open;
    shares[i].failed = 0;
    shares[i].count = states / threads + (i < states % threads);
    if (pthread_create(&ids[i], NULL, work, &shares[i]) != 0) exit(BAD_STATE);
  }
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    failed |= shares[i].failed;
  }
  pthread_barrier_destroy(&all_open);
  free(ids);
  return !failed;
}

/* What is free goes back to the system first, so that the rest is in use. */
static long resident_kib(void) {
  long size = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  mt_memory_trim();
  malloc_trim(0);
  if (file == NULL || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(BAD_STATE);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int descriptors(void) {
  int count = -3; /* . and .., and the folder's own */
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == NULL) exit(BAD_STATE);
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static long number(int argc, char** argv, int i, long otherwise, long most) {
  char* end = NULL;
  const long n = argc > i ? strtol(argv[i], &end, 10) : otherwise;
  if ((end == NULL || *end == '\0') && n >= 1 && n <= most) return n;
  fprintf(stderr, "states: %s, expected 1..%ld\nusage: states [OPENS [STATES [THREADS]]]\n", argv[i], most);
  exit(BAD_CALL);
}

int main(int argc, char** argv) {
  const long opens = number(argc, argv, 1, 10000, 100000000);
  const int states = (int)number(argc, argv, 2, 100, MOST_STATES), threads = (int)number(argc, argv, 3, 8, MOST_STATES);
  const long rounds = (opens + states - 1) / states;
  Share* const shares = calloc((size_t)threads, sizeof *shares);
  long memory = 0;
  int files = 0;
  if (shares == NULL) return BAD_STATE;
  for (long round = 1; round <= WARM_UP + rounds; ++round) {
    if (!run_round(shares, states, threads)) return BAD_STATE;
    if (round != WARM_UP) continue;
    memory = resident_kib();
    files = descriptors();
    printf("after %d opens to warm up: %ld KiB resident, %d descriptors\n", WARM_UP * states, memory, files);
    fflush(stdout);
  }
  free(shares);
  const long more_memory = resident_kib() - memory;
  const int more_files = descriptors() - files;
  printf("after %ld opens more, %d at a time on %d threads: %+ld KiB, %+d descriptors\n", rounds * states, states, threads, more_memory,
         more_files);
  if (more_memory <= most_growth_kib && more_files <= 0) return 0;
  fprintf(stderr, "states: it grew: expected at most %ld KiB and 0 descriptors\n", most_growth_kib);
  return GREW;
}
