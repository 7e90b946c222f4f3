--- Conversions of any tensor to CUDA's current device, as in cutorch: `x:cuda()` to float32, `x:cudaDouble()`, `x:cudaLong()` and so on. A
-- tensor that already has the type is returned itself, even from another device.
-- @module torch.cuda.conversions
local C = require 'libmoontorch'
local check = require 'torch.check'
local types, kinds = require 'torch.devices.types', require 'torch.devices.kinds'

local conversions = {}

for _, info in ipairs(C.dtypes) do
  local method = info.torch == 'Float' and 'cuda' or 'cuda' .. info.torch
  local name = 'torch.' .. types.name('cuda', info.torch) .. 'Tensor'
  conversions[method] = function(x)
    check.tensor(method, 'self', x)
    check.call(kinds.bring, 'cuda')
    return x:type(name)
  end
end

return conversions
