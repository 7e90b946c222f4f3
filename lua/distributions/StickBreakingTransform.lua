--- The bijection from n numbers to n + 1 probabilities: each number breaks a share off the rest of a stick.
-- @classmod distributions.StickBreakingTransform
local torch = require 'torch'
local constraints = require 'distributions.constraints'
local shapes = require 'distributions.shapes'
require 'distributions.Transform'

local StickBreakingTransform = torch.class('distributions.StickBreakingTransform', 'distributions.Transform')
StickBreakingTransform.domain, StickBreakingTransform.codomain = constraints.realVector, constraints.simplex

--- Takes no arguments.
function StickBreakingTransform.__init() end

-- log(n), log(n - 1), ..., log 1, for which 0 gives equal probabilities.
local function offsets(n, x) return torch.log(torch.range(n, 1, -1)):typeAs(x) end

function StickBreakingTransform:_call(x)
  local last = x:dim()
  local z = torch.sigmoid(x - offsets(x:size(last), x))
  local ones = torch.mul(z:narrow(last, 1, 1), 0) + 1
  return torch.cmul(torch.cat(z, ones, last), torch.cat(ones, torch.cumprod(1 - z, last), last))
end

function StickBreakingTransform:_inverse(y)
  local last = y:dim()
  local n = y:size(last) - 1
  local shares = y:narrow(last, 1, n)
  local rest = torch.clamp(1 - torch.cumsum(shares, last), 1e-300, 1)
  return torch.log(shares) - torch.log(rest) + offsets(n, y)
end

function StickBreakingTransform:_logDet(x, y)
  local last = x:dim()
  local n = x:size(last)
  local off = x - offsets(n, x)
  return self._sumLast(torch.log(y:narrow(last, 1, n)) - off - torch.softplus(-off), 1)
end

-- Sizes with another last one.
local function changed(sizes, by)
  local list = shapes.part(sizes, 1, #sizes)
  list[#list] = list[#list] + by
  return list
end

function StickBreakingTransform:forwardShape(sizes) return changed(sizes, 1) end
function StickBreakingTransform:inverseShape(sizes) return changed(sizes, -1) end

return StickBreakingTransform
