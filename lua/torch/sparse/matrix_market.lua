--- Files of Matrix Market (.mtx): sparse matrices by coordinates, and dense ones ("array"), of real numbers, integers or places alone
-- ("pattern"); general, symmetric or skew-symmetric. Source: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats:
-- Initial Design", NISTIR 5935, 1996.
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

local fields = { real = 'torch.DoubleTensor', double = 'torch.DoubleTensor', integer = 'torch.LongTensor', pattern = 'torch.DoubleTensor' }
local symmetries = { general = 0, symmetric = 1, ['skew-symmetric'] = -1, hermitian = 1 }

local function headingOf(lines)
  local line = lines.text:match '^[^\n]*'
  lines.number, lines.place = 1, #line + 2
  local format, field, symmetry = line:lower():match '^%%%%matrixmarket%s+matrix%s+(%S+)%s+(%S+)%s+(%S+)%s*$'
  if not format then lines:refuse(('%q, expected %%%%MatrixMarket matrix ...'):format(line:sub(1, 60))) end
  if format ~= 'coordinate' and format ~= 'array' then lines:refuse(format .. ', expected coordinate or array') end
  if not fields[field] or field == 'pattern' and format == 'array' then lines:refuse(field .. ', expected real, integer or pattern') end
  if not symmetries[symmetry] then lines:refuse(symmetry .. ', expected general, symmetric or skew-symmetric') end
  return format, field, symmetries[symmetry]
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

-- Adds the entries above the diagonal.
local function mirrored(indices, values, sign)
  local off = indices[1]:ne(indices[2]):nonzero()
  if off:nElement() == 0 then return indices, values end
  off = off:view(-1)
  local swapped = torch.cat(indices[2]:index(1, off):view(1, -1), indices[1]:index(1, off):view(1, -1), 1)
  return torch.cat(indices, swapped, 2), torch.cat(values, values:index(1, off) * sign, 1)
end

local function readCoordinates(lines, field, sign)
  local size = wholes(lines, lines:next 'rows, columns and entries', '^%s*(%d+)%s+(%d+)%s+(%d+)%s*$', 'rows, columns and entries', 2 ^ 53)
  local rows, columns, count = size[1], size[2], size[3]
  if sign ~= 0 and rows ~= columns then lines:refuse(('%d x %d, expected a square for a symmetric matrix'):format(rows, columns)) end
  -- The shortest entry has four bytes with the end of its line.
  if count > (#lines.text + 1) / 4 then lines:refuse(('%.0f entries in %d bytes'):format(count, #lines.text)) end
  local indices, values = torch.LongTensor(2, count), torch[fields[field]:sub(7)](count):fill(1)
  local places, data = indices:data(), values:data()
  local pattern = field == 'pattern' and '^%s*(%d+)%s+(%d+)%s*$' or '^%s*(%d+)%s+(%d+)%s+(%S+)%s*$'
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
    if sign ~= 0 and c > r or sign == -1 and c == r then
      lines:refuse(('row %s, column %s, expected a place below the diagonal, whose other half follows'):format(row, column))
    end
    places[e], places[count + e] = r, c
    if value then data[e] = numberOf(lines, value, field) end
  end
  lines:finish()
  if sign ~= 0 and count > 0 then indices, values = mirrored(indices, values, sign) end
  return torch.sparse.coo(indices, values, { rows, columns })
end

local function readArray(lines, field, sign)
  local size = wholes(lines, lines:next 'rows and columns', '^%s*(%d+)%s+(%d+)%s*$', 'rows and columns', 2 ^ 26)
  local rows, columns = size[1], size[2]
  if sign ~= 0 and rows ~= columns then lines:refuse(('%d x %d, expected a square for a symmetric matrix'):format(rows, columns)) end
  local held = sign == 0 and rows * columns or sign == 1 and rows * (rows + 1) / 2 or rows * (rows - 1) / 2
  if held > (#lines.text + 1) / 2 then lines:refuse(('%.0f elements in %d bytes'):format(held, #lines.text)) end
  local x = torch[fields[field]:sub(7)](rows, columns):zero()
  local data = x:data()
  for c = 0, columns - 1 do
    for r = sign == 0 and 0 or sign == 1 and c or c + 1, rows - 1 do
      local value = numberOf(lines, lines:next('an element'):match '^%s*(.-)%s*$', field)
      data[r * columns + c] = value
      if sign ~= 0 then data[c * columns + r] = r == c and value or sign * value end
    end
  end
  lines:finish()
  return x
end

--- Reads a matrix of Matrix Market.
-- @string name file
-- @treturn torch.SparseCOO|torch.Tensor sparse if the file has coordinates; dense if it has an array. Doubles, or a LongTensor's integers
-- @raise if the file is damaged, or has complex numbers: the line, and what was expected there
function market.loadMtx(name)
  name = check.name(reading, 'name', name)
  local file, problem = io.open(name, 'rb')
  if not file then check.raise(('%s: %s'):format(reading, problem)) end
  local text = file:read '*a'
  file:close()
  if not text then check.raise(('%s: %s: not a file'):format(reading, name)) end
  local lines = setmetatable({ name = name, text = text, place = 1, number = 0 }, Lines)
  local format, field, sign = headingOf(lines)
  return (format == 'coordinate' and readCoordinates or readArray)(lines, field, sign)
end

local function isInteger(x) return not x:isFloatingPoint() end

--- Writes a matrix to a file of Matrix Market, which is replaced atomically. Numbers have the digits that give them back.
-- @string name file
-- @param x a sparse matrix, for coordinates, of which it writes the sums; or a dense one, for an array
function market.saveMtx(name, x)
  name = check.name(writing, 'name', name)
  local parts = {}
  local function heading(format, values)
    parts[1] = ('%%%%MatrixMarket matrix %s %s general\n'):format(format, isInteger(values) and 'integer' or 'real')
  end
  if torch.isTensor(x) then
    check.that(x:dim() == 2, ('%s: x: %d dimensions, expected a matrix'):format(writing, x:dim()), 'shape')
    heading('array', x)
    parts[2] = ('%d %d\n'):format(x:size(1), x:size(2))
    for _, column in ipairs(x:nElement() > 0 and x:detach():t():contiguous():totable() or {}) do
      for _, value in ipairs(column) do parts[#parts + 1] = ('%.17g\n'):format(tonumber(value)) end
    end
  else
    local coo = checks.matrix(writing, checks.sparse(writing, 'x', x), 'x'):coo():coalesce()
    heading('coordinate', coo:values())
    parts[2] = ('%d %d %d\n'):format(coo:size(1), coo:size(2), coo:nnz())
    local rows, columns, values = coo:indices()[1], coo:indices()[2], coo:values():detach()
    if coo:nnz() > 0 then rows, columns, values = rows:totable(), columns:totable(), values:totable() end
    for e = 1, coo:nnz() do parts[e + 2] = ('%d %d %.17g\n'):format(tonumber(rows[e]), tonumber(columns[e]), tonumber(values[e])) end
  end
  local text = table.concat(parts)
  atomic.write(writing, name, function(channel)
    local _, problem = channel:write(text, #text)
    if problem then error(problem, 0) end
  end)
end

return market
