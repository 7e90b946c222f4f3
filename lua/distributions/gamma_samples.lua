--- Samples of the standard gamma distribution, differentiable for the concentration.
-- Sources: sampler, Marsaglia & Tsang (2000), "A simple method for generating gamma variables"; derivative of samples, Figurnov, Mohamed &
-- Mnih (2018), "Implicit Reparameterization Gradients".
-- @module distributions.gamma_samples
local torch = require 'torch'
local Function = require 'autograd.function'

local gammaSamples = {}

-- Draws logarithms of gamma variates of a in double precision; their logarithms don't underflow for small a.
local function draw(a)
  local wide = a:double():contiguous():view(-1)
  local boosted = torch.where(torch.lt(wide, 1), wide + 1, wide)
  local d = boosted - 1 / 3
  local c = torch.rsqrt(d * 9)
  local valid = torch.cmul(torch.gt(wide, 0), torch.lt(wide, math.huge))
  local logs = torch.where(valid, 0, torch.where(torch.gt(wide, 0), wide, 0 / 0))      -- without checks of arguments, anything may come
  local open = torch.nonzero(valid)
  open = open:nElement() > 0 and open:view(-1) or open
  while open:nElement() > 0 do
    local n = open:nElement()
    local normal, uniform = torch.DoubleTensor(n):normal(), torch.DoubleTensor(n):uniform()
    local dOpen = d:index(1, open)
    local root = torch.cmul(normal, c:index(1, open)) + 1
    local logCube = torch.log(torch.clamp(root, 1e-300, math.huge)) * 3
    local cube = torch.exp(logCube)
    local bound = torch.square(normal) * 0.5 + torch.cmul(dOpen, 1 - cube + logCube)
    local accepted = torch.cmul(torch.gt(root, 0), torch.lt(torch.log(uniform), bound))
    local hits = torch.nonzero(accepted)
    if hits:nElement() > 0 then
      hits = hits:view(-1)
      logs:indexCopy(1, open:index(1, hits), (torch.log(dOpen) + logCube):index(1, hits))
    end
    local misses = torch.nonzero(torch.eq(accepted, 0))
    if misses:nElement() == 0 then break end
    open = open:index(1, misses:view(-1))
  end
  local powers = torch.cdiv(torch.log(1 - torch.DoubleTensor(wide:size(1)):uniform()), wide)
  return (logs + torch.where(torch.lt(wide, 1), powers, 0)):viewAs(a:contiguous())
end

--- Draws logarithms of gamma variates with rate 1, differentiable for a by implicit reparameterisation.
-- @function logSample
-- @tparam torch.Tensor a concentrations above 0
-- @treturn torch.Tensor of a's sizes
gammaSamples.logSample = Function {
  name = 'gammaSample',
  forward = function(ctx, a)
    local logs = a:nElement() == 0 and a:double() or draw(a)
    ctx:save(a, logs)
    return logs:typeAs(a)
  end,
  backward = function(ctx, g)
    local a, logs = ctx:saved()
    return torch.cmul(g, torch.gammainc_slope(a:double(), logs):typeAs(g))
  end,
}

return gammaSamples
