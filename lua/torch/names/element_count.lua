--- The number of elements of tensors with given sizes.
-- @module torch.names.element_count

--- Returns the product of sizes: 1 for no sizes, as for a number.
-- @tparam torch.LongStorage|{int,...} sizes
-- @tparam[opt=1] int first the first dimension of the product
-- @tparam[opt] int last the last dimension of the product; default: the last one
-- @treturn int
return function(sizes, first, last)
  local count = 1
  for d = first or 1, last or #sizes do count = count * sizes[d] end
  return count
end
