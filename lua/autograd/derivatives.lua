--- Complete derivatives of functions: products with vectors, Jacobians, Hessians.
-- @module autograd.derivatives
local torch, C = require 'torch', require 'libmoontorch'
local check = require 'torch.check'
local sizesOf = require('torch.check.message').sizes
local mode, anyGradient = require 'autograd.mode', require 'autograd.any_gradient'
local grad, linearMap = require('autograd.backward').grad, require 'autograd.linear_map'

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

local function countOf(tensors)
  local count = 0
  for _, x in ipairs(tensors) do count = count + x:nElement() end
  return count
end

-- Computes the Jacobian in reverse mode: a backward pass for each element of y.
local function byRows(y, leaves)
  local blocks = linearMap.matrices(function(us) return product(leaves, { y }, us) end, { C.detach(y) })
  for k, x in ipairs(leaves) do
    blocks[k] = torch.view(blocks[k] or zerosLike(x):resize(0, x:nElement()), joined(y, x))
  end
  return blocks
end

-- Computes the Jacobian in forward mode: the backward pass is linear in y's gradient u; a backward pass through it, from the leaves to u,
-- for each element of the leaves.
local function byColumns(y, leaves)
  local u = anyGradient(y):requiresGrad()
  local found, roots, samples = product(leaves, { y }, { u }, true), {}, {}
  for k, x in ipairs(leaves) do
    if C.tracked(found[k]) then roots[#roots + 1], samples[#samples + 1] = found[k], C.detach(x) end
  end
  local matrix = #roots > 0 and linearMap.matrices(function(vs)
    return { grad(roots, u, { gradOutputs = vs, retainGraph = true, allowUnused = true }) or zerosLike(y) }
  end, samples)[1]
  local blocks, first = {}, 1
  for k, x in ipairs(leaves) do
    if C.tracked(found[k]) then
      blocks[k] = torch.view(torch.contiguous(torch.t(torch.narrow(matrix, 1, first, x:nElement()))), joined(y, x))
      first = first + x:nElement()
    else
      blocks[k] = torch.view(x.new():resize(y:nElement(), x:nElement()):zero(), joined(y, x))
    end
  end
  return blocks
end

-- Computes the Jacobian in the mode that takes fewer passes. Rules without a derivative of their own have no forward mode.
local function jacobianOf(y, leaves)
  if C.tracked(y) and countOf(leaves) < y:nElement() and countOf(leaves) > 0 then
    local done, blocks = pcall(byColumns, y, leaves)
    if done then return blocks end
  end
  return byRows(y, leaves)
end

--- Computes f's Jacobian: every element of its result by every element of its inputs.
-- f runs once. If the result has more elements than the inputs, the Jacobian is computed in forward mode, column by column, otherwise in
-- reverse mode, row by row. The passes run as one graph for a batch of columns or rows if they can be captured (see `autograd.vmap`).
-- @tparam function f returns one tensor
-- @tparam Tensor|{Tensor,...} inputs
-- @treturn Tensor|{Tensor,...} sizes of the result, then of the input; a list of them if inputs is a list
function derivatives.jacobian(f, inputs)
  return inEnabled(function()
    local leaves, outputs = run('jacobian', f, inputs)
    return like(inputs, plain(jacobianOf(outputs[1], leaves)))
  end)
end

--- Computes the product of the Hessian and a vector: the derivative of f's gradient along v.
-- @tparam function f returns one tensor with one element
-- @tparam Tensor|{Tensor,...} inputs
-- @tparam Tensor|{Tensor,...} v in the shape of inputs
-- @treturn Tensor f's result
-- @treturn Tensor|{Tensor,...} the product, in the shape of inputs
-- @raise if the result has several elements
-- @usage local y, p = autograd.hvp(function(x) return torch.sum(torch.pow(x, 3)) end, torch.Tensor { 1, 2 }, torch.ones(2))   --> p is 6 12
function derivatives.hvp(f, inputs, v)
  return inEnabled(function()
    local leaves, outputs = run('hvp', f, inputs)
    checkVectors('hvp', asList(v), leaves)
    local y, vectors, roots, directions = outputs[1], asList(v), {}, {}
    if y:nElement() ~= 1 then check.raise(('hvp: f: a result of %d elements, expected 1'):format(y:nElement())) end
    for k, g in ipairs(product(leaves, { y }, nil, true)) do
      if C.tracked(g) then roots[#roots + 1], directions[#directions + 1] = g, vectors[k] end
    end
    local found = #roots > 0 and grad(roots, leaves, { gradOutputs = directions, allowUnused = true }) or {}
    for k, x in ipairs(leaves) do found[k] = found[k] or zerosLike(x) end
    return C.detach(y), like(inputs, plain(found))
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
