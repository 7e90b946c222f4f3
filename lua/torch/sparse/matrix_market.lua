--- Files of Matrix Market (.mtx): sparse matrices by coordinates, and dense ones ("array"), of real or complex numbers, integers or places
-- alone ("pattern"); general, symmetric, skew-symmetric or Hermitian. Source: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market
-- Exchange Formats: Initial Design", NISTIR 5935, 1996.
-- @module torch.sparse.matrix_market
local torch, check = require 'torch', require 'torch.check'
local checks = require 'torch.sparse.checks'
local atomic = require 'torch.file.atomic'

local market = {}

local reading, writing = 'torch.sparse.loadMtx', 'torch.sparse.saveMtx'

-- The lines of a file that are neither comments nor empty; errors have the number of the last one.
local Lines = {}
Lines.__index = Lines

function Lines:refuse(what)
  check.raise(('%s: %s: line %d: %s'):format(reading, self.name, self.number, (what:gsub('[%z\1-\31\127-\255]', '?'))))
end

function Lines:next(expected)
  repeat
    local line, place = self.text:match('^([^\n]*)\n?()', self.place)
    if self.place > #self.text then
      self.number = self.number + 1
      self:refuse(('the end of the file, expected %s'):format(expected))
    end
    self.place, self.number = place, self.number + 1
    line = line:gsub('\r$', '')
    if line:find '%S' and not line:find '^%%' then return line end
  until false
end

-- Checks that nothing follows.
function Lines:finish()
  local rest = self.text:sub(self.place)
  for line in rest:gmatch '[^\n]+' do
    if line:find '%S' and not line:find '^%%' then self:refuse(('%q follows the last entry'):format(line:sub(1, 40))) end
  end
end

-- Returns whole numbers of a line.
local function wholes(lines, line, pattern, expected, largest)
  local list = { line:match(pattern) }
  if #list == 0 then lines:refuse(('%q, expected %s'):format(line:sub(1, 40), expected)) end
  for i, digits in ipairs(list) do
    list[i] = tonumber(digits)
    if list[i] > largest then lines:refuse(('%s, expected at most %.0f'):format(digits, largest)) end
  end
  return list
end

local fields = { real = 'torch.DoubleTensor', double = 'torch.DoubleTensor', integer = 'torch.LongTensor', pattern = 'torch.DoubleTensor',
  complex = 'torch.DoubleTensor' }

-- What the elements above the diagonal are made of by those below it.
local symmetries = {
  general = false, symmetric = function(x) return x end, ['skew-symmetric'] = torch.neg,
  hermitian = function(x) return x:isComplex() and torch.conj(x) or x end,
}

local function headingOf(lines)
  local line = lines.text:match '^[^\n]*'
  lines.number, lines.place = 1, #line + 2
  local format, field, symmetry = line:lower():match '^%%%%matrixmarket%s+matrix%s+(%S+)%s+(%S+)%s+(%S+)%s*$'
  if not format then lines:refuse(('%q, expected %%%%MatrixMarket matrix ...'):format(line:sub(1, 60))) end
  if format ~= 'coordinate' and format ~= 'array' then lines:refuse(format .. ', expected coordinate or array') end
  if not fields[field] or field == 'pattern' and format == 'array' then
    lines:refuse(field .. ', expected real, complex, integer or pattern')
  end
  if symmetries[symmetry] == nil then lines:refuse(symmetry .. ', expected general, symmetric, skew-symmetric or hermitian') end
  return format, field, symmetry
end

local function numberOf(lines, text, field)
  local value = tonumber(text)
  if not text:find '^[+-]?[%d.]' and not text:lower():find '^[+-]?inf' and not text:lower():find '^[+-]?nan' then value = nil end
  value = value or text:find '^%+' and tonumber(text:sub(2))
  if not value or field == 'integer' and value % 1 ~= 0 then
    lines:refuse(('%q, expected a number'):format(text:sub(1, 40)))
  end
  return value
end

-- Returns memory for numbers of a field, a pointer to it, and a function that makes the values of it.
local function room(field, count, value)
  local values = torch[fields[field]:sub(7)](field == 'complex' and 2 * count or count):fill(value)
  return values:data(), function() return field == 'complex' and torch.viewAsComplex(values:view(count, 2)) or values end
end

-- Stores the number of a line, or both parts of a complex one.
local function store(lines, data, place, text, field)
  if field ~= 'complex' then
    data[place] = numberOf(lines, text, field)
    return
  end
  local re, im = text:match '^(%S+)%s+(%S+)$'
  if not re then lines:refuse(('%q, expected a real and an imaginary part'):format(text:sub(1, 40))) end
  data[2 * place], data[2 * place + 1] = numberOf(lines, re, field), numberOf(lines, im, field)
end

-- Adds the entries above the diagonal.
local function mirrored(indices, values, mirror)
  local off = indices[1]:ne(indices[2]):nonzero()
  if off:nElement() == 0 then return indices, values end
  off = off:view(-1)
  local swapped = torch.cat(indices[2]:index(1, off):view(1, -1), indices[1]:index(1, off):view(1, -1), 1)
  return torch.cat(indices, swapped, 2), torch.cat(values, mirror(values:index(1, off)), 1)
end

local function readCoordinates(lines, field, symmetry)
  local size = wholes(lines, lines:next 'rows, columns and entries', '^%s*(%d+)%s+(%d+)%s+(%d+)%s*$', 'rows, columns and entries', 2 ^ 53)
  local rows, columns, count = size[1], size[2], size[3]
  local mirror = symmetries[symmetry]
  if mirror and rows ~= columns then lines:refuse(('%d x %d, expected a square for a symmetric matrix'):format(rows, columns)) end
  -- The shortest entry has four bytes with the end of its line.
  if count > (#lines.text + 1) / 4 then lines:refuse(('%.0f entries in %d bytes'):format(count, #lines.text)) end
  local indices = torch.LongTensor(2, count)
  local places, data, finished = indices:data(), room(field, count, 1)
  local pattern = field == 'pattern' and '^%s*(%d+)%s+(%d+)%s*$' or field == 'complex' and '^%s*(%d+)%s+(%d+)%s+(%S+%s+%S+)%s*$'
    or '^%s*(%d+)%s+(%d+)%s+(%S+)%s*$'
  for e = 0, count - 1 do
    local line = lines:next(('entry %d of %d'):format(e + 1, count))
    local row, column, value = line:match(pattern)
    if not row then
      lines:refuse(('%q, expected row, column%s'):format(line:sub(1, 40), field == 'pattern' and '' or ' and value'))
    end
    local r, c = tonumber(row), tonumber(column)
    if r < 1 or r > rows or c < 1 or c > columns then
      lines:refuse(('row %s, column %s, expected places of %d x %d'):format(row, column, rows, columns))
    end
    if mirror and c > r or symmetry == 'skew-symmetric' and c == r then
      lines:refuse(('row %s, column %s, expected a place below the diagonal, whose other half follows'):format(row, column))
    end
    places[e], places[count + e] = r, c
    if value then store(lines, data, e, value, field) end
  end
  lines:finish()
  local values = finished()
  if mirror and count > 0 then indices, values = mirrored(indices, values, mirror) end
  return torch.sparse.coo(indices, values, { rows, columns })
end

local function readArray(lines, field, symmetry)
  local size = wholes(lines, lines:next 'rows and columns', '^%s*(%d+)%s+(%d+)%s*$', 'rows and columns', 2 ^ 26)
  local rows, columns = size[1], size[2]
  local mirror, isSkew = symmetries[symmetry], symmetry == 'skew-symmetric'
  if mirror and rows ~= columns then lines:refuse(('%d x %d, expected a square for a symmetric matrix'):format(rows, columns)) end
  local held = not mirror and rows * columns or isSkew and rows * (rows - 1) / 2 or rows * (rows + 1) / 2
  if held > (#lines.text + 1) / 2 then lines:refuse(('%.0f elements in %d bytes'):format(held, #lines.text)) end
  local data, finished = room(field, rows * columns, 0)
  for c = 0, columns - 1 do
    for r = not mirror and 0 or isSkew and c + 1 or c, rows - 1 do
      store(lines, data, r * columns + c, lines:next('an element'):match '^%s*(.-)%s*$', field)
    end
  end
  lines:finish()
  local x = finished():view(rows, columns)
  return mirror and rows > 0 and x + mirror(torch.tril(x, -1):t()) or x
end

--- Reads a matrix of Matrix Market.
-- @string name file
-- @treturn torch.SparseCOO|torch.Tensor sparse if the file has coordinates; dense if it has an array. Doubles, complex doubles, or a
-- LongTensor's integers
-- @raise if the file is damaged: the line, and what was expected there
function market.loadMtx(name)
  name = check.name(reading, 'name', name)
  local file, problem = io.open(name, 'rb')
  if not file then check.raise(('%s: %s'):format(reading, problem)) end
  local text = file:read '*a'
  file:close()
  if not text then check.raise(('%s: %s: not a file'):format(reading, name)) end
  local lines = setmetatable({ name = name, text = text, place = 1, number = 0 }, Lines)
  local format, field, symmetry = headingOf(lines)
  return (format == 'coordinate' and readCoordinates or readArray)(lines, field, symmetry)
end

-- The symmetries that a matrix may have, the best one first.
local order = { 'symmetric', 'hermitian', 'skew-symmetric' }

-- Whether the part below the diagonal gives the one above it.
local function has(x, symmetry)
  if x:size(1) ~= x:size(2) then return false end
  local mirror, sparse = symmetries[symmetry], torch.sparse.isSparse(x)
  local turned = sparse and x:t() or x:t():contiguous()
  if not sparse then return torch.equal(x, mirror(turned)) end
  return x:equal(turned:_with(mirror(turned:values())))
end

-- Returns the symmetry that a file declares: the wanted one, or with 'auto' the first one that the matrix has.
local function symmetryOf(x, wanted)
  if wanted == 'general' then return wanted end
  if wanted == 'auto' then
    for _, symmetry in ipairs(order) do
      if has(x, symmetry) then return symmetry end
    end
    return 'general'
  end
  check.that(has(x, wanted), ('%s: x: not %s, expected a matrix with this symmetry'):format(writing, wanted))
  return wanted
end

local function numberText(value, isComplex)
  if isComplex then return ('%.17g %.17g'):format(value.re, value.im) end
  return ('%.17g'):format(tonumber(value))
end

-- Whether an entry is in the file: below the diagonal if the matrix has a symmetry.
local function isKept(row, column, symmetry)
  return symmetry == 'general' or row > column or row == column and symmetry ~= 'skew-symmetric'
end

local function arrayLines(parts, x, symmetry, isComplex)
  parts[#parts + 1] = ('%d %d\n'):format(x:size(1), x:size(2))
  for c, column in ipairs(x:nElement() > 0 and x:t():contiguous():totable() or {}) do
    for r, value in ipairs(column) do
      if isKept(r, c, symmetry) then parts[#parts + 1] = numberText(value, isComplex) .. '\n' end
    end
  end
end

local function coordinateLines(parts, coo, symmetry, isComplex, isPattern)
  local rows, columns, values, count = {}, {}, {}, 0
  if coo:nnz() > 0 then rows, columns, values = coo:indices()[1]:totable(), coo:indices()[2]:totable(), coo:values():totable() end
  local heading = #parts + 1
  for e = 1, coo:nnz() do
    local row, column = tonumber(rows[e]), tonumber(columns[e])
    if isKept(row, column, symmetry) then
      count = count + 1
      parts[heading + count] = isPattern and ('%d %d\n'):format(row, column)
        or ('%d %d %s\n'):format(row, column, numberText(values[e], isComplex))
    end
  end
  parts[heading] = ('%d %d %d\n'):format(coo:size(1), coo:size(2), count)
end

--- Writes a matrix to a file of Matrix Market, which is replaced atomically. Numbers have the digits that give them back.
-- @string name file
-- @param x a sparse matrix, for coordinates, of which it writes the sums; or a dense one, for an array
-- @tparam[opt] table options `symmetry`: 'general' (default), 'symmetric', 'skew-symmetric', 'hermitian', for which the part below the
--   diagonal suffices, or 'auto', one that the matrix has; `field`: 'pattern' for places alone; `comment`: lines of text
-- @raise if the matrix lacks the symmetry
function market.saveMtx(name, x, options)
  name = check.name(writing, 'name', name)
  options = check.options(writing, options, { 'symmetry', 'field', 'comment' })
  local isDense = torch.isTensor(x)
  if isDense then
    check.that(x:dim() == 2, ('%s: x: %d dimensions, expected a matrix'):format(writing, x:dim()), 'shape')
    x = x:detach()
  else
    x = checks.intact(writing .. ': x', checks.matrix(writing, checks.sparse(writing, 'x', x), 'x')):coo():coalesce()
    x = x:_with(x:values():detach())
  end
  local values = isDense and x or x:values()
  local field = values:isComplex() and 'complex' or values:isFloatingPoint() and 'real' or 'integer'
  if options.field then field = check.choice(writing, 'field', options.field, isDense and { field } or { field, 'pattern' }) end
  local symmetry = symmetryOf(x, check.choice(writing, 'symmetry', options.symmetry or 'general', { 'general', 'symmetric',
    'skew-symmetric', 'hermitian', 'auto' }))
  local parts = { ('%%%%MatrixMarket matrix %s %s %s\n'):format(isDense and 'array' or 'coordinate', field, symmetry) }
  for line in check.text(writing, 'comment', options.comment or ''):gmatch '[^\n]+' do parts[#parts + 1] = ('%%%s\n'):format(line) end
  if isDense then
    arrayLines(parts, x, symmetry, field == 'complex')
  else
    coordinateLines(parts, x, symmetry, field == 'complex', field == 'pattern')
  end
  local text = table.concat(parts)
  atomic.write(writing, name, function(channel)
    local _, problem = channel:write(text, #text)
    if problem then error(problem, 0) end
  end)
end

return market
