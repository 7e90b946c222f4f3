// xeus's interface to a language: passes requests to the functions of lua/notebook/kernel.lua.
#pragma once

#include <memory>
#include <string>

#include <lua.hpp>
#include <xeus/xinterpreter.hpp>

#include "output.h"

namespace kernel {

class Interpreter final : public xeus::xinterpreter {
 public:
  /// The table of lua/notebook/kernel.lua must be on top of the stack of L.
  explicit Interpreter(lua_State* L);

  /// Shows a bundle of data by MIME types.
  enum class Shown { display, update, result };
  void show(Shown how, nlohmann::json data, nlohmann::json metadata, nlohmann::json transient);
  void clear(bool wait);

  /// Asks the user for a line. Returns false if there is none, with the reason in `line`: "refused" by the frontend, or "interrupt".
  bool ask(const std::string& prompt, bool password, std::string& line);

  /// Whether Lua code runs now.
  bool is_running() const { return running_; }

  /// Stops forwarding the output of the process.
  void stop_output() { output_.reset(); }

 private:
  using json = nlohmann::json;

  void configure_impl() override;
  json execute_request_impl(int counter, const std::string& code, bool silent, bool store_history, json user_expressions,
                            bool allow_stdin) override;
  json complete_request_impl(const std::string& code, int cursor) override;
  json inspect_request_impl(const std::string& code, int cursor, int detail) override;
  json is_complete_request_impl(const std::string& code) override;
  json kernel_info_request_impl() override;
  void shutdown_request_impl() override;

  template <class Push> json request(const char* name, Push push_arguments);

  lua_State* L_;
  int handlers_;
  json information_;  // read once, because any thread may need it
  int counter_ = 0;
  bool allows_input_ = false;
  bool running_ = false;
  std::unique_ptr<Output> output_;
};

}  // namespace kernel
