--- Names of fields that tensors have not: those of arrays in NumPy and PyTorch, and what each is here; any other is nil.
-- @module torch.tensor.attributes
local attributes = {}

--- A field of other libraries' arrays -> what it is here.
attributes.here = {
  shape = '#x or x:size()', ndim = 'x:dim()', dtype = 'x:type()', T = 'x:t()', mT = 'x:transpose(-1, -2)', strides = 'x:stride()',
  itemsize = 'x:elementSize()', nbytes = 'x:nElement() * x:elementSize()', is_leaf = 'x:isLeaf()',
}

--- What a name that is no method stands for: nil, as programs ask for names of their own, but for fields that other libraries have, where
-- nil would go on silently. In a tail call, as is the next one: for the caller's line.
-- @string key
-- @raise for such a field
function attributes.read(key)
  if key == 'requires_grad' then return false end      -- the tape has that field, and no program has asked for the tape
  local here = attributes.here[key]
  if here then error(('index: key: %s came, which is %s here'):format(key, here), 2) end
end

--- Sets a field that the tape has, which is loaded for it, or refuses.
-- @tparam torch.Tensor x
-- @string key
-- @param value
function attributes.write(x, key, value)
  if key == 'requires_grad' and not package.loaded['autograd.core'] then
    require 'autograd.core'
    x[key] = value
    return
  end
  local here = attributes.here[key]
  local instead = here and ('%s is %s here'):format(key, here) or ('keep %s in a table'):format(key)
  error(('the class %s cannot be indexed: a tensor takes no fields: %s'):format(x:type(), instead), 2)
end

return attributes
