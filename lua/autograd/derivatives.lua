--- Complete derivatives of functions: products with vectors, Jacobians, Hessians.
-- @module autograd.derivatives
local torch, C = require 'torch', require 'libmoontorch'
local check = require 'torch.check'
local sizesOf = require('torch.check.message').sizes
local mode, anyGradient = require 'autograd.mode', require 'autograd.any_gradient'
local grad = require('autograd.backward').grad

local derivatives = {}

local function asList(x) return type(x) == 'table' and x or { x } end

-- Runs f on the inputs as leaves; returns the leaves and f's results, which must be tensors.
local function run(where, f, inputs)
  check.callable(where, 'f', f)
  if type(inputs) ~= 'table' then check.tensor(where, 'inputs', inputs) end
  local leaves = {}
  for i, x in ipairs(asList(inputs)) do
    if not torch.isTensor(x) or not x:isFloatingPoint() then
      check.raise(('%s: inputs: number %d is a %s, expected a float tensor'):format(where, i, torch.type(x)))
    end
    leaves[i] = C.detach(x):requiresGrad()
  end
  local outputs = { f(unpack(leaves)) }
  check.that(outputs[1] ~= nil, where .. ': f: no result, expected a tensor')
  for i, y in ipairs(outputs) do
    if not torch.isTensor(y) then check.raise(('%s: f: result %d is a %s, expected a tensor'):format(where, i, torch.type(y))) end
  end
  return leaves, outputs
end

-- Raises an error unless there is a vector of the same size for each of `tensors`.
local function checkVectors(where, vectors, tensors)
  for i, x in ipairs(tensors) do
    local v = vectors[i]
    if not torch.isTensor(v) then check.raise(('%s: v: number %d is a %s, expected a tensor'):format(where, i, torch.type(v))) end
    if not C.sameSizes(v, x) then
      check.raise(('%s: v: number %d: size %s, expected %s'):format(where, i, sizesOf(v), sizesOf(x)))
    end
  end
end

local function zerosLike(x) return x.new():resizeAs(x):zero() end

local function inEnabled(f, ...) return mode.enableGrad(f, ...) end

-- Returns v' J for the outputs that depend on the inputs; zeros if none does.
local function product(leaves, outputs, vectors, create)
  local ys, vs = {}, {}
  for i, y in ipairs(outputs) do
    if C.tracked(y) then
      ys[#ys + 1], vs[#vs + 1] = y, vectors and vectors[i] or y:detach():clone():fill(1)
    end
  end
  local found = {}
  if #ys > 0 then
    found = grad(ys, leaves, { gradOutputs = vs, allowUnused = true, createGraph = create, retainGraph = true })
  end
  for i, x in ipairs(leaves) do found[i] = found[i] or zerosLike(x) end
  return found
end

local function like(inputs, list)
  if type(inputs) == 'table' then return list end
  return list[1]
end

local function plain(list)
  for i, x in ipairs(list) do list[i] = C.detach(x) end
  return list
end

--- Computes the product of a vector and f's Jacobian: gradients of v . f(inputs).
-- @tparam function f returns one tensor or several
-- @tparam Tensor|{Tensor,...} inputs its arguments
-- @tparam[opt] Tensor|{Tensor,...} v one for each result, in its size; default: ones
-- @return f's result, or a list of results if f returns several
-- @return the product, in the shape of inputs
-- @usage local y, g = autograd.vjp(torch.square, torch.Tensor { 1, 2 }, torch.Tensor { 1, 10 })   --> g is 2 40
function derivatives.vjp(f, inputs, v)
  return inEnabled(function()
    local leaves, outputs = run('vjp', f, inputs)
    if v then checkVectors('vjp', asList(v), outputs) end
    local found = product(leaves, outputs, v and asList(v))
    plain(outputs)
    return #outputs > 1 and outputs or outputs[1], like(inputs, plain(found))
  end)
end

--- Computes the product of f's Jacobian and a vector: the derivative of f along v. (It is the derivative by u of u' J, which is linear in
-- u, times v.)
-- @tparam function f returns one tensor
-- @tparam Tensor|{Tensor,...} inputs
-- @tparam Tensor|{Tensor,...} v in the shape of inputs
-- @treturn Tensor f's result
-- @treturn Tensor the product, in its size
function derivatives.jvp(f, inputs, v)
  return inEnabled(function()
    local leaves, outputs = run('jvp', f, inputs)
    checkVectors('jvp', asList(v), leaves)
    local y = outputs[1]
    if not C.tracked(y) then return y, zerosLike(y) end
    local u = anyGradient(y):requiresGrad()
    local found, directions, vectors, linear = product(leaves, { y }, { u }, true), {}, asList(v), {}
    for i, g in ipairs(found) do
      if C.tracked(g) then linear[#linear + 1], directions[#linear + 1] = g, vectors[i] end
    end
    local along = #linear > 0 and grad(linear, u, { gradOutputs = directions, allowUnused = true })
    return C.detach(y), along and C.detach(along) or zerosLike(y)
  end)
end

local function joined(a, b)
  local size = a:size():totable()
  for _, n in ipairs(b:size():totable()) do size[#size + 1] = n end
  return torch.LongStorage(size)
end

-- Computes the Jacobian row by row: the gradient of each element of y by each leaf.
local function jacobianOf(y, leaves, create)
  local rows = {}
  for k = 1, #leaves do rows[k] = {} end
  for i = 1, y:nElement() do
    local unit = zerosLike(y)
    unit:view(-1)[i] = 1
    for k, g in ipairs(product(leaves, { y }, { unit }, create)) do rows[k][i] = torch.view(torch.contiguous(g), 1, g:nElement()) end
  end
  local blocks = {}
  for k, x in ipairs(leaves) do
    local all = #rows[k] > 0 and torch.cat(rows[k], 1) or zerosLike(x):resize(0, x:nElement())
    blocks[k] = torch.view(all, joined(y, x))
  end
  return blocks
end

--- Computes f's Jacobian: every element of its result by every element of its inputs.
-- @tparam function f returns one tensor
-- @tparam Tensor|{Tensor,...} inputs
-- @treturn Tensor|{Tensor,...} sizes of the result, then of the input; a list of them if inputs is a list
function derivatives.jacobian(f, inputs)
  return inEnabled(function()
    local leaves, outputs = run('jacobian', f, inputs)
    return like(inputs, plain(jacobianOf(outputs[1], leaves)))
  end)
end

--- Computes the Hessian of a function with one result of one element.
-- @tparam function f
-- @tparam Tensor|{Tensor,...} inputs
-- @treturn Tensor|{{Tensor,...},...} sizes of the input, twice; for a list of inputs H[i][j], sizes of input i, then of input j
-- @raise if the result has several elements
-- @usage autograd.hessian(function(x) return torch.sum(torch.pow(x, 3)) end, torch.Tensor { 1, 2 })   --> 6 0, 0 12
function derivatives.hessian(f, inputs)
  return inEnabled(function()
    local leaves, outputs = run('hessian', f, inputs)
    local y = outputs[1]
    if y:nElement() ~= 1 then check.raise(('hessian: f: a result of %d elements, expected 1'):format(y:nElement())) end
    local blocks = {}
    for i, g in ipairs(product(leaves, { y }, nil, true)) do blocks[i] = plain(jacobianOf(g, leaves)) end
    if type(inputs) == 'table' then return blocks end
    return blocks[1][1]
  end)
end

return derivatives
