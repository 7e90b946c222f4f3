--- torch-autograd's gradient check: `checker = require 'autograd.gradcheck' {randomizeInput = true}`, then `checker(f, parameters, ...)`.
-- @module autograd.classic.checkparameters
local torch = require 'torch'
local trees = require 'autograd.classic.trees'

local perturbation, threshold = 1e-6, 1e-5

-- Returns the leaves of the tree that can vary: {get, set, size} for each tensor and each number.
local function movable(tree)
  local list = {}
  trees.each(tree, function(x, branch, key)
    if torch.isTensor(x) and x:isFloatingPoint() then
      list[#list + 1] = { tensor = x }
    elseif type(x) == 'number' and branch then
      list[#list + 1] = { branch = branch, key = key }
    end
  end)
  return list
end

local function randomize(leaf, bound)
  if leaf.tensor then leaf.tensor:uniform(-bound, bound) else leaf.branch[leaf.key] = torch.uniform(-bound, bound) end
end

local function valueOf(loss) return torch.isTensor(loss) and loss:item() or loss end

-- Calls fn(i, move) for each element: move(h) changes it by h.
local function eachElement(leaf, fn)
  if not leaf.tensor then
    return fn(1, function(h) leaf.branch[leaf.key] = leaf.branch[leaf.key] + h end)
  end
  local x = leaf.tensor
  local flat = x:isContiguous() and x:view(-1) or error('gradcheck: parameters: a tensor that is not contiguous', 0)
  for i = 1, flat:nElement() do
    fn(i, function(h) flat[i] = flat[i] + h end)
  end
end

local function gradientAt(gradient, i)
  if gradient == nil then return 0 end
  if type(gradient) == 'number' then return gradient end
  return gradient:contiguous():view(-1)[i]
end

-- Returns the gradients of the leaves, in the order of the leaves in the tree.
local function gradientsInOrder(tree, gradients)
  local list = {}
  local function collect(value, gradient)
    if type(value) == 'table' and not torch.typename(value) then
      for _, key in ipairs(trees.keys(value)) do collect(value[key], gradient and gradient[key]) end
    elseif torch.isTensor(value) and value:isFloatingPoint() or type(value) == 'number' then
      list[#list + 1] = gradient or false
    end
  end
  collect(tree, gradients)
  return list
end

local function largestError(f, df, leaves, parameters, ...)
  local arguments, count = { parameters, ... }, select('#', ...) + 1
  local function loss() return valueOf((f(unpack(arguments, 1, count)))) end
  local gradients = gradientsInOrder(parameters, (df(unpack(arguments, 1, count))))
  local again = gradientsInOrder(parameters, (df(unpack(arguments, 1, count))))
  local worst = 0
  for k, leaf in ipairs(leaves) do
    eachElement(leaf, function(i, move)
      local g = gradientAt(gradients[k] or nil, i)
      if g ~= gradientAt(again[k] or nil, i) then error('autograd gradient not deterministic', 0) end
      move(perturbation / 2)
      local above = loss()
      move(-perturbation)
      local below = loss()
      move(perturbation / 2)
      local found = math.abs((above - below) / perturbation - g)
      worst = (found > worst or found ~= found) and found or worst
    end)
  end
  return worst
end

-- Returns the error of the derivative along a random direction of all leaves together, relative if it is above 1.
local function directionalError(f, df, leaves, parameters, ...)
  local arguments, count = { parameters, ... }, select('#', ...) + 1
  local gradients = gradientsInOrder(parameters, (df(unpack(arguments, 1, count))))
  local directions, expected = {}, 0
  for k, leaf in ipairs(leaves) do
    directions[k] = {}
    eachElement(leaf, function(i)
      directions[k][i] = torch.uniform(-1, 1)
      expected = expected + directions[k][i] * gradientAt(gradients[k] or nil, i)
    end)
  end
  local function lossAt(h)
    for k, leaf in ipairs(leaves) do eachElement(leaf, function(i, move) move(h * directions[k][i]) end) end
    return valueOf((f(unpack(arguments, 1, count))))
  end
  local above = lossAt(perturbation / 2)
  local below = lossAt(-perturbation)
  lossAt(perturbation / 2)
  return math.abs((above - below) / perturbation - expected) / math.max(1, math.abs(expected))
end

--- Creates a checker.
-- @tparam table options randomizeInput: parameters are drawn from -1..1, and from -10..10 for the check along a direction
-- @treturn function (f, parameters, ...) -> whether the gradient by the parameters, float64 tensors and numbers in tables to any depth,
--   agrees with central differences within 1e-5; the largest error is printed
-- @raise when called: if two evaluations give different gradients
return function(options)
  return function(f, parameters, ...)
    local df = require('autograd')(f)
    local tree = parameters
    if type(tree) ~= 'table' or torch.typename(tree) then tree = { parameters } end
    local leaves = movable(tree)
    local function draw(bound)
      if not options.randomizeInput then return end
      for _, leaf in ipairs(leaves) do randomize(leaf, bound) end
    end
    local given = parameters
    if type(given) == 'number' then
      local inner, innerF = df, f
      df = function(p, ...) return { (inner(p[1], ...)) } end
      f = function(p, ...) return innerF(p[1], ...) end
      given = tree
    end
    draw(1)
    local absolute = largestError(f, df, leaves, given, ...)
    draw(10)
    local along = directionalError(f, df, leaves, given, ...)
    print(('[gradcheck] maximum error: %g, along a direction: %g'):format(absolute, along))
    return absolute <= threshold and along <= threshold
  end
end
