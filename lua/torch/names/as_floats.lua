--- Tensors of integers as floats.
-- @module torch.names.as_floats
local C = require 'libmoontorch'

-- The floats that hold each kind of integers.
local floatsOf = { Int = 'Double', Long = 'Double' }
for name in ('Byte Char Short Bool'):gmatch '%a+' do floatsOf[name] = 'Float' end

--- x itself when it has floats, else its numbers as the floats that hold them.
return function(x)
  local floats = C.isTensor(x) and floatsOf[C.dtypeOf(x)]
  return floats and x:_as(floats) or x
end
