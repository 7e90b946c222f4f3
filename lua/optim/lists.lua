--- One tensor or a list of tensors, treated as a list.
-- @module optim.lists
local torch, check = require 'torch', require 'torch.check'
local messages = require 'torch.check.message'

local lists = {}

--- Returns `x` as a list.
function lists.of(x)
  return type(x) == 'table' and x or { x }
end

local function described(value)
  if torch.isTensor(value) then return 'a ' .. messages.tensor(value) end
  if type(value) == 'table' and not torch.typename(value) then return 'a list of ' .. #value end
  return messages.kind(value)
end

-- Metatables of float tensors, one per dtype. Asking the tensor instead would take a third of the time of a step on ten small parameters.
local floats = {}

local function expectFloats(where, x)
  local metatable = type(x) == 'userdata' and getmetatable(x)
  if floats[metatable] or not torch.isTensor(x) then return end
  if not x:isFloatingPoint() then
    check.raise(('%s: x: %s, expected a tensor of floats: steps are fractions'):format(where, described(x)))
  end
  if metatable then floats[metatable] = true end
end

--- Calls opfunc at x.
-- @string where the algorithm
-- @tparam function opfunc x -> loss, gradient
-- @param x a tensor or a list of tensors
-- @return loss
-- @return gradient
-- @raise if x or the gradient is something else, or their sizes differ
function lists.evaluate(where, opfunc, x)
  local isList = type(x) == 'table' and not torch.typename(x)
  if not isList and not torch.isTensor(x) then
    check.raise(('%s: x: %s, expected a tensor or a list of tensors'):format(where, described(x)))
  end
  if isList then
    for i = 1, #x do expectFloats(where, x[i]) end
  else
    expectFloats(where, x)
  end
  if type(opfunc) ~= 'function' and type(opfunc) ~= 'table' then
    check.raise(('%s: opfunc: %s, expected a function of x'):format(where, described(opfunc)))
  end
  local loss, gradient = opfunc(x)
  if isList then
    if type(gradient) ~= 'table' or #gradient ~= #x then
      check.raise(('%s: gradient: %s, expected a list of %d tensors, as x is'):format(where, described(gradient), #x))
    end
  elseif not torch.isTensor(gradient) or gradient:nElement() ~= x:nElement() then
    check.raise(('%s: gradient: opfunc returned %s after the loss, expected a tensor of sizes %s, as x'):format(where, described(gradient),
      messages.sizes(x)))
  end
  return loss, gradient
end

--- Returns zeros in the shape of `x`, a tensor or a list.
function lists.like(x)
  if type(x) ~= 'table' then return x.new():resizeAs(x):zero() end
  local zeros = {}
  for i = 1, #x do zeros[i] = x[i].new():resizeAs(x[i]):zero() end
  return zeros
end

--- Calls a function for the tensors of each device: ops on lists need a single one.
-- @tparam function f gets a list of tensors, and the entries of the other lists at the same positions
-- @tparam {torch.Tensor,...} xs
-- @param ... further lists, as long
function lists.eachDevice(f, xs, ...)
  local n = #xs
  if n == 0 then return end
  local first, isOne = xs[1]:device(), true
  for i = 2, n do isOne = isOne and xs[i]:device() == first end
  if isOne then return f(xs, ...) end
  local all, order, parts = { xs, ... }, {}, {}
  for i = 1, n do
    local device = xs[i]:device()
    if not parts[device] then
      order[#order + 1], parts[device] = device, {}
      for k = 1, #all do parts[device][k] = {} end
    end
    for k, part in ipairs(parts[device]) do part[#part + 1] = all[k][i] end
  end
  for _, device in ipairs(order) do f(unpack(parts[device])) end
end

--- Multiplies tensors by a factor in place, in one pass for each device, without waiting for it.
-- @tparam {torch.Tensor,...} xs
-- @number factor
-- @treturn {torch.Tensor,...} one element for each device: 1 if a product is not finite, else 0
function lists.scale(xs, factor)
  local found = {}
  lists.eachDevice(function(list)
    local flag = torch.zeros(1, 'float32 on ' .. list[1]:device())
    torch.unscale(list, flag, factor)
    found[#found + 1] = flag
  end, xs)
  return found
end

local small = 65536      -- elements

--- Returns a view of a range of a flat tensor in the shape of x.
-- @tparam torch.Tensor flat
-- @int from the first element
-- @tparam torch.Tensor x
-- @treturn torch.Tensor
function lists.part(flat, from, x)
  local view = flat:narrow(1, from, x:nElement())
  return x:dim() == 1 and view or view:view(x:size())
end

--- Gives states tensors in the shapes of others, where they lack them. Those of small tensors follow each other in memory, so that a step
-- on many of them reads it in order.
-- @tparam {table,...} states
-- @string name of their field
-- @tparam {torch.Tensor,...} xs
-- @number[opt=0] value of all elements
function lists.fill(states, name, xs, value)
  value = value or 0
  local groups = {}
  for i = 1, #xs do
    if not states[i][name] then
      local x = xs[i]
      local kind = x:nElement() > 0 and x:nElement() <= small and x:type() .. ' ' .. x:device()
      if kind then
        groups[kind] = groups[kind] or { count = 0 }
        table.insert(groups[kind], i)
        groups[kind].count = groups[kind].count + x:nElement()
      else
        states[i][name] = x.new():resizeAs(x):fill(value)
      end
    end
  end
  for _, group in pairs(groups) do
    local flat, at = xs[group[1]].new():resize(group.count):fill(value), 1
    for _, i in ipairs(group) do
      states[i][name] = lists.part(flat, at, xs[i])
      at = at + xs[i]:nElement()
    end
  end
end

return lists
