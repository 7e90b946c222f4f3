// Pools of processes as Lua objects, and the loop of a process.
#include <sys/prctl.h>

#include <cstdio>

#include "bindings/lua/state/state.h"
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/values/boxes.h"
#include "engine/core/generator.h"
#include "engine/core/host_hooks.h"
#include "engine/core/temporary_folder.h"
#include "engine/messages/process_pool.h"

namespace mt::lua {
namespace {

constexpr uint64_t pool_magic = 0x6d74'5072'6f63'0001;

struct PoolBox {
  uint64_t magic = pool_magic;
  ProcessPool* pool = nullptr;
  uint64_t forks = 0;  // number of forks so far: each process gets another stream of random numbers
};

PoolBox& check_box(lua_State* L) {
  auto* box = test_box<PoolBox>(L, 1, pool_magic);
  luaL_argcheck(L, box != nullptr && box->pool != nullptr, 1, "expected a pool of processes");
  if (!box->pool->is_of_this_process()) luaL_error(L, "the pool belongs to the process that made it, which is another one");
  return *box;
}

// Calls f and converts C++ errors into Lua errors.
template <class F> void protect(lua_State* L, F&& f) {
  Context& context = upvalue_context(L);
  bool failed = false;
  try {
    f();
  } catch (const std::exception& e) {
    context.message = e.what();
    failed = true;
  }
  if (failed) luaL_error(L, "%s", context.message.c_str());
}

// ---- in the process ----

int exit_at_once(lua_State* L) {
  const int status = lua_isboolean(L, 1) ? (lua_toboolean(L, 1) != 0 ? 0 : 1) : static_cast<int>(luaL_optinteger(L, 1, 0));
  std::fflush(nullptr);
  remove_temporary_files();
  _exit(status);  // without the parent's exit handlers
}

int with_traceback(lua_State* L) {
  if (lua_isstring(L, 1) == 0) {
    if (luaL_callmeta(L, 1, "__tostring") == 0 || lua_isstring(L, -1) == 0)
      lua_pushfstring(L, "(an error of type %s, without a text)", luaL_typename(L, 1));
    lua_replace(L, 1);
    lua_settop(L, 1);
  }
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

// The current task of a process. It outlives every frame that a Lua error may leave.
struct Task {
  Context& context;
  int number;
  bool starts = true;
  Parcel job;
  Message message;
  Packet results;
};

// Pushes the values of the job. Returns the number of stack slots below the first one.
int unpack(lua_State* L, Task& task) {
  bool failed = false;
  int count = 0;
  try {
    task.job.unpack(task.context.codes, task.message);
    count = static_cast<int>(task.message.count);
    read_values(L, task.context, task.message);
  } catch (const std::exception& e) {
    task.context.message = e.what();
    failed = true;
  }
  task.message.clear();
  if (failed) luaL_error(L, "%s", task.context.message.c_str());
  return lua_gettop(L) - count;
}

void pack(lua_State* L, Task& task, int first) {
  task.message.to_process = true;
  if (!write_values(L, task.context, task.message, first, false, Travel::result)) lua_error(L);
  bool failed = false;
  try {
    task.results = Packet(task.message);
  } catch (const std::exception& e) {
    task.context.message = e.what();
    failed = true;
  }
  task.message.clear();
  if (failed) luaL_error(L, "%s", task.context.message.c_str());
}

// run(task, functions): runs a job, or the functions that start a process with its number
int run(lua_State* L) {
  Task& task = *static_cast<Task*>(lua_touserdata(L, 1));
  int below = 2;
  if (task.starts) {
    const auto count = static_cast<int>(lua_objlen(L, 2));
    for (int i = 1; i <= count; ++i) {
      lua_settop(L, below);
      lua_rawgeti(L, 2, i);
      lua_pushinteger(L, task.number);
      lua_call(L, 1, LUA_MULTRET);
    }
  } else {
    below = unpack(L, task);
    lua_call(L, lua_gettop(L) - below - 1, LUA_MULTRET);
  }
  pack(L, task, below + 1);
  return 0;
}

// Gives the process its own streams of random numbers, derived from the program's seed.
void seed_anew(lua_State* L, uint64_t forks, int number) {
  State* state = torch_state(L);
  uint64_t seed = state != nullptr ? state->generators.own.initial_seed() : Generator::random_seed();
  seed = (seed + forks * 0x9e37'79b9'7f4a'7c15 + static_cast<uint64_t>(number)) * 0xbf58'476d'1ce4'e5b9;
  seed ^= seed >> 31;
  if (state != nullptr) state->generators.manual_seed(seed);
  lua_getglobal(L, "math");
  lua_getfield(L, -1, "randomseed");
  lua_pushnumber(L, static_cast<lua_Number>(seed >> 12));
  lua_pcall(L, 1, 0, 0);
  lua_pop(L, 1);
}

// Runs one job after the other on a separate stack, so that tracebacks show nothing of the parent's position.
void serve(lua_State* L, Context& context, ProcessPool::Place& place, int functions) {
  Task task{context, place.number(), true, {}, {}, {}};
  lua_State* const own = lua_newthread(L);
  lua_pushvalue(L, functions);
  lua_xmove(L, own, 1);
  while (place.next(task.job)) {
    if (!task.starts && task.job.failed()) {
      place.answer(Packet(task.job.error()));
      continue;
    }
    lua_settop(own, 1);
    lua_pushcfunction(own, with_traceback);
    lua_pushcfunction(own, run);
    lua_pushlightuserdata(own, &task);
    lua_pushvalue(own, 1);
    if (lua_pcall(own, 2, 0, 2) != 0) {
      size_t length = 0;
      const char* const text = lua_tolstring(own, -1, &length);
      task.results = text != nullptr ? Packet(std::string(text, length)) : Packet(std::string("an error without a text"));
    }
    std::fflush(stdout);  // in case the next job ends the process
    place.answer(task.results);
    task.results = Packet();
    task.starts = false;
  }
}

// Runs in the new process and never returns.
[[noreturn]] void be_process(lua_State* L, Context& context, std::unique_ptr<ProcessPool::Place> place, int functions, uint64_t forks) {
  int status = 0;
  try {
    lua_sethook(L, nullptr, 0, 0);
    seed_anew(L, forks, place->number());
    lua_pushinteger(L, place->number());
    lua_setglobal(L, "__threadid");
    lua_getglobal(L, "os");
    lua_pushcfunction(L, exit_at_once);
    lua_setfield(L, -2, "exit");
    serve(L, context, *place, functions);
  } catch (const std::exception& e) {
    log(LogLevel::error, concat("torch.processes: ", e.what()).c_str());
    status = 1;
  }
  std::fflush(nullptr);
  remove_temporary_files();
  _exit(status);
}

// ---- in the parent ----

// Creates missing processes. The start of a process is a job; pushes its number.
int make_processes(lua_State* L, PoolBox& box, int functions) {
  Context& context = upvalue_context(L);
  int made = 0;
  while (box.pool->lacks_worker()) {
    luaL_checkstack(L, 10, "processes");
    std::unique_ptr<ProcessPool::Place> place;
    uint64_t number = 0;
    bool is_child = false, failed = false;
    try {
      is_child = box.pool->fork_one(place, number);
    } catch (const std::exception& e) {
      context.message = e.what();
      failed = true;
    }
    ++box.forks;
    if (is_child) be_process(L, context, std::move(place), functions, box.forks);
    place.reset();
    if (failed) return -1;
    lua_pushnumber(L, static_cast<lua_Number>(number));
    ++made;
  }
  return made;
}

// newPool(n, metatable, {function, ...}) -> pool, the number of each process's first job
int new_pool(lua_State* L) {
  const auto count = static_cast<int>(luaL_checkinteger(L, 1));
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  auto* box = new (lua_newuserdata(L, sizeof(PoolBox))) PoolBox;
  lua_pushvalue(L, 2);
  lua_setmetatable(L, -2);
  protect(L, [&] { box->pool = new ProcessPool(count); });
  const int made = make_processes(L, *box, 3);
  if (made < 0) return luaL_error(L, "%s", upvalue_context(L).message.c_str());
  return made + 1;
}

// revive(pool, {function, ...}) -> the numbers of the first jobs of new processes, which replace processes that ended
int revive(lua_State* L) {
  PoolBox& box = check_box(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  if (!box.pool->lacks_worker()) return 0;
  const int made = make_processes(L, box, 2);
  if (made < 0) return luaL_error(L, "%s", upvalue_context(L).message.c_str());
  return made;
}

// add(pool, worker or 0, by reference, function, arguments...) -> the number of the job. Exactly the values in shared memory are sent by
// reference, regardless of the third argument.
int add(lua_State* L) {
  Context& context = upvalue_context(L);
  ProcessPool& pool = *check_box(L).pool;
  const auto worker = static_cast<int>(lua_tointeger(L, 2));
  luaL_argcheck(L, worker >= 0 && worker <= pool.count(), 2, "no process has this number");
  auto* message = new (std::nothrow) Message;
  if (message == nullptr) return luaL_error(L, "addjob: out of memory");
  message->to_process = true;
  bool good = write_values(L, context, *message, 4, false, Travel::job);
  uint64_t number = 0;
  if (good) {
    try {
      number = pool.submit(*message, worker);
    } catch (const std::exception& e) {
      context.message = e.what();
      good = false;
    }
    if (!good) lua_pushlstring(L, context.message.data(), context.message.size());
  }
  delete message;
  if (!good) return lua_error(L);
  lua_pushnumber(L, static_cast<lua_Number>(number));
  return 1;
}

// look(pool, milliseconds) -> whether a process has ended and was not replaced. Waits for an event, at most that long.
int look(lua_State* L) {
  ProcessPool& pool = *check_box(L).pool;
  const auto milliseconds = static_cast<int>(luaL_checkinteger(L, 2));
  protect(L, [&] { pool.look(milliseconds); });
  lua_pushboolean(L, pool.lacks_worker() ? 1 : 0);
  return 1;
}

struct Taken {
  ProcessPool::Done done;
  Message message;
};

int read_results(lua_State* L) {
  Context& context = upvalue_context(L);
  Taken& taken = *static_cast<Taken*>(lua_touserdata(L, 1));
  bool failed = false;
  int count = 0;
  try {
    taken.done.results.unpack(context.codes, taken.message);
    count = static_cast<int>(taken.message.count);
    read_values(L, context, taken.message);
  } catch (const std::exception& e) {
    context.message = e.what();
    failed = true;
  }
  if (failed) return luaL_error(L, "%s", context.message.c_str());
  return count;
}

int push_error(lua_State* L) {
  const std::string& text = static_cast<const Taken*>(lua_touserdata(L, 1))->done.error;
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

// take(pool, number or 0) -> numbers of the job and its process, true and the results, or false and the error; nothing if none has finished
int take(lua_State* L) {
  ProcessPool& pool = *check_box(L).pool;
  const auto number = static_cast<uint64_t>(luaL_checknumber(L, 2));
  if (!pool.is_done(number)) return 0;
  lua_settop(L, 2);
  auto* taken = new (std::nothrow) Taken;
  if (taken == nullptr) return luaL_error(L, "dojob: out of memory");
  pool.take(number, taken->done);
  lua_pushnumber(L, static_cast<lua_Number>(taken->done.number));
  lua_pushinteger(L, taken->done.worker);
  bool good = !taken->done.failed;
  lua_pushboolean(L, good ? 1 : 0);
  if (good)
    lua_pushvalue(L, lua_upvalueindex(2));
  else
    lua_pushcfunction(L, push_error);
  lua_pushlightuserdata(L, taken);
  if (lua_pcall(L, 1, LUA_MULTRET, 0) != 0 && good) {
    lua_pushboolean(L, 0);
    lua_replace(L, 5);
  }
  delete taken;
  return lua_gettop(L) - 2;
}

// isDone(pool, number or 0)
int is_done(lua_State* L) {
  lua_pushboolean(L, check_box(L).pool->is_done(static_cast<uint64_t>(luaL_checknumber(L, 2))) ? 1 : 0);
  return 1;
}

// counts(pool, worker or 0) -> number of jobs that wait for a worker, or for any worker; number of finished jobs
int counts(lua_State* L) {
  const ProcessPool& pool = *check_box(L).pool;
  lua_pushinteger(L, pool.queued(static_cast<int>(lua_tointeger(L, 2))));
  lua_pushinteger(L, pool.done_count());
  return 2;
}

// close(pool, now): ends the processes, at once or after their current jobs. Does nothing in other processes than the pool's.
int close_pool(lua_State* L) {
  auto* box = test_box<PoolBox>(L, 1, pool_magic);
  luaL_argcheck(L, box != nullptr, 1, "expected a pool of processes");
  if (box->pool == nullptr || !box->pool->is_of_this_process()) return 0;
  ProcessPool* const pool = std::exchange(box->pool, nullptr);
  pool->close(lua_toboolean(L, 2) != 0);
  delete pool;
  return 0;
}

int is_of_this_process(lua_State* L) {
  auto* box = test_box<PoolBox>(L, 1, pool_magic);
  lua_pushboolean(L, box != nullptr && box->pool != nullptr && box->pool->is_of_this_process() ? 1 : 0);
  return 1;
}

}  // namespace

void open_processes(lua_State* L, Context& context) {
  lua_newtable(L);
  const luaL_Reg functions[] = {{"newPool", new_pool}, {"revive", revive}, {"add", add},          {"look", look},
                                {"isDone", is_done},   {"counts", counts}, {"close", close_pool}, {"isOfThisProcess", is_of_this_process}};
  for (const luaL_Reg& f : functions) add_function(L, context, f.name, f.func);
  lua_pushlightuserdata(L, &context);
  lua_pushlightuserdata(L, &context);
  lua_pushcclosure(L, read_results, 1);
  lua_pushcclosure(L, take, 2);
  lua_setfield(L, -2, "take");
  lua_setfield(L, -2, "processes");
}

}  // namespace mt::lua
