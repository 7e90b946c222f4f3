// Each request is a call of a Lua function, which returns the content of the reply as a table.
#include "interpreter.h"

#include <clocale>
#include <utility>

#include <xeus/xhelper.hpp>
#include <zmq.hpp>

#include "json.h"
#include "signals.h"
#include "turn.h"

namespace kernel {

using nlohmann::json;

Interpreter::Interpreter(lua_State* L) : L_(L), handlers_(luaL_ref(L, LUA_REGISTRYINDEX)) {
  xeus::register_interpreter(this);
  register_input_handler([](const std::string&) {});
}

void Interpreter::configure_impl() {
  const std::lock_guard<std::mutex> mine(turn());
  output_ = std::make_unique<Output>([this](const std::string& name, const std::string& text) { publish_stream(name, text); });
  information_ = request("info", [] { return 0; });
}

/// Calls a function of the kernel's table. The reply is its result, or its error.
template <class Push> json Interpreter::request(const char* name, Push push_arguments) {
  const int top = lua_gettop(L_);
  lua_rawgeti(L_, LUA_REGISTRYINDEX, handlers_);
  lua_getfield(L_, -1, name);
  const int count = push_arguments();
  int status;
  {
    const Aside lua_runs;
    const TakesInterrupts here;
    running_ = true;
    status = lua_pcall(L_, count, 1, 0);
    running_ = false;
    output_->in_order([] {});
  }
  json reply;
  if (status == 0 && lua_istable(L_, -1)) {
    reply = to_json(L_, -1);
  } else {
    const char* message = lua_tostring(L_, -1);
    const std::string text = message ? message : "the kernel returned no answer";
    reply = xeus::create_error_reply("Error", text, json::array({text}));
  }
  lua_settop(L_, top);
  return reply;
}

json Interpreter::execute_request_impl(int counter, const std::string& code, bool silent, bool, json user_expressions, bool allow_stdin) {
  counter_ = counter;
  allows_input_ = allow_stdin;
  json reply = request("execute", [&] {
    lua_pushlstring(L_, code.data(), code.size());
    lua_pushinteger(L_, counter);
    lua_pushboolean(L_, silent);
    push_strings(L_, user_expressions);
    return 4;
  });
  allows_input_ = false;
  if (reply.value("status", "") == "error" && !silent) {
    publish_execution_error(reply.value("ename", ""), reply.value("evalue", ""),
                            reply.value("traceback", json::array()).get<std::vector<std::string>>());
  }
  return reply;
}

json Interpreter::complete_request_impl(const std::string& code, int cursor) {
  json reply = request("complete", [&] {
    lua_pushlstring(L_, code.data(), code.size());
    lua_pushinteger(L_, cursor);
    return 2;
  });
  if (!reply.value("matches", json()).is_array()) reply["matches"] = json::array();
  return reply;
}

json Interpreter::inspect_request_impl(const std::string& code, int cursor, int) {
  return request("inspect", [&] {
    lua_pushlstring(L_, code.data(), code.size());
    lua_pushinteger(L_, cursor);
    return 2;
  });
}

json Interpreter::is_complete_request_impl(const std::string& code) {
  return request("isComplete", [&] {
    lua_pushlstring(L_, code.data(), code.size());
    return 1;
  });
}

json Interpreter::kernel_info_request_impl() { return information_; }

void Interpreter::shutdown_request_impl() {}

void Interpreter::show(Shown how, json data, json metadata, json transient) {
  output_->in_order([&] {
    switch (how) {
      case Shown::display:
        return display_data(std::move(data), std::move(metadata), std::move(transient));
      case Shown::update:
        return update_display_data(std::move(data), std::move(metadata), std::move(transient));
      case Shown::result:
        return publish_execution_result(counter_, std::move(data), std::move(metadata));
    }
  });
}

void Interpreter::clear(bool wait) {
  output_->in_order([&] { clear_output(wait); });
}

bool Interpreter::ask(const std::string& prompt, bool password, std::string& line) {
  line = "refused";
  if (!allows_input_) return false;
  bool answered = false;
  register_input_handler([&](const std::string& value) {
    line = value;
    answered = true;
  });
  try {
    output_->in_order([&] { input_request(prompt, password); });
  } catch (const zmq::error_t&) {  // a signal interrupted the wait
    line = "interrupt";
  }
  register_input_handler([](const std::string&) {});
  return answered;
}

}  // namespace kernel
