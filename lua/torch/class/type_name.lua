--- The full name of a tensor type from any of its names: 'float', 'Float', 'FloatTensor', 'float32' and 'torch.FloatTensor' are the same.
-- @module torch.class.type_name
local C = require 'libmoontorch'
local types = require 'torch.devices.types'

local whole = {}
for _, info in ipairs(C.dtypes) do
  whole[info.name], whole[info.torch:lower()] = 'torch.' .. info.torch .. 'Tensor', 'torch.' .. info.torch .. 'Tensor'
end

--- @param name
-- @treturn ?string such as 'torch.FloatTensor' or 'torch.CudaTensor'; nil if it is not the name of a tensor type
return function(name)
  if type(name) ~= 'string' then return nil end
  name = name:gsub('^torch%.', ''):gsub('Tensor$', '')
  if whole[name] or whole[name:lower()] then return whole[name] or whole[name:lower()] end
  local i, kind = types.parse(name)
  return i and 'torch.' .. types.name(kind, C.dtypes[i].torch) .. 'Tensor'
end
