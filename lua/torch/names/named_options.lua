--- Arguments of ops by name: torch.divide(x, 2, { roundingMode = 'floor' }), torch.std(x, { dim = 1, biased = true }).
-- The binding calls this module if the arguments of a call match no form of its op, so that other calls don't pay for it.
-- @module torch.names.named_options
local C, torch = require 'libmoontorch', require 'torch'
local expect = require 'torch.check.expect'
local severalDims = require 'torch.names.several_dims'

-- Returns the arguments in order, and their number; nil if the last one is no table of this op's arguments by name. Methods that change
-- their tensor accept none: this module does not know whether the method or the function was called.
local function inOrder(name, ...)
  local count = select('#', ...)
  local options = count > 1 and select(count, ...)
  if type(options) ~= 'table' or getmetatable(options) ~= nil or torch.typename(options) or next(options) == nil then return nil end
  local method = C.opInfo(name, 'method')
  if method ~= 'returns' and method ~= 'none' then return nil end
  local places = {}
  for i, param in ipairs(torch.ops[name].params) do places[param.name] = i end
  local list, last = { ... }, count - 1
  list[count] = nil
  for key in next, options do
    if not places[key] then return nil end
  end
  for key, value in next, options do
    if places[key] < count then expect.fail(name, key, 'by position and by name, expected it once') end
    list[places[key]], last = value, math.max(last, places[key])
  end
  return list, last
end

--- Calls an op whose arguments match none of its forms.
-- @string name of the op
-- @param ... its arguments
-- @return the results; nothing if the arguments have no other form
return function(name, ...)
  local list, last = inOrder(name, ...)
  if list then return torch[name](unpack(list, 1, last)) end
  return severalDims(name, ...)
end
