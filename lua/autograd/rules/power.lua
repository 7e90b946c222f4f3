-- Derivatives of powers.
local torch = require 'torch'
local rules = require 'autograd.rules'
local complex = require 'torch.names.complex'

local saving = rules.saving

-- Powers: base or exponent may be a number. The derivative by the exponent is 0 if the base is 0, whose logarithm is not finite.
rules.pow = {
  saving('x, y', function(g, x, y)
    if torch.isTensor(y) then
      local pole = torch.cmul(torch.eq(x:detach(), 0), torch.eq(y:detach(), 0))       -- 0 * (1 / 0)
      return torch.where(pole, 0, torch.cmul(g, torch.cmul(y, torch.pow(torch.where(pole, 1, x), torch.add(y, -1)))))
    end
    if y == 0 then return torch.mul(g, 0) end
    return torch.mul(torch.cmul(g, torch.pow(x, y - 1)), y)
  end),
  saving('result, x', function(g, p, x)
    if type(x) == 'number' then return torch.mul(torch.cmul(g, p), x > 0 and math.log(x) or 0) end
    if type(x) == 'cdata' then return torch.mul(torch.cmul(g, p), torch.log(x)) end
    local hasLog = complex.is(x) and torch.ne(x, 0) or torch.gt(x, 0)
    local log = torch.log(torch.where(hasLog, x, 1))
    return torch.cmul(torch.cmul(g, p), log)
  end),
}
