--- Functions with a user-defined derivative.
-- @module autograd.function
local torch, C = require 'torch', require 'libmoontorch'
local check, messages = require 'torch.check', require 'torch.check.message'
local node = require 'autograd.node'
local view = require 'autograd.view'
local mode = require 'autograd.mode'

local unpack, select = unpack, select

local Context = {}
Context.__index = Context

--- Saves tensors for backward, which fails if they were changed in place meanwhile.
function Context:save(...)
  local count = select('#', ...)
  local list, versions = { n = count, ... }, {}
  for i = 1, count do
    if list[i] ~= nil then versions[i] = C.versionOf(list[i]) end
  end
  self._saved, self._versions = list, versions
end

--- Returns the tensors that `save` saved.
function Context:saved()
  local list = self._saved
  if not list then error(self.name .. ': saved: nothing was saved', 2) end
  for i = 1, list.n do
    if list[i] ~= nil and C.versionOf(list[i]) ~= self._versions[i] then
      error(self.name .. ': backward: saved tensor ' .. i .. ' was changed in place or set to other memory since', 0)
    end
  end
  return unpack(list, 1, list.n)
end

-- Replaces each result that is also an argument by an alias.
local function distinct(results, arguments)
  for i = 1, results.n do
    for k = 1, arguments.n do
      if C.isTensor(results[i]) and rawequal(results[i], arguments[k]) then results[i] = C.detach(results[i]) end
    end
  end
end

local function pack(...) return { n = select('#', ...), ... } end

-- Checks the gradients that a backward function returned, and gives each the size of its argument.
local function fitted(name, sizes, ...)
  local gradients = pack(...)
  for i, size in pairs(sizes) do
    local g = gradients[i]
    local isTensor = C.isTensor(g)
    if g ~= nil and not isTensor then
      error(('%s: backward: gradient %d: a %s, expected a tensor'):format(name, i, torch.type(g)), 0)
    elseif isTensor and not g:isSize(size) then
      local done, same = pcall(torch.reshape, g, size)
      if not done then
        error(('%s: backward: gradient %d: size %s, expected that of the argument: %s'):format(name, i, messages.sizes(g),
          messages.listed(size)), 0)
      end
      gradients[i] = same
    end
  end
  return unpack(gradients, 1, gradients.n)
end

local function checkDefinition(definition)
  if type(definition) ~= 'table' then
    check.raise(('autograd.Function: definition: a %s, expected a table'):format(torch.type(definition)))
  end
  for _, field in ipairs { 'forward', 'backward' } do
    if type(definition[field]) ~= 'function' then
      check.raise(('autograd.Function: %s: a %s, expected a function'):format(field, torch.type(definition[field])))
    end
  end
  local list = definition.autocast
  if list ~= nil and list ~= 'low' and list ~= 'float32' and list ~= 'widest' then
    check.raise(('autograd.Function: autocast: %s, expected low, float32 or widest'):format(tostring(list)))
  end
end

--- Creates a function that the tape records as one op.
-- @tparam table definition name: for messages; forward(ctx, ...): returns the results, and nothing in it is recorded; backward(ctx, g...):
--   returns the gradient of each argument of forward, nil for none, from the gradients of the results (nil for a result that was not used).
--   In backward, `ctx.needs[i]` is true if argument i needs a gradient. If backward uses differentiable ops on `ctx:saved()`, it can be
--   differentiated again. autocast: the list, 'low', 'float32' or 'widest', by which torch.autocast converts the arguments; forward then
--   runs with autocast off.
-- @treturn function
-- @raise if forward or backward is missing; in backward, if a gradient is not a tensor or has a different number of elements from its
--   argument
-- @usage
-- local cube = autograd.Function {
--   name = 'cube',
--   forward = function(ctx, x) ctx:save(x); return torch.pow(x, 3) end,
--   backward = function(ctx, g) local x = ctx:saved(); return torch.cmul(g, torch.mul(torch.pow(x, 2), 3)) end,
-- }
local function Function(definition)
  checkDefinition(definition)
  local name, forward, backward = definition.name or 'autograd.Function', definition.forward, definition.backward
  local function apply(...)
    local ctx = setmetatable({ name = name, needs = {} }, Context)
    local arguments = pack(...)
    local edges, sizes, tracked = {}, {}, false
    local recording = C.gradMode()
    for i = 1, arguments.n do
      local x = arguments[i]
      local edge = recording and type(x) == 'userdata' and C.node(x)
      if edge then
        if x:dim() > 0 then                                          -- else it only represents a node: see autograd.checkpoint
          if node.isView(edge) then edge = view.refresh(x) end
          sizes[i] = x:size()
        end
        edges[i], ctx.needs[i], tracked = edge, true, true
      end
    end
    local results = pack(mode.noGrad(forward, ctx, ...))
    if not tracked then return unpack(results, 1, results.n) end
    local several, count = results.n > 1, results.n
    local owner = node.ofFunction(name, function(g)
      if several then return fitted(name, sizes, backward(ctx, unpack(g, 1, count))) end
      return fitted(name, sizes, backward(ctx, g))
    end, edges, arguments.n)
    distinct(results, arguments)
    node.hang(owner, results, results.n)
    if mode.made then mode.made(name, owner, results, arguments) end
    return unpack(results, 1, results.n)
  end
  local list = definition.autocast
  if not list then return apply end
  return function(...)
    if not C.autocast() then return apply(...) end
    return torch.autocast.off(apply, C.castBy(list, ...))
  end
end

return Function
