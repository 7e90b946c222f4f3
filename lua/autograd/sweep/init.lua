--- Sweeps of derivatives, which `torch.sweep` runs together with its own: the extension point `sweeps` of `torch.extensions`.
-- @module autograd.sweep
require 'torch.extensions'.register('sweeps', {
  names = { 'gradient', 'saved', 'extremes', 'branches' },
  find = function(name) return require('autograd.sweep.' .. name) end,
})
