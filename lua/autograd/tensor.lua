--- Methods and fields that the tape adds to tensors, such as `grad` and `requires_grad`.
-- @module autograd.tensor
local C = require 'libmoontorch'
local class = require 'torch.class'
local node, check = require 'autograd.node', require 'torch.check'
local sizesOf = require('torch.check.message').sizes
local backward, sink = require 'autograd.backward', require 'autograd.sink'

local getNode, setNode, isLeaf, gradient, gradientOf = C.node, C.setNode, node.isLeaf, node.gradient, node.gradientOf

local methods = {}

--- Makes x a leaf of the tape: ops on it are recorded, and backward computes its gradient.
-- @tparam[opt=true] boolean wanted false: x is no longer a leaf; its gradient is freed, too
-- @treturn Tensor x
-- @raise if x is neither a float tensor nor a complex one, or if false is wanted of a result (see detach)
function methods:requiresGrad(wanted)
  local n = getNode(self)
  if wanted == false then
    if n and not isLeaf(n) then
      error('requiresGrad: x: the result of ' .. node.name(n) .. '; only a leaf can stop, x:detach() gives one', 2)
    end
    if n then setNode(self, nil) end
  elseif not n then
    if not self:isFloatingPoint() and not self:isComplex() then
      error('requiresGrad: x: ' .. self:type() .. ', expected a float tensor', 2)
    end
    local leaf, into = node.leaf(self), sink.of(self)
    if into then sink.attach(leaf, into) end
    setNode(self, leaf)
  end
  return self
end

--- Returns whether ops on x are recorded: x is a leaf that requires a gradient, or computed from one.
function methods:isTracked() return getNode(self) ~= nil end

--- Returns whether x is not the result of a recorded op.
function methods:isLeaf()
  local n = getNode(self)
  return n == nil or isLeaf(n)
end

methods.backward = backward.backward

--- Returns an untracked tensor with the same elements, which shares the storage.
function methods:detach()
  if not C.isTensor(self) then error('detach: self: ' .. type(self) .. ', expected a tensor (called with . instead of : ?)', 2) end
  return C.detach(self)
end

--- Sets the gradient to zero, in place, if there is one.
-- @treturn Tensor x
function methods:zeroGrad()
  local n = getNode(self)
  local g = n and isLeaf(n) and gradient(n)
  if n then n.rows = nil end
  if g and n.sink then
    sink.put(n)
  elseif g and C.tracked(g) then
    node.setGradient(n, g:detach():clone():zero())
  elseif g then
    g:zero()
  end
  return self
end

local Handle = {}
Handle.__index = Handle

--- Removes the hook.
function Handle:remove()
  node.removeHook(self.node, self.hook)
end

--- Calls fn(gradient) with the complete gradient of x in each backward pass; a result of fn other than nil replaces the gradient.
-- @tparam function fn must not change its argument in place
-- @return a handle: handle:remove() removes the hook
function methods:registerHook(fn)
  local n = getNode(self)
  if not n then error('registerHook: x: a tensor that is not tracked has no gradient', 2) end
  if type(fn) ~= 'function' then error(('registerHook: fn: a %s, expected a function'):format(type(fn)), 2) end
  node.addHook(n, fn)
  return setmetatable({ node = n, hook = fn }, Handle)
end

--- Stores the gradient in the field `grad` even if x is a result.
-- @treturn Tensor x
function methods:retainGrad()
  local n = getNode(self)
  if not n then error('retainGrad: x: a tensor that is not tracked has no gradient', 2) end
  if not isLeaf(n) and not n.retains then
    n.retains = true
    methods.registerHook(self, function(g) node.setGradient(n, gradient(n) and gradient(n) + g or g) end)
  end
  return self
end

local fields = {}

-- The gradient, or that of rows: see autograd.row_gradient.
function fields.grad(x)
  local g = gradientOf(x)
  if g ~= nil then return g end
  local n = getNode(x)
  return n and n.rows
end

fields.requires_grad = methods.isTracked
-- Marks that no method has the name of a field, so that lookups end here.
for name in pairs(fields) do methods[name] = false end

local function getField(x, key)
  local field = fields[key]
  if field then return field(x) end
end

local function setField(x, key, value)
  if key == 'requires_grad' then
    methods.requiresGrad(x, value)
    return true
  elseif key ~= 'grad' then
    return false
  end
  local n = getNode(x)
  if not n then
    if value == nil then return true end
    check.raise('grad: x does not require a gradient; call x:requiresGrad() first')
  end
  local isRows = class.type(value) == 'torch.RowGradient'
  if value ~= nil and not C.isTensor(value) and not isRows then
    check.raise('grad: value: ' .. class.type(value) .. ', expected a tensor or nil')
  end
  if isRows and n.sink then value = value:toDense() end
  if isRows and not isLeaf(n) then check.raise('grad: value: a gradient of rows, expected a tensor, as x is not a leaf') end
  if value ~= nil and not (isRows and x:isSize(value:size()) or C.isTensor(value) and C.sameSizes(value, x)) then
    local sizes = isRows and require('torch.check.message').listed(value:size()) or sizesOf(value)
    check.raise(('grad: size %s, expected the size of x: %s'):format(sizes, sizesOf(x)))
  end
  n.rows = nil
  if isRows and not n.sink then
    node.setGradient(n, nil)
    n.rows = value
  elseif n.sink then
    require('autograd.mode').noGrad(sink.put, n, value)
  else
    node.setGradient(n, value)
  end
  return true
end

return { methods = methods, getField = getField, setField = setField }
