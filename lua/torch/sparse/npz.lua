--- SciPy's files of sparse matrices: `scipy.sparse.save_npz`, formats csr, csc, coo, bsr and dia.
-- @module torch.sparse.npz
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'

local npz = {}

-- Returns the parts of a file by name; raises an error if one is missing.
local function partsOf(where, name, names)
  local good, values = pcall(torch.npz.load, name, { members = names })
  if not good then check.raise((tostring(values):gsub('^.*torch%.npz%.load', where))) end
  for _, part in ipairs(names) do
    if part ~= 'format' and not torch.isTensor(values[part]) then
      check.raise(('%s: %s: member %s: %s, expected numbers'):format(where, name, part, check.describe(values[part])))
    end
  end
  return values
end

-- Returns positions counted from 1.
local function fromOne(where, name, part, x)
  if x:dim() ~= 1 or x:isFloatingPoint() then
    check.raise(('%s: %s: member %s: a %s of %d dimensions, expected a vector of integers'):format(where, name, part, x:type(), x:dim()))
  end
  return x:long() + 1
end

--- Reads a sparse matrix that SciPy wrote.
-- @string name file
-- @treturn torch.Sparse of the file's format
-- @raise if the file is damaged, or of another format
function npz.loadNpz(name)
  local where = 'torch.sparse.loadNpz'
  check.name(where, 'name', name)
  local heading = partsOf(where, name, { 'format', 'shape' })
  local format, shape = heading.format, heading.shape
  if format ~= 'csr' and format ~= 'csc' and format ~= 'coo' and format ~= 'bsr' and format ~= 'dia' then
    check.raise(('%s: %s: format %s, expected csr, csc, coo, bsr or dia'):format(where, name, check.describe(format)))
  end
  if shape:dim() ~= 1 or shape:nElement() ~= 2 then check.raise(('%s: %s: member shape: expected two sizes'):format(where, name)) end
  local sizes = { tonumber(shape[1]), tonumber(shape[2]) }
  local function checked(make, ...)
    local good, s = pcall(make, ...)
    if not good then check.raise(('%s: %s: %s'):format(where, name, (tostring(s):gsub('^.*torch%.sparse%.%a+: ', '')))) end
    return s
  end
  if format == 'coo' then
    local parts = partsOf(where, name, { 'row', 'col', 'data' })
    local row, column = fromOne(where, name, 'row', parts.row), fromOne(where, name, 'col', parts.col)
    if row:size(1) ~= column:size(1) then
      check.raise(('%s: %s: member col: %d elements, expected %d as in row'):format(where, name, column:size(1), row:size(1)))
    end
    return checked(torch.SparseCOO, torch.cat(row:view(1, -1), column:view(1, -1), 1), parts.data, sizes)
  end
  if format == 'dia' then
    local parts = partsOf(where, name, { 'offsets', 'data' })
    return checked(torch.SparseDIA, parts.data, fromOne(where, name, 'offsets', parts.offsets) - 1, sizes)
  end
  local parts = partsOf(where, name, { 'indptr', 'indices', 'data' })
  local first, index = fromOne(where, name, 'indptr', parts.indptr), fromOne(where, name, 'indices', parts.indices)
  return checked(torch['Sparse' .. format:upper()], first, index, parts.data, sizes)
end

--- Writes a sparse matrix as `scipy.sparse.save_npz` does; `scipy.sparse.load_npz` reads it. The file is replaced atomically.
-- @string name file
-- @param s a sparse matrix
-- @tparam[opt] table options `compressed = true` deflates it
function npz.saveNpz(name, s, options)
  local where = 'torch.sparse.saveNpz'
  check.name(where, 'name', name)
  checks.matrix(where, checks.sparse(where, 's', s), 's')
  options = check.options(where, options, { 'compressed' })
  local parts = { format = s:format(), shape = torch.LongTensor(s._sizes), data = s:values():detach() }
  local format = s:format()
  if format == 'csr' or format == 'bsr' then
    parts.indptr, parts.indices = s:rows() - 1, s:columns() - 1
  elseif format == 'csc' then
    parts.indptr, parts.indices = s:columns() - 1, s:rows() - 1
  elseif format == 'dia' then
    parts.offsets = s:offsets()
  else
    parts.row, parts.col = s:indices()[1] - 1, s:indices()[2] - 1
  end
  torch.npz.save(name, parts, options)
end

return npz
