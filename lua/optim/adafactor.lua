--- Adafactor: Adam without a mean of gradients, whose mean squares of a matrix are a product of a column and a row: memory for n + m
-- numbers. b = t^beta2Decay; rows and columns of g^2 have running means r and c with the weight b of the new value; v = r c / mean(r), and
-- for a vector the mean of g^2 itself; u = g / sqrt(max(v, epsilon1^2)); a = min(learningRate, 1 / sqrt(t)) max(epsilon2, rms(x)); x = (1
-- - learningRate weightDecay) x - a u / max(1, rms(u) / clipThreshold), where rms is the root of the mean square.
-- Source: Shazeer & Stern (2018), "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", ICML, algorithms 4 and 5; the order of
-- the operations is PyTorch's.
-- Options: `learningRate` (1e-2), `beta2Decay` (-0.8), `epsilon1` (the dtype's), `epsilon2` (1e-3), `clipThreshold` (1), `weightDecay` (0).
-- state: `t`, `rows`, `columns` or `squares`.
-- @module optim.adafactor
local torch = require 'torch'

local epsilons = { Double = 2 ^ -52, Float = 2 ^ -23, Half = 2 ^ -10, BFloat16 = 2 ^ -7 }
local dtypeOf = require('libmoontorch').dtypeOf

-- Returns zeros in the sizes of x, with size 1 in a dimension counted from the end.
local function reduced(x, fromEnd)
  if x:dim() < 2 then return false end
  local sizes = x:size()
  sizes[x:dim() - fromEnd] = 1
  return x.new():resize(sizes):zero()
end

local function rms(x) return torch.norm(x) / math.sqrt(x:nElement()) end

-- Moves a running mean towards the mean of squares along a dimension.
local function follow(mean, square, dim, weight) mean:mul(1 - weight):add(weight, torch.mean(square, dim)) end

-- Returns the estimate of the mean squares, a new tensor.
local function estimate(gradient, weight, least, rows, columns, squares)
  local square = torch.cmul(gradient, gradient)
  if squares then
    squares:mul(1 - weight):add(weight, square)
    return square:copy(squares)
  end
  local dims = gradient:dim()
  follow(rows, square, dims, weight)
  follow(columns, square, dims - 1, weight)
  local scale = torch.mean(rows, dims - 1):clamp(least, math.huge)
  return torch.cdiv(torch.cmul(square, rows:expandAs(square), columns:expandAs(square)), scale:expandAs(square))
end

return require 'optim.algorithm' {
  name = 'optim.adafactor', class = 'Adafactor', counter = 't', buffers = { 'rows', 'columns', 'squares' }, decay = 'own',
  defaults = { learningRate = 1e-2, beta2Decay = -0.8, epsilon1 = false, epsilon2 = 1e-3, clipThreshold = 1, weightDecay = 0 },
  values = { epsilon1 = require('optim.begin').optionalCount },
  create = {
    rows = function(x) return reduced(x, 0) end,
    columns = function(x) return reduced(x, 1) end,
    squares = function(x) return x:dim() < 2 and x.new():resizeAs(x):zero() end,
  },
  otherSizes = { rows = true, columns = true },
  rate = function(options, state)
    local t = state.t + 1
    return { weight = t ^ options.beta2Decay, relative = math.min(options.learningRate, 1 / math.sqrt(t)) }
  end,
  step = function(x, gradient, rates, options, rows, columns, squares)
    if x:nElement() == 0 then return end
    local least = options.epsilon1 or epsilons[dtypeOf(x)]
    local alpha = math.max(options.epsilon2, rms(x)) * rates.relative
    if options.weightDecay ~= 0 then x:mul(1 - options.learningRate * options.weightDecay) end
    local update = estimate(gradient, rates.weight, least, rows, columns, squares):clamp(least * least, math.huge):rsqrt():cmul(gradient)
    x:add(-alpha / math.max(1, rms(update) / options.clipThreshold), update)
  end,
}
