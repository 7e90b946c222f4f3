--- Principal components, and whitening by them.
-- Source: Bell & Sejnowski (1997), "The 'independent components' of natural scenes are edge filters", for ZCA.
-- @module unsup.pca
local torch = require 'torch'
local nn = require 'nn'
local check = require 'torch.check'

local pca = {}

local usualEpsilon = 1e-5

-- Checks samples in rows; at least `least` of them are required.
local function rowsOf(where, data, least)
  check.tensor(where, 'data', data)
  check.that(data:isFloatingPoint() and data:dim() >= 2 and data:size(1) >= least and data:nElement() > 0,
    ('%s: data: %s of sizes %s, expected at least %d samples of floats in rows'):format(where, torch.typename(data),
      table.concat(data:size():totable(), 'x'), least))
  return data:contiguous():view(data:size(1), -1)
end

local function centred(x, means) return torch.add(x, -1, means:view(1, -1):expandAs(x)) end

--- Principal components by the singular values of the data.
-- @tparam torch.Tensor x (M, N), samples in rows
-- @treturn torch.Tensor values, variances in decreasing order (min(M, N))
-- @treturn torch.Tensor vectors (N, min(M, N)), in columns
function pca.pca(x)
  local rows = rowsOf('unsup.pca', x, 2)
  local u, s = torch.svd(centred(rows, rows:mean(1)):t():clone():div(math.sqrt(rows:size(1) - 1)))
  return torch.cmul(s, s), u
end

--- Principal components by the eigenvalues of the covariance.
-- @tparam torch.Tensor x (M, N), samples in rows
-- @treturn torch.Tensor values, variances in increasing order (N)
-- @treturn torch.Tensor vectors (N, N), in columns
function pca.pcacov(x)
  local rows = rowsOf('unsup.pcacov', x, 2)
  local c = centred(rows, rows:mean(1))
  return torch.symeig(torch.mm(c:t(), c):div(rows:size(1) - 1), 'V')
end

-- The matrices of a whitening, computed unless all of them are passed.
local function zcaMatrices(rows, means, P, invP, epsilon)
  if means and P and invP then return means, P, invP end
  local values, vectors = pca.pcacov(rows)
  local scales = torch.sqrt(values + (epsilon or usualEpsilon))
  local transposed = vectors:t()
  return rows:mean(1):view(-1), vectors * torch.diag(torch.pow(scales, -1)) * transposed, vectors * torch.diag(scales) * transposed
end

local function pcaMatrices(rows, means, P, invP)
  if means and P then return means, P, invP end
  local values, vectors = pca.pcacov(rows)
  local scales = torch.sqrt(values + usualEpsilon)
  return rows:mean(1):view(-1), vectors * torch.diag(torch.pow(scales, -1)), torch.diag(scales) * vectors:t()
end

local function checkMatrices(where, means, P, invP)
  for name, x in pairs { means = means, P = P, invP = invP } do check.tensor(where, name, x) end
end

local function whiten(where, matrices, data, means, P, invP, epsilon)
  checkMatrices(where, means, P, invP)
  local rows = rowsOf(where, data, means and P and 1 or 2)
  means, P, invP = matrices(rows, means, P, invP, epsilon)
  return torch.mm(centred(rows, means), P):viewAs(data), means, P, invP
end

local function colour(where, data, means, P, invP)
  local rows = rowsOf(where, data, 1)
  check.tensor(where, 'means', means)
  check.tensor(where, 'invP', invP)
  local x = torch.mm(rows, invP)
  return x:add(means:view(1, -1):expandAs(x)):viewAs(data), means, P, invP
end

--- Whitens with the smallest change of the data: x -> (x - mean) V (l + epsilon)^-1/2 V'. Does not modify the data.
-- @tparam torch.Tensor data (M, N1, N2, ...)
-- @tparam[opt] torch.Tensor means with P and invP results of an earlier call
-- @tparam[opt] torch.Tensor P
-- @tparam[opt] torch.Tensor invP
-- @number[opt=1e-5] epsilon added to the variances
-- @treturn torch.Tensor whitened, of data's sizes
-- @treturn torch.Tensor means
-- @treturn torch.Tensor P
-- @treturn torch.Tensor invP
function pca.zca_whiten(data, means, P, invP, epsilon) return whiten('unsup.zca_whiten', zcaMatrices, data, means, P, invP, epsilon) end

--- Undoes `zca_whiten`: x -> x invP + mean.
-- @tparam torch.Tensor data
-- @tparam torch.Tensor means
-- @tparam torch.Tensor P
-- @tparam torch.Tensor invP
-- @return data, means, P, invP
function pca.zca_colour(data, means, P, invP) return colour('unsup.zca_colour', data, means, P, invP) end

--- Whitens along principal components, in the order of `pcacov`: x -> (x - mean) V (l + 1e-5)^-1/2.
-- @tparam torch.Tensor data (M, N1, N2, ...)
-- @tparam[opt] torch.Tensor means with P results of an earlier call
-- @tparam[opt] torch.Tensor P
-- @tparam[opt] torch.Tensor invP
-- @return whitened, means, P, invP
function pca.pca_whiten(data, means, P, invP) return whiten('unsup.pca_whiten', pcaMatrices, data, means, P, invP) end

--- Undoes `pca_whiten`: x -> x invP + mean.
-- @tparam torch.Tensor data
-- @tparam torch.Tensor means
-- @tparam torch.Tensor P
-- @tparam torch.Tensor invP
-- @return data, means, P, invP
function pca.pca_colour(data, means, P, invP) return colour('unsup.pca_colour', data, means, P, invP) end

-- A linear layer with these parameters; data with more dimensions is reshaped before and after it.
local function layer(data, weight, bias)
  local size = bias:size(1)
  local linear = nn.Linear(size, size):type(weight:type())
  linear.weight:copy(weight)
  linear.bias:copy(bias)
  if data:dim() <= 2 then return linear end
  return nn.Sequential():add(nn.Reshape(data:size(1), size)):add(linear):add(nn.Reshape(data:size()))
end

local function whiteningLayer(where, matrices)
  return function(data, means, P, invP)
    checkMatrices(where, means, P, invP)
    means, P, invP = matrices(rowsOf(where, data, means and P and 1 or 2), means, P, invP)
    return layer(data, P:t(), torch.mv(P:t(), means):mul(-1)), means, P, invP
  end
end

local function colouringLayer(where, matrices)
  return function(data, means, P, invP)
    checkMatrices(where, means, P, invP)
    means, P, invP = matrices(rowsOf(where, data, means and P and 1 or 2), means, P, invP)
    check.tensor(where, 'invP', invP)
    return layer(data, invP:t(), means), means, P, invP
  end
end

--- A layer that computes `zca_whiten`.
-- @function zca_layer
-- @tparam torch.Tensor data
-- @tparam[opt] torch.Tensor means
-- @tparam[opt] torch.Tensor P
-- @tparam[opt] torch.Tensor invP
-- @return layer, means, P, invP
pca.zca_layer = whiteningLayer('unsup.zca_layer', zcaMatrices)

--- A layer that computes `zca_colour`.
-- @function inv_zca_layer
-- @tparam torch.Tensor data
-- @tparam[opt] torch.Tensor means
-- @tparam[opt] torch.Tensor P
-- @tparam[opt] torch.Tensor invP
-- @return layer, means, P, invP
pca.inv_zca_layer = colouringLayer('unsup.inv_zca_layer', zcaMatrices)

--- A layer that computes `pca_whiten`.
-- @function pca_layer
-- @tparam torch.Tensor data
-- @tparam[opt] torch.Tensor means
-- @tparam[opt] torch.Tensor P
-- @tparam[opt] torch.Tensor invP
-- @return layer, means, P, invP
pca.pca_layer = whiteningLayer('unsup.pca_layer', pcaMatrices)

--- A layer that computes `pca_colour`.
-- @function inv_pca_layer
-- @tparam torch.Tensor data
-- @tparam[opt] torch.Tensor means
-- @tparam[opt] torch.Tensor P
-- @tparam[opt] torch.Tensor invP
-- @return layer, means, P, invP
pca.inv_pca_layer = colouringLayer('unsup.inv_pca_layer', pcaMatrices)

return pca
