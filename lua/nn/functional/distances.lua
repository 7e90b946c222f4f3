--- Distances and products of two inputs as functions, in nn.functional.
-- @module nn.functional.distances
local torch, check = require 'torch', require 'torch.check'
local signature = require 'nn.support.signature'
local sizesOf = require('torch.check.message').sizes

local functional = {}

-- Returns x without dimension dim, whose size is 1.
local function without(x, dim)
  local sizes = x:size():totable()
  table.remove(sizes, dim)
  return torch.view(x:contiguous(), torch.LongStorage(#sizes > 0 and sizes or { 1 }))
end

--- The cosine of vectors along a dimension: a b / (max(|a|, eps) max(|b|, eps)).
-- @function cosineSimilarity
-- @tparam torch.Tensor x1
-- @tparam torch.Tensor x2 of the same size, or one to which x1 broadcasts
-- @tparam[opt=2] int dim from 1
-- @tparam[opt=1e-8] number eps
-- @treturn torch.Tensor without that dimension
functional.cosineSimilarity = signature('nn.functional.cosineSimilarity', {
  { 'x1', 'tensor' }, { 'x2', 'tensor' }, { 'dim', 'int', default = 2 }, { 'eps', 'number', min = 0, default = 1e-8 },
}, function(a, b, dim, eps)
  local product = check.call(torch.cmul, a, b)
  check.dim('nn.functional.cosineSimilarity', 'dim', product, dim)
  if dim < 0 then dim = product:dim() + 1 + dim end
  local function normal(x)
    x = torch.expandAs(x, product)
    local length = torch.norm(x, 2, dim)
    local raised = torch.csub(torch.clamp(length:detach(), eps, math.huge), length:detach())     -- a constant, as in PyTorch
    return torch.cdiv(x, torch.expandAs(torch.add(length, raised), x))
  end
  return without(torch.sum(torch.cmul(normal(a), normal(b)), dim), dim)
end)

--- |x1 - x2 + eps| in the p-norm, along the last dimension.
-- @function pairwiseDistance
-- @tparam torch.Tensor x1 (N, D) or (D)
-- @tparam torch.Tensor x2 likewise
-- @tparam[opt=2] number p
-- @tparam[opt=1e-6] number eps
-- @tparam[opt=false] boolean keepdim keeps the last dimension, with size 1
-- @treturn torch.Tensor (N), or one element
functional.pairwiseDistance = signature('nn.functional.pairwiseDistance', {
  { 'x1', 'tensor' }, { 'x2', 'tensor' }, { 'p', 'number', default = 2 }, { 'eps', 'number', default = 1e-6 },
  { 'keepdim', 'boolean', default = false },
}, function(a, b, p, eps, keepdim)
  local d = torch.add(check.call(torch.csub, a, b), eps)
  local dim = d:dim()
  local distances = torch.norm(d, p, dim)
  return keepdim and distances or without(distances, dim)
end)

--- The distances of all pairs of rows, (1, 2), (1, 3), …, (2, 3), ….
-- @function pdist
-- @tparam torch.Tensor input (N, D)
-- @tparam[opt=2] number p of the norm
-- @treturn torch.Tensor (N (N - 1) / 2)
functional.pdist = signature('nn.functional.pdist', { { 'input', 'tensor' }, { 'p', 'number', min = 0, default = 2 } }, function(x, p)
  if x:dim() ~= 2 then check.raise(('nn.functional.pdist: input: %s, expected (N, D)'):format(sizesOf(x)), 'shape') end
  local rows = x:size(1)
  local count = rows * (rows - 1) / 2
  if count <= 0 then return x.new() end
  local first, second, place = torch.LongTensor(count), torch.LongTensor(count), 1
  for i = 1, rows - 1 do
    first:narrow(1, place, rows - i):fill(i)
    second:narrow(1, place, rows - i):copy(torch.range(i + 1, rows))
    place = place + rows - i
  end
  local onDeviceOf = require 'autograd.on_device_of'
  local d = torch.csub(torch.index(x, 1, onDeviceOf(first, x)), torch.index(x, 1, onDeviceOf(second, x)))
  return torch.view(torch.norm(d, p, 2), count)
end)

--- Products of two vectors through matrices: y[k] = x1' W[k] x2 + b[k].
-- @function bilinear
-- @tparam torch.Tensor input1 (…, in1)
-- @tparam torch.Tensor input2 (…, in2)
-- @tparam torch.Tensor weight (out, in1, in2)
-- @tparam[opt] torch.Tensor bias (out)
-- @treturn torch.Tensor (…, out)
functional.bilinear = signature('nn.functional.bilinear', {
  { 'input1', 'tensor' }, { 'input2', 'tensor' }, { 'weight', 'tensor' }, { 'bias', 'tensor', optional = true },
}, function(a, b, weight, bias)
  local where = 'nn.functional.bilinear'
  if weight:dim() ~= 3 then check.raise(('%s: weight: %s, expected (out, in1, in2)'):format(where, sizesOf(weight)), 'shape') end
  local out, in1, in2 = weight:size(1), weight:size(2), weight:size(3)
  check.lastSize(where, 'input1', a, in1)
  check.lastSize(where, 'input2', b, in2)
  local sizes = a:size():totable()
  local rows = a:nElement() / in1
  if b:nElement() / in2 ~= rows then
    check.raise(('%s: input2: %s, expected as many rows as input1, %s, has'):format(where, sizesOf(b), sizesOf(a)), 'shape')
  end
  local matrices = torch.reshape(torch.transpose(weight, 1, 2), in1, out * in2)
  local products = torch.view(torch.mm(torch.view(a:contiguous(), rows, in1), matrices), rows, out, in2)
  local y = torch.view(torch.bmm(products, torch.view(b:contiguous(), rows, in2, 1)), rows, out)
  if bias then y = torch.add(y, torch.expandAs(torch.view(bias:contiguous(), 1, out), y)) end
  sizes[#sizes] = out
  return torch.view(y, torch.LongStorage(sizes))
end)

return functional
