--- Usual parametrizations of weights: `nn.utils.parametrizations`.
-- @module nn.utils.parametrizations
local torch, nn, check = require 'torch', require 'nn', require 'torch.check'
local formulas, parametrize = require 'nn.utils.normalised_weight', require 'nn.utils.parametrize'
local sizesOf = require('torch.check.message').sizes

local parametrizations, classes = {}, {}

local this = 'nn.utils.parametrizations'

local function tensorOf(where, module, name)
  check.instance(where, 'module', module, 'a module')
  local value = module[name]
  if not torch.isTensor(value) then
    check.raise(('%s: name: %s, expected the name of a tensor of a %s'):format(where, tostring(name), torch.type(module)))
  end
  return value
end

-- torch.class('nn.parametrizations.WeightNorm') and so on: files know them by these names.
local WeightNorm = torch.class('nn.parametrizations.WeightNorm', 'nn.Module', classes)

function WeightNorm:__init(dim)
  nn.Module.__init(self)
  self.dim = dim
end

function WeightNorm:forward(g, v) return formulas.weightNorm(g, v, self.dim) end
function WeightNorm:rightInverse(weight) return formulas.lengths(weight, self.dim), weight end

--- Parametrizes a weight by lengths and directions, g v / |v|: `parametrizations.weight.original0` and `original1`.
-- Source: Salimans & Kingma (2016), "Weight Normalization", NeurIPS.
-- @tparam nn.Module module
-- @string[opt='weight'] name
-- @tparam[opt=1] int|boolean dim of the slices with a length each; false: one length
-- @treturn nn.Module module
-- @raise if there is no such tensor or dimension
function parametrizations.weightNorm(module, name, dim)
  local where = this .. '.weightNorm'
  local weight = tensorOf(where, module, name or 'weight')
  if dim == nil then dim = 1 end
  if dim then dim = check.dim(where, 'dim', weight, dim) end
  return parametrize.registerParametrization(module, name or 'weight', WeightNorm.new(dim), { unsafe = true })
end

local SpectralNorm = torch.class('nn.parametrizations.SpectralNorm', 'nn.Module', classes)

function SpectralNorm:__init(weight, iterations, eps, dim)
  nn.Module.__init(self)
  self.dim, self.eps, self.iterations = dim, eps, iterations
  if weight:dim() == 1 then return end
  self.u, self.v = formulas.singularVectors(weight, dim, 15, eps)
  self._bufferNames = { 'u', 'v' }
end

function SpectralNorm:_stateName(field) return '_' .. field end

function SpectralNorm:forward(weight)
  if not self.u then return torch.div(weight, math.max(weight:detach():norm(), self.eps)) end
  if self.train ~= false then formulas.powerIterations(weight, self.dim, self.u, self.v, self.iterations, self.eps) end
  return formulas.spectralNorm(weight, self.dim, self.u, self.v)
end

function SpectralNorm:rightInverse(value) return value end

--- Divides a weight by its largest singular value, which power iterations estimate: in each forward in training mode.
-- Source: Miyato et al. (2018), "Spectral Normalization for Generative Adversarial Networks", ICLR.
-- @tparam nn.Module module
-- @string[opt='weight'] name
-- @int[opt=1] nPowerIterations
-- @number[opt=1e-12] eps
-- @int[opt] dim of the outputs: 1, or 2 for transposed convolutions
-- @treturn nn.Module module
-- @raise if there is no such tensor or dimension
function parametrizations.spectralNorm(module, name, nPowerIterations, eps, dim)
  local where = this .. '.spectralNorm'
  local weight = tensorOf(where, module, name or 'weight')
  local iterations = check.int(where, 'nPowerIterations', nPowerIterations or 1, { min = 1 })
  eps = check.number(where, 'eps', eps or 1e-12, { min = 0 })
  dim = check.dim(where, 'dim', weight, dim or formulas.outputDim(module))
  return parametrize.registerParametrization(module, name or 'weight', SpectralNorm.new(weight, iterations, eps, dim))
end

local Orthogonal = torch.class('nn.parametrizations.Orthogonal', 'nn.Module', classes)

function Orthogonal:__init(map, trivialization)
  nn.Module.__init(self)
  self.map, self.trivialization = map, trivialization
end

-- Returns the first k columns of the product of the reflections whose vectors are the columns of a, below a diagonal of ones.
local function reflections(a)
  local n, k = a:size(1), a:size(2)
  local below, q = torch.tril(a, -1), torch.eye(n, k):typeAs(a)
  for i = k, 1, -1 do
    local v = torch.add(torch.narrow(below, 2, i, 1), torch.eye(n, k):typeAs(a):narrow(2, i, 1))
    local tau = torch.cdiv(v.new(1, 1):fill(2), torch.sum(torch.reshape(torch.cmul(v, v), torch.LongStorage { n, 1 }), 1))
    local along = torch.mm(torch.mm(v, tau), torch.mm(torch.t(v), q))
    q = torch.csub(q, along)
  end
  return q
end

-- Returns the orthogonal matrix of a tall matrix.
local function orthogonalOf(self, x)
  local n, k = x:size(1), x:size(2)
  if self.map == 'householder' then
    return torch.cmul(reflections(x), torch.expand(x:detach():diag():view(1, k):clone(), n, k))
  end
  local lower = torch.tril(x)
  if n ~= k then lower = torch.cat({ lower, x.new(n, n - k):zero() }, 2) end
  local skew = torch.csub(lower, torch.t(lower))
  local q
  if self.map == 'matrixExp' then
    q = torch.matrixExp(skew)
  else
    local identity = torch.eye(n):typeAs(x)
    q = torch.solve(torch.csub(identity, torch.mul(skew, 0.5)), torch.add(identity, torch.mul(skew, 0.5)))
  end
  return n ~= k and torch.narrow(q, 2, 1, k) or q
end

function Orthogonal:forward(x)
  local isWide = x:size(1) < x:size(2)
  local q = orthogonalOf(self, isWide and torch.t(x) or x)
  if self.base then q = torch.mm(self.base, q) end
  return isWide and torch.t(q) or q
end

-- Returns the orthogonal factor of a tall matrix, with the signs for which the other factor has a positive diagonal.
local function nearby(q)
  local orthogonal, r = torch.qr(q:contiguous())
  local signs = torch.sign(torch.diag(r))
  return torch.cmul(orthogonal, signs:view(1, -1):expandAs(orthogonal))
end

function Orthogonal:rightInverse(value)
  local isWide = value:size(1) < value:size(2)
  local q = (isWide and value:t() or value):contiguous():clone()
  local n, k = q:size(1), q:size(2)
  if not self.trivialization then
    local a, tau = torch.geqrf(q)
    for i = 1, k do a[i][i] = (a[i][i] >= 0 and tau[i] ~= 0 or a[i][i] < 0 and tau[i] == 0) and 1 or -1 end
    return isWide and a:t():contiguous() or a
  end
  if n ~= k then q = torch.cat({ q, q.new(n, n - k):normal() }, 2) end
  local identity = torch.eye(n):typeAs(q)
  local eps = q:elementSize() == 8 and 2 ^ -52 or 2 ^ -23
  if n ~= k or torch.abs(torch.mm(q:t(), q) - identity):max() > 10 * n * eps then q = nearby(q) end
  if not self.base then
    self.base = q
    self._bufferNames = { 'base' }
  else
    self.base:copy(q)
  end
  local original = value.new():resizeAs(value):zero()
  for i = 1, k do original[i][i] = -1 end
  return original
end

local maps = { matrixExp = 'matrixExp', matrix_exp = 'matrixExp', cayley = 'cayley', householder = 'householder' }

--- Parametrizes a matrix as one with orthogonal columns, or rows if there are fewer.
-- Source: Lezcano-Casado (2019), "Trivializations for Gradient-Based Optimization on Manifolds", NeurIPS.
-- @tparam nn.Module module
-- @string[opt='weight'] name of a matrix
-- @string[opt] orthogonalMap 'matrixExp' (for square matrices), 'cayley', or 'householder' (for others)
-- @tparam[opt] table options useTrivialization (true): whether the map is around the present matrix, a buffer `base`, made orthogonal;
-- false: around the identity, from the present elements, or for householder from the matrix
-- @treturn nn.Module module
-- @raise if there is no such matrix or map
function parametrizations.orthogonal(module, name, orthogonalMap, options)
  local where = this .. '.orthogonal'
  local weight = tensorOf(where, module, name or 'weight')
  if type(options) == 'boolean' then options = { useTrivialization = options } end
  local trivialization = check.options(where, options, { 'useTrivialization' }).useTrivialization ~= false
  if weight:dim() ~= 2 then check.raise(('%s: name: a tensor of size %s, expected a matrix'):format(where, sizesOf(weight))) end
  local map = maps[orthogonalMap or weight:size(1) == weight:size(2) and 'matrixExp' or 'householder']
  if not map then
    check.raise(('%s: orthogonalMap: %s, expected matrixExp, cayley or householder'):format(where, tostring(orthogonalMap)))
  end
  local orthogonal = Orthogonal.new(map, trivialization)
  if not trivialization and map ~= 'householder' then orthogonal.rightInverse = false end      -- their inverses are not known
  return parametrize.registerParametrization(module, name or 'weight', orthogonal, { unsafe = true })
end

return parametrizations
