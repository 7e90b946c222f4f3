--- Grids of coordinates.
-- @module torch.names.meshgrid
local torch = require 'torch'
local sizesOf = require('torch.check.message').sizes

--- Returns a tensor of coordinates for each vector: all have the dimensions #a x #b x ..., and the first varies along the first dimension.
-- The results are views of the vectors, repeated along the other dimensions (see expand).
-- @tparam torch.Tensor|{torch.Tensor,...} ... vectors, or a table of them
-- @treturn torch.Tensor... one per vector
-- @raise if an argument is not a vector
-- @usage local x, y = torch.meshgrid(torch.range(1, 3), torch.range(1, 2))   -- x[i][j] = i, y[i][j] = j
return function(...)
  local first = ...
  local vectors = type(first) == 'table' and first or { ... }
  local sizes = torch.LongStorage(#vectors)
  if #vectors == 0 then error('meshgrid: vectors: none', 2) end
  for i, v in ipairs(vectors) do
    if not torch.isTensor(v) or v:dim() ~= 1 then
      local actual = torch.isTensor(v) and sizesOf(v) or type(v)
      error(('meshgrid: vectors: %s as number %d, expected a vector'):format(actual, i), 2)
    end
    sizes[i] = v:size(1)
  end
  local grids = {}
  for i, v in ipairs(vectors) do
    local own = torch.LongStorage(#vectors):fill(1)
    own[i] = sizes[i]
    grids[i] = torch.expand(torch.view(torch.contiguous(v), own), sizes)
  end
  return unpack(grids)
end
