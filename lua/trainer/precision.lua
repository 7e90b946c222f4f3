--- The 16-bit type in which a model computes, and the scale of the loss.
-- @module trainer.precision
local torch, check = require 'torch', require 'torch.check'

local precision = {}

--- Returns the function that calls another one in a precision.
-- @string where the start of messages
-- @tparam ?string name
-- @treturn function (f, ...) -> the results of f(...)
function precision.region(where, name)
  if name == nil or name == 'float32' then return function(f, ...) return f(...) end end
  check.choice(where, 'precision', name, { 'float32', 'bfloat16', 'float16' })
  return function(...) return torch.autocast(name, ...) end
end

--- Returns the scaler of the loss: by default only float16 has one.
-- @string where the start of messages
-- @tparam ?optim.GradScaler scaler
-- @tparam ?string name the precision
function precision.scaler(where, scaler, name)
  if scaler == nil then return require('optim').GradScaler { enabled = name == 'float16' } end
  if not torch.isTypeOf(scaler, 'optim.GradScaler') then
    check.raise(('%s: scaler: %s, expected an optim.GradScaler'):format(where, require('torch.check.message').kind(scaler)))
  end
  return scaler
end

return precision
