--- The formulas of weight and spectral norms, for parametrizations and for the functions with PyTorch's older names.
-- @module nn.utils.normalised_weight
local torch = require 'torch'

local formulas = {}

-- Returns the tensor as a matrix with dimension `dim` first.
local function matrix(x, dim)
  if dim ~= 1 then
    local order = { dim }
    for d = 1, x:dim() do
      if d ~= dim then order[#order + 1] = d end
    end
    x = torch.permute(x, unpack(order))
  end
  return torch.reshape(x, torch.LongStorage { x:size(1), x:nElement() / x:size(1) })
end

--- Returns the lengths of slices along a dimension, in a tensor with size 1 in all others.
-- @tparam torch.Tensor v
-- @tparam int|boolean dim false: the length of the whole
-- @treturn torch.Tensor
function formulas.lengths(v, dim)
  local sizes = {}
  for d = 1, v:dim() do sizes[d] = d == dim and v:size(d) or 1 end
  local rows = dim and matrix(v, dim) or torch.reshape(v, torch.LongStorage { 1, v:nElement() })
  return torch.reshape(torch.norm(rows, 2, 2), torch.LongStorage(sizes))
end

--- Returns g v / |v|.
-- @tparam torch.Tensor g
-- @tparam torch.Tensor v
-- @tparam int|boolean dim
-- @treturn torch.Tensor
function formulas.weightNorm(g, v, dim)
  return torch.cmul(v, torch.expandAs(torch.cdiv(g, formulas.lengths(v, dim)), v))
end

local function normalise(x, eps) return x:div(math.max(x:norm(), eps)) end

--- Improves the first singular vectors by power iterations, in place; nothing is recorded.
-- @tparam torch.Tensor weight
-- @int dim
-- @tparam torch.Tensor u left vector
-- @tparam torch.Tensor v right vector
-- @int count
-- @number eps
-- @bool[opt=false] rightFirst whether v is improved before u
function formulas.powerIterations(weight, dim, u, v, count, eps, rightFirst)
  torch.noGrad(function()
    local m = matrix(weight:detach(), dim)
    for _ = 1, count do
      if rightFirst then v:copy(normalise(torch.mv(m:t(), u), eps)) end
      u:copy(normalise(torch.mv(m, v), eps))
      if not rightFirst then v:copy(normalise(torch.mv(m:t(), u), eps)) end
    end
  end)
end

--- Returns weight / u' W v, W the weight as a matrix.
-- @tparam torch.Tensor weight
-- @int dim
-- @tparam torch.Tensor u
-- @tparam torch.Tensor v
-- @treturn torch.Tensor
function formulas.spectralNorm(weight, dim, u, v)
  local m = matrix(weight, dim)
  local sigma = torch.sum(torch.cmul(u:clone(), torch.mv(m, v:clone())), 1)
  local sizes = {}
  for d = 1, weight:dim() do sizes[d] = 1 end
  return torch.cdiv(weight, torch.expandAs(torch.reshape(sigma, torch.LongStorage(sizes)), weight))
end

--- Returns random vectors of length 1 for the power iterations, improved by 15 of them.
-- @tparam torch.Tensor weight
-- @int dim
-- @int count of iterations
-- @number eps
-- @treturn torch.Tensor u
-- @treturn torch.Tensor v
function formulas.singularVectors(weight, dim, count, eps)
  local rows = weight:size(dim)
  local u = normalise(weight.new(rows):normal(), eps)
  local v = normalise(weight.new(weight:nElement() / rows):normal(), eps)
  formulas.powerIterations(weight, dim, u, v, count, eps)
  return u, v
end

--- Returns the dimension of outputs of a module's weight: the second one for transposed convolutions.
-- @tparam nn.Module module
-- @treturn int
function formulas.outputDim(module)
  local name = torch.type(module)
  return (name:find 'FullConvolution' or name:find 'ConvTranspose') and 2 or 1
end

return formulas
