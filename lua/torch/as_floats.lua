--- Tensors of integers as floats.
-- @module torch.as_floats
local typename = require('torch.class').typename

-- The floats that hold each kind of integers.
local floatsOf = {}
for name in ('Byte Char Short Bool'):gmatch '%a+' do floatsOf['torch.' .. name .. 'Tensor'] = 'torch.FloatTensor' end
for name in ('Int Long'):gmatch '%a+' do floatsOf['torch.' .. name .. 'Tensor'] = 'torch.DoubleTensor' end

--- x itself when it has floats, else its numbers as the floats that hold them.
return function(x)
  local kind = floatsOf[typename(x)]
  return kind and x:type(kind) or x
end
