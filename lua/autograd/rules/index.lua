-- Derivatives of selection and writing by index.
local torch = require 'torch'
local rules, elements, beside = require 'autograd.rules', require 'torch.elements', require 'autograd.beside'

rules.index = { 'index_grad(g, size(x), dim, index)' }
rules.index_grad = { 'index(g, dim, index)' }
rules.indexAdd = {
  function(g) return g end, nil, nil,
  function(g, _, _, dim, index) return torch.index(g, dim, index) end,
}
-- Of several slices written to one place the last stays, and it alone has a gradient.
rules.indexCopy = {
  function(g, _, _, dim, index) return torch.indexFill(g, dim, index, 0) end, nil, nil,
  function(g, _, _, dim, index)
    local count = index:nElement()
    local order = beside(torch.range(1, count):long(), g)
    local writer = torch.indexCopy(beside(torch.LongTensor(g:size(dim)):zero(), g), 1, index, order)
    local stays = torch.to(torch.eq(torch.index(writer, 1, index), order), g:type())
    local shape = {}
    for d = 1, g:dim() do shape[d] = d == (dim < 0 and g:dim() + 1 + dim or dim) and count or 1 end
    return torch.cmul(torch.index(g, dim, index), torch.reshape(stays, shape))
  end,
}
rules.indexFill = { function(g, _, _, dim, index) return torch.indexFill(g, dim, index, 0) end }

rules.gather = { 'gather_grad(g, size(x), dim, index)' }
rules.gather_grad = { 'gather(g, dim, index)' }

-- A source may be larger than the index: what lies beyond is not used.
local function toSource(g, size)
  local same = g:dim() == #size
  for d = 1, #size do same = same and g:size(d) == size[d] end
  if same then return g end
  local ranges = {}
  for d = 1, #size do ranges[2 * d - 1], ranges[2 * d] = 1, g:size(d) end
  return torch.sub_grad(g, size, ranges)
end

rules.scatterAdd = {
  function(g) return g end, nil, nil,
  function(g, _, _, dim, index, sourceSize) return toSource(torch.gather(g, dim, index), sourceSize) end,
}
-- Of several elements written to one place the last stays, and it alone has a gradient. (torch.scatter writes into its argument.)
rules.scatter = {
  function(g, _, _, dim, index) return torch.scatter(torch.clone(g), dim, index, 0) end, nil, nil,
  function(g, _, _, dim, index, sourceSize)
    local count = index:nElement()
    local order = torch.reshape(beside(torch.range(1, count), g), index:size())
    local writer = torch.scatter(beside(torch.DoubleTensor(g:size()):zero(), g), dim, index, order)
    local stays = torch.to(torch.eq(torch.gather(writer, dim, index), order), g:type())
    return toSource(torch.cmul(torch.gather(g, dim, index), stays), sourceSize)
  end,
}

rules.take = { function(g, _, xSize, index)
  local flat = torch.reshape(index, index:nElement())
  return torch.reshape(torch.index_grad(torch.reshape(g, g:nElement()), torch.LongStorage { elements(xSize) }, 1, flat), xSize)
end }
