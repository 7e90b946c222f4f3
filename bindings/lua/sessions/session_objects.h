// Results of calls as objects: handles that are there before the call, so that nothing is lost when memory runs out.
#pragma once

#include <vector>

#include "bindings/lua/sessions/session.h"

namespace mt::lua {

class NewObjects {
 public:
  NewObjects(Inside& inside, const char* function, int32_t count, mt_object** results);
  ~NewObjects();  // releases what was not given
  NewObjects(const NewObjects&) = delete;
  NewObjects& operator=(const NewObjects&) = delete;

  int count() const { return static_cast<int>(made_.size()); }
  void take(lua_State* L);  // as many values as there are objects, from the top of the stack; in protected code
  void give() noexcept;     // to the caller of C

 private:
  std::vector<mt_object*> made_;
  mt_object** const results_;
};

// Calls, in protected code, the function that `push` pushes, which gives how many arguments it pushed behind it.
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
