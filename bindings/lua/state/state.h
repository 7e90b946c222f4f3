// The library's data of one Lua state. Each part is a class with a separate header, which only its users include.
#pragma once

#include <cstdint>
#include <memory>

#include "bindings/lua/state/host_lua.h"

namespace mt {
class OpHook;       // engine/core/registry.h
struct Budget;      // engine/core/budget.h
struct Generators;  // engine/core/generator.h
}  // namespace mt

namespace mt::lua {

struct Autocast;         // bindings/lua/call/autocast.h
struct BoundOps;         // bindings/lua/call/bound_op.h
struct CallTrace;        // bindings/lua/call/call_trace.h
class CollectorPacing;   // bindings/lua/state/collector_pacing.h
struct Defaults;         // bindings/lua/values/defaults.h
struct DeviceLoader;     // bindings/lua/values/devices.h
struct Errors;           // bindings/lua/state/errors.h
struct GradMode;         // bindings/lua/tape/grad_mode.h
class HeapLimit;         // bindings/lua/state/heap_limit.h
struct NumberFunctions;  // bindings/lua/values/numbers.h
class MemoryAccount;     // bindings/lua/state/memory_account.h
struct Metatables;       // bindings/lua/values/metatables.h
struct NativeTape;       // bindings/lua/tape/native_tape.h
class OutgoingTexts;     // bindings/lua/state/outgoing_texts.h

struct State {
 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;

 public:
  explicit State(uint64_t seed);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  OpHook* hook = nullptr;  // all calls of ops pass through it: for capture and profiling
  // For code that reads tensors, or gives them to others, without ops. Raises the errors of the pending ops.
  void compute_pending() const;

  Defaults& defaults;
  Generators& generators;
  GradMode& grad_mode;
  NativeTape& tape;
  Autocast& autocast;
  BoundOps& ops;
  CallTrace& trace;
  Metatables& metatables;
  NumberFunctions& numbers;
  DeviceLoader& device_loader;
  MemoryAccount& account;
  Budget& budget;  // of the account: the limit of its storages
  HeapLimit& heap_limit;
  CollectorPacing& collector;
  Errors& errors;
  OutgoingTexts& texts;
};

// The registry field with the address of the state, for callers in C, which have no closure.
inline constexpr const char* opened_state_key = "moontorch.state";

// The State of the running C closure. The first upvalue of all the library's C closures is the State or a BoundOp.
inline State& upvalue_state(lua_State* L) { return *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1))); }

// Adds a C function, with the state as its upvalue, to the table on top of the stack.
void add_function(lua_State* L, State& state, const char* name, lua_CFunction f);

}  // namespace mt::lua
