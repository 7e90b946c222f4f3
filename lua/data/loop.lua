--- Objects whose call begins a pass, `for x in object() do`, and that also support `for x in object do`.
-- @module data.loop
local select = select

local passes = setmetatable({}, { __mode = 'k' })      -- object -> the pass of a loop that calls the object itself

--- Implements the call of such an object. A loop over the object calls it with two arguments, state and control, for each value.
-- @tparam function begin (object, ...) -> iterator
-- @param object
-- @param ... arguments of the call
-- @return the iterator; for a loop over the object, the iterator's next values
return function(begin, object, ...)
  if select('#', ...) ~= 2 then return begin(object, ...) end
  local _, control = ...
  if control == nil then passes[object] = begin(object) end
  return passes[object]()
end
