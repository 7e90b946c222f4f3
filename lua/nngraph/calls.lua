--- Calls of modules and criteria with nodes, and the operator `-`. Calls with other arguments do not change.
-- @module nngraph.calls
local torch, nngraph = require 'torch', require 'nngraph'
local check, nn = require 'torch.check', require 'nn'

local Module, Criterion = torch.getmetatable 'nn.Module', torch.getmetatable 'nn.Criterion'
local Node = nngraph.Node

local function isNode(value) return torch.isTypeOf(value, 'graph.Node') end
local function isModule(value) return torch.isTypeOf(value, 'nn.Module') or torch.isTypeOf(value, 'nn.Criterion') end

-- Whether an argument is, or was probably meant to be, the input of a node.
local function isForNode(value)
  if type(value) ~= 'table' then return false end
  if torch.typename(value) then return isNode(value) or isModule(value) end
  for _, element in pairs(value) do
    if type(element) == 'table' and (isNode(element) or isModule(element)) then return true end
  end
  return next(value) == nil
end

local function checkInput(i, value)
  if value == nil then check.raise(('inputs[%d] is nil (typo / bad index?)'):format(i)) end
  if isModule(value) then
    check.raise(('inputs[%d] is an nn.Module, specifically a %s, but the only valid thing to pass is an instance of nngraph.Node. '
      .. 'Did you forget a second pair of parentheses, as in nn.Identity()()?'):format(i, torch.type(value)))
  end
  if not isNode(value) then check.raise(('inputs[%d] should be an nngraph.Node but is of type %s'):format(i, torch.type(value))) end
end

-- Returns the inputs of a node as a list, after checks.
local function listed(input)
  if input == nil then return {} end
  if torch.typename(input) then input = { input } end
  check.that(next(input) ~= nil,
    'cannot pass an empty table of inputs. To indicate no inputs, leave the second set of parens empty.')
  local count, met = 0, {}
  for key in pairs(input) do count = type(key) == 'number' and math.max(count, key) or count end
  for i = 1, count do
    checkInput(i, input[i])
    check.that(not met[input[i]], "Don't pass the same input twice.")
    met[input[i]] = true
  end
  return input
end

local function connected(module, input, ...)
  check.that(select('#', ...) == 0, 'Use {input1, input2} to pass multiple inputs.')
  local node = Node { module = module }
  node:add(listed(input))
  return node
end

-- Wraps a call: with nodes it creates a node, with other arguments it does as before.
local function withNodes(call, wrap)
  return function(self, ...)
    local input = ...
    if type(input) == 'userdata' then return call(self, ...) end
    if select('#', ...) == 0 or isForNode(input) then return (connected(wrap(self), ...)) end
    if input == nil then checkInput(1, nil) end
    return call(self, ...)
  end
end

Module.__call__ = withNodes(Module.__call__, function(module) return module end)
Criterion.__call__ = withNodes(Criterion.__call__, function(criterion) return nn.ModuleFromCriterion(criterion) end)

-- `- module` is `module()`.
local function start(module) return (module()) end

-- `node - module` and `{node1, node2} - module` are `module(...)`.
local function follow(from, module)
  if not isModule(module) then
    check.raise(('nngraph: -: a module before it and %s behind it, expected - module, node - module or {node1, node2} - module'):format(
      torch.type(module)))
  end
  return (module(from))
end

for _, class in ipairs { Module, Criterion } do class.__unm__, class.__sub__ = start, follow end

return nngraph
