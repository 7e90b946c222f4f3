--- How many elements tensors of given sizes have.
-- @module torch.names.element_count

--- The product of sizes: 1 for none, as of a number.
-- @tparam torch.LongStorage|{int,...} sizes
-- @tparam[opt=1] int first dimension that counts
-- @tparam[opt] int last dimension that counts; the last one unless given
-- @treturn int
return function(sizes, first, last)
  local count = 1
  for d = first or 1, last or #sizes do count = count * sizes[d] end
  return count
end
