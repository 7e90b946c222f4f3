--- Borders around tensors as a function, in nn.functional.
-- @module nn.functional.padding
local torch, signature, border = require 'torch', require 'nn.support.signature', require 'nn.support.border'

local padding = {}

--- Extends a tensor at the ends of its last dimensions, or crops it there, where a width is negative.
-- @function pad
-- @tparam torch.Tensor input with any number of dimensions, of any type
-- @tparam int|{int,...} pad widths before and after the last dimension, then those of the one before it, and so on
-- @tparam[opt='constant'] string mode 'constant', 'reflect' (mirrors at the outermost elements, without repeating them), 'replicate'
--   (repeats these) or 'circular' (continues at the other end)
-- @tparam[opt=0] number value of a constant border
-- @treturn torch.Tensor a new tensor
padding.pad = signature('nn.functional.pad', {
  { 'input', 'tensor' }, { 'pad', 'sizes' },
  { 'mode', 'choice', choices = { 'constant', 'reflect', 'replicate', 'circular' }, default = 'constant' },
  { 'value', 'number', default = 0 },
}, function(input, widths, mode, value)
  local result = border.pad('nn.functional.pad', input, widths, mode, value)
  return result == input and torch.clone(input) or result
end)

return padding
