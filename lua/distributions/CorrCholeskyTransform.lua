--- The bijection from n (n - 1) / 2 numbers to Cholesky factors of n x n correlation matrices.
-- @classmod distributions.CorrCholeskyTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local check, shapes = require 'torch.check', require 'distributions.shapes'
local matrices = require 'distributions.matrices'
require 'distributions.Transform'

local CorrCholeskyTransform = torch.class('distributions.CorrCholeskyTransform', 'distributions.Transform')
CorrCholeskyTransform.domain, CorrCholeskyTransform.codomain = constraints.realVector, constraints.corrCholesky

--- Takes no arguments.
function CorrCholeskyTransform.__init() end

-- The matrix that selects the elements below a diagonal from n x n matrices, row by row.
local function selection(n, below, x)
  local rows = {}
  for i = 1, n do
    for j = 1, i - below do
      rows[#rows + 1] = (i - 1) * n + j
    end
  end
  local select = torch.zeros(#rows, n * n)
  for k, position in ipairs(rows) do select[k][position] = 1 end
  return select:typeAs(x)
end

-- The elements below a diagonal as vectors.
local function vector(x, below)
  local sizes = x:size():totable()
  local n = sizes[#sizes]
  local flat = x:contiguous():view(torch.LongStorage(shapes.join(shapes.part(sizes, 1, #sizes - 2), { n * n })))
  return matrices.times(selection(n, below, x), flat)
end

local function sizeOf(count)
  local n = math.floor((1 + math.sqrt(1 + 8 * count)) / 2 + 0.5)
  check.that(n * (n - 1) / 2 == count,
    ('distributions.CorrCholeskyTransform: x: %d numbers, expected n (n - 1) / 2'):format(count), 'shape')
  return n
end

-- Row by row, moved one column to the right behind ones.
local function shifted(x)
  local last = x:dim()
  return torch.cat(torch.mul(x:narrow(last, 1, 1), 0) + 1, x:narrow(last, 1, x:size(last) - 1), last)
end

function CorrCholeskyTransform:_call(x)
  local n = sizeOf(x:size(x:dim()))
  local flat = matrices.times(selection(n, 1, x):t(), torch.tanh(x))
  local r = flat:view(torch.LongStorage(shapes.join(shapes.part(x:size():totable(), 1, x:dim() - 1), { n, n })))
  local rest = torch.cumprod(torch.sqrt(1 - torch.square(r)), r:dim())
  return torch.cmul(r + matrices.eye(r), shifted(rest))
end

function CorrCholeskyTransform:_inverse(y)
  local rest = shifted(1 - torch.cumsum(torch.square(y), y:dim()))
  local t = torch.cdiv(vector(y, 1), torch.sqrt(vector(rest, 1)))
  return (torch.log1p(t) - torch.log1p(-t)) * 0.5
end

function CorrCholeskyTransform:_logDet(x, y)
  local det = self._sumLast((x + torch.softplus(x * -2)) * -2 + 2 * math.log(2), 1)
  if y:size(y:dim()) < 3 then return det end
  return det + self._sumLast(torch.log(vector(1 - torch.cumsum(torch.square(y), y:dim()), 2)), 1) * 0.5
end

function CorrCholeskyTransform:forwardShape(sizes)
  local n = sizeOf(sizes[#sizes])
  return shapes.join(shapes.part(sizes, 1, #sizes - 1), { n, n })
end

function CorrCholeskyTransform:inverseShape(sizes)
  local n = sizes[#sizes]
  return shapes.join(shapes.part(sizes, 1, #sizes - 2), { n * (n - 1) / 2 })
end

return CorrCholeskyTransform
