--- MAT-files of version 4: matrices of numbers or characters, and sparse ones. Files are read, not written.
-- Format: The MathWorks, "MAT-File Format", version 4: five integers, a name, the elements in columns.
-- @module matio.version4
local torch = require 'torch'
local damage = require 'torch.file.damage'
local raw = require 'torch.file.raw_elements'
local Block = require 'torch.file.block'
local lists, texts = require 'matio.lists', require 'matio.texts'

local version4 = {}

local headerBytes, longestName, text = 20, 4096, 1      -- kinds: numbers 0, characters 1, sparse 2
local types = { [0] = raw.types.F64, raw.types.F32, raw.types.I32, raw.types.I16, raw.types.U16, raw.types.U8 }

-- Returns the parts of a matrix's type number: thousands, hundreds, tens, ones; nil if it is none.
local function partsOf(word)
  local order, zero, precision, kind = math.floor(word / 1000), math.floor(word / 100) % 10, math.floor(word / 10) % 10, word % 10
  if order <= 1 and zero == 0 and precision <= 5 and kind <= 2 then return order, precision, kind end
end

-- Reads the header of a matrix.
local function header(block, at, size)
  if size - at < headerBytes then damage.raise(at + 1, 'a matrix of 20 bytes or more', ('%d to the end'):format(size - at)) end
  local order, precision, kind = partsOf(block:word(at))
  if not order then damage.raise(at + 1, 'the type of a matrix, as 0 or 1011', ('%.0f'):format(block:word(at))) end
  local m, n, isComplex, length = block:int(at + 4), block:int(at + 8), block:word(at + 12) ~= 0, block:int(at + 16)
  if m < 0 or n < 0 then damage.raise(at + 5, 'two sizes of 0 or more', ('%d and %d'):format(m, n)) end
  if length < 1 or length > longestName or length > size - at - headerBytes then
    damage.raise(at + 17, ('a name of 1 to %d bytes'):format(longestName), tostring(length))
  end
  local head = {
    type = types[precision], kind = kind, sizes = { m, n }, count = m * n, isComplex = isComplex,
    name = block:text(at + headerBytes, length):match '^[^%z]*', first = at + headerBytes + length,
  }
  local bytes = head.count * head.type.size * (isComplex and 2 or 1)
  if bytes > size - head.first then
    damage.raise(head.first + 1, ('%.0f elements of %d bytes'):format(bytes / head.type.size, head.type.size),
      ('%.0f bytes to the end of the file'):format(size - head.first))
  end
  head.next = head.first + bytes
  return head
end

-- The values of a sparse matrix follow its rows and columns; its last row has its sizes.
local function sparseOf(head, x)
  local count, width, limits = head.sizes[1] - 1, head.sizes[2], head.first + 1
  if count < 0 or width < 3 or width > 4 then damage.raise(limits, 'the 3 or 4 columns of a sparse matrix', tostring(width)) end
  local column = x:double():view(width, count + 1)
  local m, n = column[1][count + 1], column[2][count + 1]
  if not (m % 1 == 0 and n % 1 == 0 and m >= 0 and n >= 0 and m < 2 ^ 31 and n < 2 ^ 31) then
    damage.raise(limits, 'the sizes of a sparse matrix', ('%g and %g'):format(m, n))
  end
  local entries = column:narrow(2, 1, count)
  local values = entries[3]:clone()
  if width == 4 then values = torch.complex(values, entries[4]:clone()) end
  local good, s = pcall(torch.SparseCOO, entries:narrow(1, 1, 2):long(), values, { m, n })
  if not good then damage.raise(limits, 'places of a sparse matrix', (tostring(s):gsub('^.*torch%.sparse%.coo: ', ''))) end
  return s:coalesce()
end

local function valueOf(block, head, options)
  local x = block:numbers(head.type, head.first, head.count)
  if head.kind > text then return sparseOf(head, x) end
  if head.kind == text then
    local codes = x:double():totable()
    for i, code in ipairs(codes) do
      if not (code >= 0 and code <= 0x10ffff and code % 1 == 0) then
        damage.raise(head.first + 1, 'codes of characters', ('%g as number %d'):format(code, i))
      end
    end
    return texts.value(codes, head.sizes, options.strings)
  end
  if head.isComplex then
    local part = head.type == raw.types.F32 and 'torch.FloatTensor' or 'torch.DoubleTensor'
    local imaginary = block:numbers(head.type, head.first + head.count * head.type.size, head.count)
    x = torch.complex(x:type(part), imaginary:type(part))
  end
  return lists.shaped(x, head.sizes)
end

--- Returns whether the file begins with a matrix of version 4.
-- @tparam torch.ByteStorage mapped
function version4.isNext(mapped)
  if mapped:size() < headerBytes then return false end
  local block = Block.over(mapped, mapped:size(), false)
  if not block:text(0, 4):find '%z' then return false end
  for _, swapped in ipairs { false, true } do
    block.swapped = swapped
    local length = block:word(16)
    if partsOf(block:word(0)) and length >= 1 and length <= longestName then return true end
  end
  return false
end

--- Visits the variables of a file in their order, as `matio.version5.each`.
function version4.each(mapped, options, visit)
  local size, at = mapped:size(), 0
  local block = Block.over(mapped, size, false)
  block.swapped = not partsOf(block:word(0))
  while at < size do
    local head = header(block, at, size)
    visit(head.name, function() return valueOf(block, head, options) end)
    at = head.next
  end
end

return version4
