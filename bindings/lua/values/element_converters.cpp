// Elements of dtypes that C lacks, for lua/torch/index/values.lua.
#include "bindings/lua/state/guarded.h"
#include "bindings/lua/values/ffi_functions.h"
#include "engine/core/dtype.h"

namespace mt::lua {
namespace {

template <class T> double read(const void* element) {
  return static_cast<double>(static_cast<Compute<T>>(*static_cast<const T*>(element)));
}
template <class T> void write(void* element, double value) { *static_cast<T*>(element) = element_from<T>(value); }

// elementConverters(dtype, counted from 0) -> addresses of double (*)(const void *element) and void (*)(void *element, double)
int element_converters(lua_State* L) {
  const int number = static_cast<int>(lua_tointeger(L, 1));
  guarded(L, upvalue_state(L), [&] {
    if (number < 0 || number >= dtype_count) fail("elementConverters", "dtype", number, ", expected the number of a dtype");
    dispatch<compared_dtypes>(static_cast<DType>(number), [L]<class T>(std::type_identity<T>) {
      push_function_address(L, &read<T>);
      push_function_address(L, &write<T>);
    });
  });
  return 2;
}

}  // namespace

void open_element_converters(lua_State* L, State& state) { add_function(L, state, "elementConverters", element_converters); }

}  // namespace mt::lua
