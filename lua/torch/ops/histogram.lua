-- torch.histogram: counts, and the edges of their bins.
local torch = require 'torch'
local declare = require('torch.op').declare
local expect = require 'torch.check.expect'
local sizesOf = require('torch.check.message').sizes

local function ascending(edges)
  if edges:dim() ~= 1 or edges:nElement() < 2 then
    expect.shape('histogram', 'bins', '%s, expected a number of bins, or a vector of two edges or more', sizesOf(edges))
  end
  if not torch.all(torch.ge(torch.diff(edges), 0)) then expect.fail('histogram', 'bins', 'expected edges in ascending order') end
  return edges:_as 'Double'
end

local function even(x, bins, low, high)
  if bins < 1 then expect.range('histogram', 'bins', '%d, expected 1 or more', bins) end
  if not low or not high then
    local finite = x[torch.isfinite(x)]
    local none = finite:nElement() == 0
    low, high = low or none and 0 or torch.min(finite), high or none and 1 or torch.max(finite)
  end
  if high < low then expect.range('histogram', 'max', '%g, expected %g or more', high, low) end
  if high == low then low, high = low - 0.5, high + 0.5 end
  return torch.linspace(low, high, bins + 1):double():to(x:device())
end

declare {
  name = 'histogram', signature = '[counts edges] x:tensor bins:int|tensor=10 min:number? max:number? density:boolean=false',
  forms = 'x bins min max density | x bins density', differentiable = false,
  doc = [[
The number of elements in each bin, and the bins' edges: a LongTensor of n counts, and a DoubleTensor of n + 1 edges. A bin includes its
lower edge but not its upper edge; the last bin includes both. bins: a number of bins of equal width from min to max, by default the
smallest and largest finite element; or the edges, a vector in ascending order. NaN and elements outside the range are not counted. With
density the counts are doubles, divided by their sum and the width, so that their integral is 1. (As in Torch7, histc
returns only counts.)]],
  samples = '{randn(20)}, {randn(3, 4), 4}, {randn(9), 3, -1, 1}, {randn(7), range(4)}, {range(9), 4, true}, {randn(0), 2}, {full(nan), 2}',
  forward = function(x, bins, min, max, density)
    local flat = torch.reshape(x, x:nElement()):_as 'Double'
    local edges = torch.isTensor(bins) and ascending(bins) or even(flat, bins, min, max)
    local count = edges:nElement() - 1
    local counts = torch.LongTensor(count):zero():to(x:device())
    if flat:nElement() > 0 then
      local first, last = edges[1], edges[-1]
      local inside = torch.cmul(torch.ge(flat, first), torch.le(flat, last))
      flat = torch.maskedSelect(flat, inside)
    end
    if flat:nElement() > 0 then
      local bin = torch.cmin(torch.csub(torch.searchsorted(edges, flat, true), 1), count)
      counts = torch.bincount(bin, count)
    end
    if not density then return counts, edges end
    local mass = torch.mul(torch.diff(edges), torch.sum(counts))
    return torch.cdiv(counts:_as 'Double', mass), edges
  end,
}
