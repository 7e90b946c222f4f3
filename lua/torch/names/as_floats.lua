--- Converts tensors of integers to floats.
-- @module torch.names.as_floats
local C = require 'libmoontorch'

-- The float dtypes that can hold the integer dtypes.
local floatsOf = { Int = 'Double', Long = 'Double' }
for name in ('Byte Char Short Bool'):gmatch '%a+' do floatsOf[name] = 'Float' end

--- Returns x itself if its elements are floats, else a copy as floats that can hold its elements.
return function(x)
  local floats = C.isTensor(x) and floatsOf[C.dtypeOf(x)]
  return floats and x:_as(floats) or x
end
