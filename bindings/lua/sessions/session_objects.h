// Results of calls as objects. The handles are allocated before the call, so that no result is lost when memory runs out.
#pragma once

#include <vector>

#include "bindings/lua/sessions/session.h"

namespace mt::lua {

class NewObjects {
 public:
  NewObjects(Inside& inside, const char* function, int32_t count, mt_object** results);
  ~NewObjects();  // releases objects that were not returned
  NewObjects(const NewObjects&) = delete;
  NewObjects& operator=(const NewObjects&) = delete;

  int count() const { return static_cast<int>(made_.size()); }
  void take(lua_State* L);  // pops a value for each object, in protected mode
  void give() noexcept;     // returns the objects to the C caller

 private:
  std::vector<mt_object*> made_;
  mt_object** const results_;
};

// Calls, in protected mode, the function that `push` pushes with its arguments; `push` returns the number of arguments.
template <class F> void call_for_objects(Inside& inside, const char* function, int32_t count, mt_object** results, F&& push) {
  NewObjects objects(inside, function, count, results);
  protect(inside.lua(), &inside.state(), [&](lua_State* L) {
    const int arguments = push(L);
    lua_call(L, arguments, objects.count());
    objects.take(L);
  });
  objects.give();
}

}  // namespace mt::lua
