/* Lua states on several threads that share a hash, a counter and a tensor by address, and write to them at once.
 * states_test LIBRARY LUA_FOLDER SCRIPT: every thread runs the script in a separate state. lua_threads.cpp covers the ops. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { thread_count = 4, longest = 4096 };

typedef struct {
  const char* library;
  const char* lua_folder;
  const char* script;
  char shared[256]; /* code that finds the shared objects; empty in the first state, which creates them */
  char answer[longest];
  int failed;
} Job;

/* Creates a state with the library's search paths, and runs the script with the number of threads and the shared objects. */
static lua_State* run(Job* job) {
  lua_State* L = luaL_newstate();
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_pushfstring(L, "%s/?.lua;%s/?/init.lua", job->lua_folder, job->lua_folder);
  lua_setfield(L, -2, "path");
  lua_pushstring(L, job->library);
  lua_setfield(L, -2, "cpath");
  lua_pop(L, 1);
  job->failed = luaL_loadfile(L, job->script);
  if (!job->failed) {
    lua_pushinteger(L, thread_count);
    lua_pushstring(L, job->shared);
    job->failed = lua_pcall(L, 2, 1, 0);
  }
  snprintf(job->answer, sizeof job->answer, "%s", lua_tostring(L, -1));
  return L;
}

static void* in_thread(void* job) {
  lua_close(run(job));
  return NULL;
}

int main(int argc, char** argv) {
  static Job first, jobs[thread_count];
  pthread_t threads[thread_count];
  lua_State* L;
  int i, bad = 0;
  if (argc != 4) return 2;
  first.library = argv[1];
  first.lua_folder = argv[2];
  first.script = argv[3];
  L = run(&first);
  if (first.failed) {
    fprintf(stderr, "%s\n", first.answer);
    return 1;
  }
  for (i = 0; i < thread_count; ++i) {
    jobs[i] = first;
    memcpy(jobs[i].shared, first.answer, sizeof jobs[i].shared - 1);
    pthread_create(&threads[i], NULL, in_thread, &jobs[i]);
  }
  for (i = 0; i < thread_count; ++i) pthread_join(threads[i], NULL);
  for (i = 0; i < thread_count; ++i) {
    if (jobs[i].failed) {
      fprintf(stderr, "thread %d: %s\n", i, jobs[i].answer);
      bad = 1;
    }
  }
  lua_getglobal(L, "check"); /* in the first state, after all others are closed */
  if (lua_pcall(L, 0, 0, 0) != 0) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    bad = 1;
  }
  lua_close(L);
  return bad;
}
