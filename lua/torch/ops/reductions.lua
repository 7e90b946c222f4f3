-- PyTorch's reductions whose dimensions are dropped: extrema, and the median of numbers.
local C, torch = require 'libmoontorch', require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'
local reduced = require 'torch.names.reduced'

-- Adds 0 to the extremum such that each of the equal elements has a share of the gradient, as in PyTorch.
local function shared(x, top, dims)
  local whole = torch.expand(top, x:size())
  local isTop = torch.cmul(torch.eq(x, whole), torch.isfinite(x))
  local rest = torch.where(isTop, torch.csub(x, whole), 0)
  local count = isTop:typeAs(x)
  for _, d in ipairs(dims) do rest, count = torch.sum(rest, d), torch.sum(count, d) end
  return torch.add(top, torch.cdiv(rest, torch.cmax(count, 1)))
end

local function extremum(name, find, adjective)
  declare {
    name = name, signature = '[res] x:tensor dim:dims? keepdim:boolean=false', result = 'same',
    doc = adjective .. [[ element of all, a number; or along a dimension or a table of dimensions, which are dropped, or with keepdim
keep size 1. NaN if there is one. Equal elements share the gradient. Errors: no elements.]],
    samples = '{randn(3, 4)}, {randn(3, 4), 1}, {randn(2, 3, 4), {1, -1}}, {randn(2, 3, 4), {2}, true}, {full(nan, 2, 3), {1}}, '
      .. '{randn(5), {1}}',
    forward = function(x, dim, keepdim)
      local dims = reduced.dims(name, x, dim)
      if x:dim() == 0 then expect.shape(name, 'x', 'an empty tensor, expected elements') end
      local top = C.detach(x)
      for _, d in ipairs(dims) do top = (find(top, d)) end
      if C.tracked(x) and C.gradMode() then top = shared(x, top, dims) end
      return reduced.result(top, dims, keepdim)
    end,
  }
end
extremum('amax', torch.max, 'The largest')
extremum('amin', torch.min, 'The smallest')

declare {
  name = 'nanmedian', signature = '[values indices] x:tensor dim:dim? keepdim:boolean=false',
  doc = [[
The median of the elements other than NaN, of an even number the lower one: a number; or along dim, which is dropped, or with keepdim keeps
size 1, with the positions as a LongTensor. If all are NaN: NaN. Errors: no elements.]],
  samples = '{randn(3, 5)}, {randn(3, 5), 1}, {randn(2, 3, 4), -2, true}, {full(nan, 2, 3), 1}',
  forward = function(x, dim, keepdim)
    local whole = dim == nil
    if x:nElement() == 0 then expect.shape('nanmedian', 'x', 'no elements, expected one or more') end
    if whole then x, dim = torch.reshape(x, x:nElement()), 1 end
    dim = expect.whichDim('nanmedian', 'dim', x, dim)
    local sorted, order = torch.sort(x, dim)               -- NaN are last
    local count = torch.sum(torch.eq(torch.isnan(x), 0):_as 'Long', dim)
    local middle = torch.cmax(torch.rshift(torch.add(count, 1), 1), 1)
    local values = torch.gather(sorted, dim, middle)
    if whole then return torch.sum(values) end
    return reduced.result(values, { dim }, keepdim), reduced.result(torch.gather(order, dim, middle), { dim }, keepdim)
  end,
}
