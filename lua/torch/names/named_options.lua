--- Arguments of ops by name: torch.divide(x, 2, { roundingMode = 'floor' }), torch.std(x, { dim = 1, biased = true }); and objects that
-- implement ops, such as sparse tensors: torch.mm(s, x).
-- The binding calls this module if the arguments of a call match no form of its op, so that other calls don't pay for it.
-- @module torch.names.named_options
local C, torch = require 'libmoontorch', require 'torch'
local expect = require 'torch.check.expect'
local severalDims = require 'torch.names.several_dims'

-- Returns the arguments in order, and their number; nil if the last one is no table of this op's arguments by name. Ops whose method
-- changes its tensor accept none.
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

-- Returns the function (op, arguments...) of the class of the first argument that has one, the field __onOp.
local function implementation(...)
  for i = 1, select('#', ...) do
    local value = select(i, ...)
    local metatable = type(value) == 'table' and getmetatable(value)
    local onOp = type(metatable) == 'table' and rawget(metatable, '__onOp')
    if onOp then return onOp end
  end
end

--- Calls an op whose arguments match none of its forms.
-- @string name of the op
-- @bool isMethod whether a tensor's method was called, which may have to change the tensor
-- @param ... its arguments
-- @return the results; nothing if the arguments have no other form
return function(name, isMethod, ...)
  local onOp = not isMethod and implementation(...)
  if onOp then return onOp(name, ...) end
  if name == 'searchsorted' then
    local found = require 'torch.names.searchsorted'(...)
    if found then return found end
  end
  local list, last = inOrder(name, ...)
  if list then return torch[name](unpack(list, 1, last)) end
  return severalDims(name, ...)
end
