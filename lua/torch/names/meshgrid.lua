--- Grids of coordinates.
-- @module torch.names.meshgrid
local torch, check = require 'torch', require 'torch.check'
local sizesOf = require('torch.check.message').sizes

--- Returns a tensor of coordinates for each vector: all have the dimensions #a x #b x ..., and the first varies along the first dimension.
-- The results are views of the vectors, repeated along the other dimensions (see expand).
-- @tparam torch.Tensor|{torch.Tensor,...} ... vectors, or a table of them; then optionally a table of options: `indexing`, 'ij', or 'xy' as
--   NumPy's default, where the first vector varies along the second dimension and the second one along the first; `sparse`, true for sizes
--   of 1 along the other dimensions
-- @treturn torch.Tensor... one per vector
-- @raise if an argument is not a vector
-- @usage local x, y = torch.meshgrid(torch.range(1, 3), torch.range(1, 2))   -- x[i][j] = i, y[i][j] = j
return function(...)
  local first = ...
  local vectors, options = type(first) == 'table' and first or { ... }, nil
  if vectors == first then
    options = select(2, ...)
  elseif type(vectors[#vectors]) == 'table' then
    options = table.remove(vectors)
  end
  options = check.options('meshgrid', options, { 'indexing', 'sparse' })
  local indexing = check.choice('meshgrid', 'indexing', options.indexing or 'ij', { 'ij', 'xy' })
  check.flag('meshgrid', 'sparse', options.sparse)
  local sizes = torch.LongStorage(#vectors)
  if #vectors == 0 then error('meshgrid: vectors: none', 2) end
  for i, v in ipairs(vectors) do
    if not torch.isTensor(v) or v:dim() ~= 1 then
      local actual = torch.isTensor(v) and sizesOf(v) or type(v)
      error(('meshgrid: vectors: %s as number %d, expected a vector'):format(actual, i), 2)
    end
  end
  -- The dimension along which vector i varies.
  local function dimOf(i)
    if indexing == 'xy' and i <= 2 and #vectors > 1 then return 3 - i end
    return i
  end
  for i, v in ipairs(vectors) do sizes[dimOf(i)] = v:size(1) end
  local grids = {}
  for i, v in ipairs(vectors) do
    local own = torch.LongStorage(#vectors):fill(1)
    own[dimOf(i)] = v:size(1)
    local open = torch.view(torch.contiguous(v), own)
    grids[i] = options.sparse and open or torch.expand(open, sizes)
  end
  return unpack(grids)
end
