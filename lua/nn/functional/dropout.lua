--- Dropout as functions, in nn.functional.
-- @module nn.functional.dropout
local torch, check = require 'torch', require 'torch.check'
local signature, noises = require 'nn.support.signature', require 'nn.support.noises'
local sizesOf = require('torch.check.message').sizes

local dropout = {}

local function scaled(x, noise, p)
  if p == 1 then return torch.mul(x, 0) end
  return torch.cmul(x, torch.expandAs(noise:div(1 - p), x))
end

-- Defines a function; `training` is the default of that argument; `dims` as in nn.support.channelDropout.
local function define(name, first, training, dims, apply)
  local where = 'nn.functional.' .. name
  dropout[name] = signature(where, {
    { first, 'tensor' }, { 'p', 'number', min = 0, max = 1, default = 0.5 }, { 'training', 'boolean', default = training },
    { 'inplace', 'boolean', default = false },
  }, function(x, p, isTraining, inplace)
    if not x:isFloatingPoint() then check.raise(('%s: %s: a %s, expected a tensor of floats'):format(where, first, x:type())) end
    local behind = x:dim() - 1
    if dims and dims > 0 and behind ~= dims and behind ~= dims + 1 or dims == 0 and behind < 1 then
      check.raise(('%s: %s: %s, expected %d or %d dimensions'):format(where, first, sizesOf(x), dims + 1, dims + 2), 'shape')
    end
    if not isTraining or p == 0 or x:nElement() == 0 then return x end
    local y = apply(x, noises.draw(x.new(), x, p, dims, dims and behind == dims), p)
    return inplace and x:copy(y) or y
  end)
end

--- Sets elements to zero with probability p and scales the others by 1 / (1 - p).
-- @function dropout
-- @tparam torch.Tensor x
-- @tparam[opt=0.5] number p from 0 to 1; 1 returns zeros
-- @tparam[opt=true] boolean training false returns x
-- @tparam[opt=false] boolean inplace writes the result over x
define('dropout', 'x', true, nil, scaled)

--- dropout of whole channels: input (N, C, L) or (C, L).
-- @function dropout1d
-- @tparam torch.Tensor input
-- @tparam[opt=0.5] number p
-- @tparam[opt=true] boolean training
-- @tparam[opt=false] boolean inplace
define('dropout1d', 'input', true, 1, scaled)

--- dropout of whole channels: input (N, C, H, W) or (C, H, W).
-- @function dropout2d
-- @tparam torch.Tensor input
-- @tparam[opt=0.5] number p
-- @tparam[opt=true] boolean training
-- @tparam[opt=false] boolean inplace
define('dropout2d', 'input', true, 2, scaled)

--- dropout of whole channels: input (N, C, T, H, W) or (C, T, H, W).
-- @function dropout3d
-- @tparam torch.Tensor input
-- @tparam[opt=0.5] number p
-- @tparam[opt=true] boolean training
-- @tparam[opt=false] boolean inplace
define('dropout3d', 'input', true, 3, scaled)

--- Dropout that keeps mean 0 and variance 1: see nn.AlphaDropout.
-- @function alphaDropout
-- @tparam torch.Tensor input
-- @tparam[opt=0.5] number p
-- @tparam[opt=false] boolean training
-- @tparam[opt=false] boolean inplace
define('alphaDropout', 'input', false, nil, noises.alpha)

--- alphaDropout of whole channels: input (N, C, …).
-- @function featureAlphaDropout
-- @tparam torch.Tensor input
-- @tparam[opt=0.5] number p
-- @tparam[opt=false] boolean training
-- @tparam[opt=false] boolean inplace
define('featureAlphaDropout', 'input', false, 0, noises.alpha)

return dropout
