--- Shampoo: the gradient of a matrix multiplied on both sides by inverse roots of sums of its products. Each parameter is a matrix G of
-- its first dimension and all others together; a vector has rows alone.
-- L = L + G G', R = R + G' G, which start as epsilon times the identity; in the first `interval` steps, and then every `interval` steps,
-- L^(-1/4) and R^(-1/4) are computed again; d = L^(-1/4) G R^(-1/4); with momentum, d = buffer = momentum buffer + d; x = x -
-- learningRate d. A side of size 1 is left out, and the exponent of the other is -1/2. A side longer than `maxSize` has the diagonal of its
-- matrix alone: a vector then takes Adagrad's step.
-- It pays where the directions of a layer's gradients depend on each other and sides are at most some thousands long, as in convolutions
-- and Transformers: it then needs fewer steps than Adam. A root of a side of n costs about 10 n^3 multiplications, so choose `interval`
-- such that roots take a small part of the time (10 to 100); memory is 2 n^2 numbers a side. For vectors, and sides beyond maxSize, Adam
-- is cheaper.
-- Source: Gupta, Koren & Singer (2018), "Shampoo: Preconditioned Stochastic Tensor Optimization", ICML, algorithm 1; section 5 for the
-- diagonal form and the interval.
-- Options: `learningRate` (0.1), `momentum` (0), `weightDecay` (0), `epsilon` (1e-4), `interval` (1), `maxSize` (1024). state:
-- `evalCounter`, `rows`, `columns`, `rowRoot`, `columnRoot`, `buffer`.
-- @module optim.shampoo
local torch, check = require 'torch', require 'torch.check'

-- Returns the sizes of a parameter's matrix.
local function sidesOf(x)
  local rows = x:dim() > 0 and x:size(1) or 0
  return rows, rows > 0 and x:nElement() / rows or 0
end

-- Whether a side has a matrix: rows always have one, unless columns alone have.
local function isUsed(x, side)
  local rows, columns = sidesOf(x)
  if side == 1 then return rows > 1 or columns <= 1 end
  return columns > 1
end

-- Returns value times the identity for a side, as a matrix or its diagonal; false if the side is not used.
local function identity(side, power)
  return function(x, options)
    if not isUsed(x, side) then return false end
    local n = select(side, sidesOf(x))
    local value = options.epsilon ^ power
    if n > options.maxSize then return x.new():resize(n):fill(value) end
    return torch.eye(n):mul(value):type(x:type())
  end
end

-- statistics = statistics + m m'
local function accumulate(statistics, m)
  if statistics:dim() == 2 then
    statistics:addmm(1, m, m:t())
  else
    statistics:add(torch.cmul(m, m):sum(2):view(-1))
  end
end

-- root = statistics^exponent; eigenvalues are at least epsilon, except for rounding. In double precision: the smallest matter most.
local function computeRoot(root, statistics, exponent, epsilon)
  if statistics:dim() == 1 then
    root:copy(torch.pow(statistics, exponent))
    return
  end
  local values, vectors = torch.symeig(torch.to(statistics, 'cpu'):double(), 'V')
  values:clamp(epsilon, math.huge):pow(exponent)
  root:copy(torch.mm(torch.cmul(vectors, values:view(1, -1):expandAs(vectors)), vectors:t()))
end

-- Returns root m.
local function times(root, m)
  if root:dim() == 2 then return torch.mm(root, m) end
  return torch.cmul(m, root:view(-1, 1):expandAs(m))
end

-- Whether a step computes roots: the first sums have few directions, so that roots that stay the same would let steps in others grow.
local function isDue(count, interval) return count < interval or count % interval == 0 end

return require 'optim.algorithm' {
  name = 'optim.shampoo', class = 'Shampoo', counter = 'evalCounter', buffers = { 'rows', 'columns', 'rowRoot', 'columnRoot', 'buffer' },
  defaults = { learningRate = 0.1, momentum = 0, weightDecay = 0, epsilon = 1e-4, interval = 1, maxSize = 1024 },
  create = {
    rows = identity(1, 1), columns = identity(2, 1), rowRoot = identity(1, 0), columnRoot = identity(2, 0),
    buffer = function(x, options) return options.momentum ~= 0 and x.new():resizeAs(x):zero() end,
  },
  otherSizes = { rows = true, columns = true, rowRoot = true, columnRoot = true },
  verify = function(where, options)
    check.int(where, 'interval', options.interval, { min = 1 })
    check.int(where, 'maxSize', options.maxSize, { min = 0 })
    check.that(options.epsilon > 0, where .. ': epsilon: 0, expected a number above 0')
  end,
  rate = function(options, state) return { learning = options.learningRate, isDue = isDue(state.evalCounter, options.interval) } end,
  step = function(x, gradient, rates, options, rows, columns, rowRoot, columnRoot, buffer)
    if x:nElement() == 0 then return end
    local m = gradient:contiguous():view(sidesOf(x))
    local exponent = (rows and columns) and -1 / 4 or -1 / 2
    local direction = m
    for side, pair in ipairs { { rows, rowRoot }, { columns, columnRoot } } do
      local statistics, root = pair[1], pair[2]
      if statistics then
        accumulate(statistics, side == 1 and m or m:t())
        if rates.isDue then computeRoot(root, statistics, exponent, options.epsilon) end
        direction = side == 1 and times(root, direction) or times(root, direction:t()):t()
      end
    end
    if buffer then direction = buffer:mul(options.momentum):add(direction:contiguous():viewAs(buffer)) end
    x:add(-rates.learning, direction:contiguous():viewAs(x))
  end,
}
