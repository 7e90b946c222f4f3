--- Field names of NumPy's and PyTorch's arrays that tensors don't have, and their replacements; any other name is nil.
-- @module torch.tensor.attributes
local extensions = require 'torch.extensions'
local attributes = {}

--- A field of other libraries' arrays -> its replacement.
attributes.here = {
  shape = '#x or x:size()', ndim = 'x:dim()', dtype = 'x:type()', T = 'x:t()', mT = 'x:transpose(-1, -2)', strides = 'x:stride()',
  itemsize = 'x:elementSize()', nbytes = 'x:nElement() * x:elementSize()', is_leaf = 'x:isLeaf()',
}

--- Returns the value of a name that is not a method: nil, because programs test names; but fields of other libraries raise an error,
-- because nil would go unnoticed. Call this function and the next one in a tail call, so that errors report the caller's line.
-- @string key
-- @raise for such a field
function attributes.read(key)
  if key == 'requires_grad' then return false end      -- a field of the tape, which is not loaded
  local here = attributes.here[key]
  if here then error(('index: key: %s, expected %s'):format(key, here), 2) end
end

--- Sets a field of the tape, after loading the tape; raises an error for other fields, and if no tape is installed.
-- @tparam torch.Tensor x
-- @string key
-- @param value
function attributes.write(x, key, value)
  if key == 'requires_grad' and not extensions.registered.tape then
    if not extensions.get 'tape' then error('requires_grad: no package with a tape is installed', 2) end
    x[key] = value
    return
  end
  local here = attributes.here[key]
  local instead = here and ('%s is %s here'):format(key, here) or ('keep %s in a table'):format(key)
  error(('the class %s cannot be indexed: a tensor takes no fields: %s'):format(x:type(), instead), 2)
end

return attributes
