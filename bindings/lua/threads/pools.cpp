// Pools of threads as Lua objects.
#include "bindings/lua/threads/objects.h"
#include "bindings/lua/threads/pool.h"
#include "bindings/lua/threads/worker.h"
#include "bindings/lua/values/boxes.h"

namespace mt::lua {
namespace {

constexpr uint64_t pool_magic = 0x6d74'506f'6f6c'0001;

struct PoolBox {
  uint64_t magic = pool_magic;
  std::shared_ptr<Pool> pool;
};

Pool& check_pool(lua_State* L) {
  auto* box = test_box<PoolBox>(L, 1, pool_magic);
  luaL_argcheck(L, box != nullptr && box->pool != nullptr, 1, "expected a pool of threads");
  if (!box->pool->is_of_this_process()) luaL_error(L, "thread system is not running: fork() leaves the threads of a pool to the parent");
  return *box->pool;
}

// newPool(n, metatable, folder of Moontorch's Lua files or nil, environment...) -> pool
int new_pool(lua_State* L) {
  Context& context = upvalue_context(L);
  const auto count = static_cast<int>(luaL_checkinteger(L, 1));
  luaL_argcheck(L, count >= 1 && count <= 1000, 1, "expected 1 to 1000 threads");
  luaL_checktype(L, 2, LUA_TTABLE);
  const char* const folder = luaL_optstring(L, 3, "");
  auto* box = new (lua_newuserdata(L, sizeof(PoolBox))) PoolBox;
  lua_insert(L, 4);
  auto* beginning = new (std::nothrow) Beginning;
  if (beginning == nullptr) return luaL_error(L, "threads.Threads: out of memory");
  bool good = write_values(L, context, beginning->environment, 5, true, Travel::value);
  if (good) {
    try {
      beginning->folder = folder;
      box->pool = Pool::start(count, make_worker, std::move(*beginning));
    } catch (const std::exception& e) {
      context.message = e.what();
      good = false;
    }
    if (!good) lua_pushlstring(L, context.message.data(), context.message.size());
  }
  delete beginning;
  if (!good) return lua_error(L);
  lua_pushvalue(L, 2);
  lua_setmetatable(L, 4);
  return 1;
}

// add(pool, worker or 0, by reference, function, arguments...) -> the number of the job
int add(lua_State* L) {
  Context& context = upvalue_context(L);
  Pool& pool = check_pool(L);
  const auto worker = static_cast<int>(lua_tointeger(L, 2));
  luaL_argcheck(L, worker >= 0 && worker <= pool.count(), 2, "no thread has this number");
  const bool by_reference = lua_toboolean(L, 3) != 0;
  Job* job = nullptr;
  try {
    job = pool.spare_job();
  } catch (const std::exception&) {
  }
  if (job == nullptr) return luaL_error(L, "addjob: out of memory");
  job->worker = worker;
  if (!write_values(L, context, job->message, 4, by_reference, Travel::job)) {
    pool.recycle(job);
    return lua_error(L);
  }
  job->message.by_reference = by_reference;
  lua_pushnumber(L, static_cast<lua_Number>(pool.submit(job)));
  return 1;
}

// Runs in protected mode: converts the message at an address into values.
int read_message(lua_State* L) {
  Context& context = upvalue_context(L);
  auto& message = *static_cast<Message*>(lua_touserdata(L, 1));
  const auto count = static_cast<int>(message.count);
  bool failed = false;
  try {
    read_values(L, context, message);
  } catch (const std::exception& e) {
    context.message = e.what();
    failed = true;
  }
  if (failed) return luaL_error(L, "%s", context.message.c_str());
  return count;
}

int push_message(lua_State* L) {
  const std::string& text = *static_cast<const std::string*>(lua_touserdata(L, 1));
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

// take(pool, number or 0 [, worker or 0, room]) -> numbers of the job and its thread, true and the results; or false and the error. Waits
// for the job. With `room` it returns nothing as soon as fewer than `room` jobs wait for the worker.
int take(lua_State* L) {
  Pool& pool = check_pool(L);
  const auto worker = static_cast<int>(lua_tointeger(L, 3));
  luaL_argcheck(L, worker >= 0 && worker <= pool.count(), 3, "no thread has this number");
  lua_settop(L, 4);
  const Pool::Wanted wanted{static_cast<uint64_t>(luaL_checknumber(L, 2)), worker, static_cast<int>(lua_tointeger(L, 4))};
  const auto [job, given_up] = pool.wait(wanted, StatePatience(L));
  if (given_up) raise_interrupted(L);
  if (job == nullptr) return 0;
  const int top = lua_gettop(L);
  lua_pushnumber(L, static_cast<lua_Number>(job->number));
  lua_pushinteger(L, job->worker);
  bool good = !job->failed;
  lua_pushboolean(L, good ? 1 : 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, upvalue_context(L).read);
  lua_pushlightuserdata(L, &job->message);
  if (good) {
    good = lua_pcall(L, 1, LUA_MULTRET, 0) == 0;
    if (!good) {
      lua_pushboolean(L, 0);
      lua_replace(L, top + 3);
    }
  } else {
    lua_settop(L, top + 3);
    lua_pushcfunction(L, push_message);
    lua_pushlightuserdata(L, &job->error);
    lua_pcall(L, 1, 1, 0);
  }
  pool.recycle(job);
  return lua_gettop(L) - top;
}

// counts(pool, worker or 0) -> number of jobs that wait for this worker, or for any worker; number of finished jobs
int counts(lua_State* L) {
  const Pool& pool = check_pool(L);
  const auto worker = static_cast<int>(lua_tointeger(L, 2));
  luaL_argcheck(L, worker >= 0 && worker <= pool.count(), 2, "no thread has this number");
  const Pool::Counts counts = pool.counts(worker);
  lua_pushinteger(L, counts.queued);
  lua_pushinteger(L, counts.done);
  return 2;
}

// isDone(pool, number or 0) -> whether the job with this number, or any job, has finished
int is_done(lua_State* L) {
  const Pool& pool = check_pool(L);
  lua_pushboolean(L, pool.is_done(static_cast<uint64_t>(luaL_checknumber(L, 2))) ? 1 : 0);
  return 1;
}

// eventfd(pool) -> a descriptor that is readable while a finished job has not been taken
int descriptor(lua_State* L) {
  Pool& pool = check_pool(L);
  int number = -1;
  try {
    number = pool.descriptor();
  } catch (const std::exception& e) {
    lua_pushstring(L, e.what());
  }
  if (number < 0) return lua_error(L);
  lua_pushinteger(L, number);
  return 1;
}

// close(pool, now) -> whether all threads have ended. A closed pool accepts no further calls.
int close_pool(lua_State* L) {
  auto* box = test_box<PoolBox>(L, 1, pool_magic);
  luaL_argcheck(L, box != nullptr, 1, "expected a pool of threads");
  bool ended = true;
  if (box->pool != nullptr) ended = box->pool->close(lua_toboolean(L, 2) != 0 ? Pool::End::now : Pool::End::when_done);
  box->pool.reset();
  lua_pushboolean(L, ended ? 1 : 0);
  return 1;
}

// isOfThisProcess(pool)
int is_of_this_process(lua_State* L) {
  auto* box = test_box<PoolBox>(L, 1, pool_magic);
  lua_pushboolean(L, box != nullptr && box->pool != nullptr && box->pool->is_of_this_process() ? 1 : 0);
  return 1;
}

}  // namespace

void open_pools(lua_State* L, Context& context) {
  lua_pushlightuserdata(L, &context);
  lua_pushcclosure(L, read_message, 1);
  context.read = luaL_ref(L, LUA_REGISTRYINDEX);
  const luaL_Reg functions[] = {{"newPool", new_pool}, {"add", add},
                                {"take", take},        {"counts", counts},
                                {"isDone", is_done},   {"eventfd", descriptor},
                                {"close", close_pool}, {"isOfThisProcess", is_of_this_process}};
  for (const luaL_Reg& f : functions) add_function(L, context, f.name, f.func);
}

}  // namespace mt::lua
