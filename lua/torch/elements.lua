--- How many elements tensors of given sizes have.
-- @module torch.elements

--- The product of sizes: 1 for none, as of a number.
-- @tparam torch.LongStorage|{int,...} sizes
-- @treturn int
return function(sizes)
  local count = 1
  for d = 1, #sizes do count = count * sizes[d] end
  return count
end
