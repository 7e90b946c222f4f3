-- Derivatives of selection and writing by index.
local torch = require 'torch'
local rules, elements, onDeviceOf = require 'autograd.rules', require 'torch.names.element_count', require 'autograd.on_device_of'

local saving = rules.saving

rules.index = { 'index_grad(g, size(x), dim, index)' }
rules.index_grad = { 'index(h, dim, index)' }
rules.indexAdd = { 'g', nil, nil, 'index(g, dim, index)' }
-- If several slices are written to one position, the last one remains, and only it has a gradient.
rules.indexCopy = {
  'indexFill(g, dim, index, 0)', nil, nil,
  saving('dim, index', function(g, dim, index)
    local count = index:nElement()
    local order = onDeviceOf(torch.range(1, count):_as 'Long', g)
    local writer = torch.indexCopy(onDeviceOf(torch.LongTensor(g:size(dim)):zero(), g), 1, index, order)
    local stays = torch.to(torch.eq(torch.index(writer, 1, index), order), g:type())
    local shape = {}
    for d = 1, g:dim() do shape[d] = d == (dim < 0 and g:dim() + 1 + dim or dim) and count or 1 end
    return torch.cmul(torch.index(g, dim, index), torch.reshape(stays, shape))
  end),
}
rules.indexFill = { 'indexFill(g, dim, index, 0)' }

rules.gather = { 'gather_grad(g, size(x), dim, index)' }
rules.gather_grad = { 'gather(h, dim, index)' }

-- A source may be larger than the index: the rest is not used.
local function toSource(g, size)
  local same = g:dim() == #size
  for d = 1, #size do same = same and g:size(d) == size[d] end
  if same then return g end
  local ranges = {}
  for d = 1, #size do ranges[2 * d - 1], ranges[2 * d] = 1, g:size(d) end
  return torch.sub_grad(g, size, ranges)
end

rules.scatterAdd = {
  'g', nil, nil,
  saving('dim, index, size(source)', function(g, dim, index, size) return toSource(torch.gather(g, dim, index), size) end),
}
-- If several elements are written to one position, the last one remains, and only it has a gradient. (torch.scatter writes to its
-- argument.)
rules.scatter = {
  'scatter(clone(g), dim, index, 0)', nil, nil,
  saving('dim, index, size(source)', function(g, dim, index, size)
    local count = index:nElement()
    local order = torch.reshape(onDeviceOf(torch.range(1, count), g), index:size())
    local writer = torch.scatter(onDeviceOf(torch.DoubleTensor(g:size()):zero(), g), dim, index, order)
    local stays = torch.to(torch.eq(torch.gather(writer, dim, index), order), g:type())
    return toSource(torch.cmul(torch.gather(g, dim, index), stays), size)
  end),
}

rules.take = { saving('size(x), index', function(g, size, index)
  local flat = torch.reshape(index, index:nElement())
  return torch.reshape(torch.index_grad(torch.reshape(g, g:nElement()), torch.LongStorage { elements(size) }, 1, flat), size)
end) }
