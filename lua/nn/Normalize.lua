--- Divides vectors by their p-norm: x / (sum of |x|^p + eps)^(1/p), or x / (max |x| + eps) if p is infinite.
-- Shapes: x (F) or (N, F), where each row is a vector.
-- @classmod nn.Normalize
local torch, check = require 'torch', require 'torch.check'
local refuse = require 'torch.check.refuse'

-- The computation for p other than 2.
local function general(self, input)
  local dims, p, eps = input:dim(), self.p, self.eps
  local magnitudes = torch.abs(input)
  if p == math.huge then
    return torch.cdiv(input, torch.expandAs(torch.add((torch.max(magnitudes, dims)), eps), input))
  end
  local norm = torch.add(torch.sum(p == 1 and magnitudes or torch.pow(magnitudes, p), dims), eps)
  if p ~= 1 then norm = torch.pow(norm, 1 / p) end
  return torch.cdiv(input, torch.expandAs(norm, input))
end

local squares = 'add(sum(square(input), dims), eps)'

local Normalize, parent = require 'nn'.declare {
  name = 'nn.Normalize',
  dims = { 1, 2 }, accepts = function(_, input)
    if input:dim() ~= 1 and input:dim() ~= 2 then refuse.shape('only 1d layer supported') end
  end,
  values = { 'dims' },
  formula = function(self, input)
    if self.p == 2 then return 'cdiv(input, sqrt(' .. squares .. '))', input:dim() end
  end,
  gradient = ('cdiv(csub(g, cmul(input, cdiv(sum(cmul(g, input), dims), %s))), sqrt(%s))'):format(squares, squares),
  otherwise = general,
  prints = function(self) return ('(%s)'):format(self.p) end,
  samples = { { 'Normalize(2)', { 4, 3 }, rows = true } },
}

-- For modules in old files, which lack it.
Normalize.eps = 1e-10

--- @tparam number p above 0, or math.huge
-- @tparam[opt=1e-10] number eps
function Normalize:__init(p, eps)
  parent.__init(self)
  check.that(p, 'nn.Normalize: p: nil, expected a number above 0: p-norm not provided')
  check.that(p > 0, ('nn.Normalize: p: %s, expected a number above 0: %s-norm not supported'):format(p, p))
  self.p, self.eps = p, eps or 1e-10
end

return Normalize
