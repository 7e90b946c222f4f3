--- Dimensions of reductions by PyTorch's rule: reduced ones are dropped unless keepdim is true; a result without dimensions is a number.
-- @module torch.names.reduced
local torch = require 'torch'
local expect = require 'torch.check.expect'

local reduced = {}

--- Returns dimensions from 1; all of x if none is given.
-- @string op for errors
-- @tparam torch.Tensor x
-- @tparam[opt] {int,...} dims none means all
-- @treturn {int,...}
function reduced.dims(op, x, dims)
  local list, met = {}, {}
  if not dims or #dims == 0 then
    for d = 1, x:dim() do list[d] = d end
    return list
  end
  for i = 1, #dims do
    list[i] = expect.whichDim(op, 'dim', x, dims[i])
    if met[list[i]] then expect.range(op, 'dim', 'dimension %d is twice in the list', list[i]) end
    met[list[i]] = true
  end
  return list
end

--- Returns a result whose reduced dimensions have size 1 without them, or with them if `keepdim` is true.
-- @tparam torch.Tensor y
-- @tparam {int,...} dims from 1
-- @bool keepdim
-- @treturn torch.Tensor|number
function reduced.result(y, dims, keepdim)
  if keepdim then return y end
  local isReduced, sizes = {}, {}
  for _, d in ipairs(dims) do isReduced[d] = true end
  for d = 1, y:dim() do
    if not isReduced[d] then sizes[#sizes + 1] = y:size(d) end
  end
  if #sizes == 0 then return torch.sum(y) end
  return torch.reshape(y, sizes)
end

return reduced
