--- CPU tensors in pinned memory, by cutorch's names: createCudaHostTensor(sizes...) of floats, createCudaHostLongTensor(sizes...), ...
-- @module cutorch.host
local check, memory = require 'torch.check', require 'torch.cuda.memory'

local host = {}

local function maker(type)
  return function(...)
    local arguments, count = { ... }, select('#', ...)
    arguments[count + 1] = type
    return check.call(memory.pinned, unpack(arguments, 1, count + 1))
  end
end

for name in ('Float Double Half Byte Char Short Int Long'):gmatch '%a+' do
  host['createCudaHost' .. name .. 'Tensor'] = maker('torch.' .. name .. 'Tensor')
end
host.createCudaHostTensor = host.createCudaHostFloatTensor

-- Managed memory, which moves between host and device by itself: the plug-in does not support it.
for name in ('createFloatUVATensor createCudaUVATensor toFloatUVATensor toCudaUVATensor'):gmatch '%a+' do
  host[name] = function()
    check.raise(('cutorch.%s: there is no managed memory here: createCudaHostTensor gives memory that devices reach, x:cuda() copies')
      :format(name))
  end
end

return host
