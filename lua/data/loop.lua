--- Objects whose call begins a pass, `for x in object() do`, and that `for x in object do` goes through as well.
-- @module data.loop
local select = select

local passes = setmetatable({}, { __mode = 'k' })      -- object -> the pass of a loop that calls the object itself

--- The call of such an object. A loop over the object calls it with two arguments, state and control, for each value.
-- @tparam function begin (object, ...) -> iterator
-- @param object
-- @param ... what the call got
-- @return the iterator; to a loop, what that gives
return function(begin, object, ...)
  if select('#', ...) ~= 2 then return begin(object, ...) end
  local _, control = ...
  if control == nil then passes[object] = begin(object) end
  return passes[object]()
end
