#include "bindings/lua/threads/worker.h"

#include <string>
#include <string_view>
#include <utility>

#include "bindings/lua/state/modules.h"
#include "bindings/lua/threads/context.h"
#include "bindings/lua/threads/module.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace mt::lua {
namespace {

// Converts any error into text with a traceback that ends at the job's function.
int with_traceback(lua_State* L) {
  if (!lua_isstring(L, 1)) {
    if (luaL_callmeta(L, 1, "__tostring") == 0 || lua_isstring(L, -1) == 0)
      lua_pushfstring(L, "(an error of type %s, without a text)", luaL_typename(L, 1));
    lua_replace(L, 1);
    lua_settop(L, 1);
  }
  luaL_traceback(L, L, lua_tostring(L, 1), 1);
  const std::string_view text(lua_tostring(L, -1), lua_objlen(L, -1));
  if (const size_t ours = text.rfind("\n\t[C]: "); ours != text.npos && text.find('\n', ours + 1) == text.npos)
    lua_pushlstring(L, text.data(), ours);
  return 1;
}

int collect(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

int refuse_exit(lua_State* L) {
  return luaL_error(L, "os.exit: called in a thread, expected the main program: it alone can end the process");
}

void stopped(lua_State* L, lua_Debug*) { luaL_error(L, "the pool of this thread is closed"); }

class LuaWorker final : public Pool::Worker {
 public:
  LuaWorker(int number, const Beginning& beginning) : number_(number), start_(beginning.environment), folder_(beginning.folder) {
    set_own_threads(1);  // the pool provides the parallelism; torch.setnumthreads changes it
    L_ = luaL_newstate();
    if (L_ == nullptr) fail("threads", "thread", number, ": there is no memory for a Lua state");
    if (lua_cpcall(L_, open, this) != 0) {
      const char* why = lua_tostring(L_, -1);
      const std::string message = why != nullptr ? why : "its Lua state could not be made";
      lua_close(L_);
      fail("threads", "thread", number, ": ", message);
    }
    start_.clear();
    lua_rawgeti(L_, LUA_REGISTRYINDEX, handler_);
    lua_rawgeti(L_, LUA_REGISTRYINDEX, runner_);
    lua_rawgeti(L_, LUA_REGISTRYINDEX, collector_);
  }

  ~LuaWorker() override {
    lua_sethook(L_, nullptr, 0, 0);
    lua_close(L_);
  }

  // All Lua code here runs in protected mode, and unprotected calls don't allocate: an unprotected error would end the process.
  void run(Job& job) override {
    job_ = &job;
    lua_pushvalue(L_, runner);
    lua_pushlightuserdata(L_, this);
    const int status = lua_pcall(L_, 1, 0, handler);
    job.failed = status != 0;
    if (job.failed) {
      size_t length = 0;
      const char* text = lua_tolstring(L_, -1, &length);
      try {
        job.message.clear();
        job.error.assign(text != nullptr ? text : "an error without a text", text != nullptr ? length : 23);
      } catch (const std::exception&) {
        job.error.clear();
      }
    }
    lua_settop(L_, collector);
    if (status == LUA_ERRMEM) {  // LuaJIT doesn't collect when an allocation fails, and the memory is garbage now
      lua_pushvalue(L_, collector);
      lua_pcall(L_, 0, 0, 0);
      lua_settop(L_, collector);
    }
  }

  // Like a signal handler. The hook stays set, so that no pcall inside the job continues.
  void stop() noexcept override { lua_sethook(L_, stopped, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1); }

 private:
  static constexpr int handler = 1, runner = 2, collector = 3;  // stack slots

  static int open(lua_State* L) {
    auto& self = *static_cast<LuaWorker*>(lua_touserdata(L, 1));
    luaL_openlibs(L);
    open_in_worker(L);
    if (!self.folder_.empty()) open_modules(L, self.folder_.c_str());
    lua_getglobal(L, "os");
    lua_pushcfunction(L, refuse_exit);
    lua_setfield(L, -2, "exit");
    lua_pushinteger(L, self.number_);
    lua_setglobal(L, "__threadid");
    lua_settop(L, 0);
    self.context_ = &context_of(L);
    lua_pushcfunction(L, with_traceback);
    self.handler_ = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushcfunction(L, run_job);
    self.runner_ = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushcfunction(L, collect);
    self.collector_ = luaL_ref(L, LUA_REGISTRYINDEX);
    if (self.start_.count > 0) {
      const int slots = self.read(L, self.start_);
      lua_call(L, lua_gettop(L) - slots - 1, 0);
    }
    return 0;
  }

  // Pushes the values of a message. Returns the number of stack slots below the first one.
  int read(lua_State* L, Message& message) const {
    const auto count = static_cast<int>(message.count);
    bool failed = false;
    try {
      read_values(L, *context_, message);
    } catch (const std::exception& e) {
      context_->message = e.what();
      failed = true;
    }
    if (failed) luaL_error(L, "%s", context_->message.c_str());
    return lua_gettop(L) - count;
  }

  static int run_job(lua_State* L) {
    LuaWorker& self = *static_cast<LuaWorker*>(lua_touserdata(L, 1));
    Message& message = self.job_->message;
    if (message.count == 0) return luaL_error(L, "addjob: callback: nothing, expected a function");
    const int slots = self.read(L, message);
    const bool by_reference = message.by_reference;
    message.clear();
    lua_call(L, lua_gettop(L) - slots - 1, LUA_MULTRET);
    if (!write_values(L, *self.context_, message, slots + 1, by_reference, Travel::result)) lua_error(L);
    return 0;
  }

  const int number_;
  Message start_;
  const std::string folder_;
  lua_State* L_ = nullptr;
  Context* context_ = nullptr;
  int handler_ = LUA_NOREF, runner_ = LUA_NOREF, collector_ = LUA_NOREF;
  Job* job_ = nullptr;
};

}  // namespace

std::unique_ptr<Pool::Worker> make_worker(int number, const Beginning& beginning) { return std::make_unique<LuaWorker>(number, beginning); }

}  // namespace mt::lua
