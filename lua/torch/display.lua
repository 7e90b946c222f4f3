--- The text of tensors and storages, in Torch7's format.
-- One format serves all elements of a tensor: it is chosen from the largest and the smallest magnitude of a contiguous copy in double.
-- @module torch.display
local ffi = require 'ffi'
local canonical = require 'torch.canonical'

local display = {}

local doublePtr = ffi.typeof('const double *')
local abs, ceil, floor, log10, huge = math.abs, math.ceil, math.floor, math.log10, math.huge
local sformat, concat = string.format, table.concat
local element = canonical.Double

local LINE = 80      -- columns of text that a matrix may fill before it is split into blocks
local EDGE = 3       -- elements of each end of a dimension that a summary keeps

--- Largest and smallest magnitude, and what decides between integers and fractions. Infinities count as integers.
local function measure(p, n)
  local integers, nans, largest, smallest = true, false, 0, huge
  for i = 0, n - 1 do
    local v = element(p, i)
    if v ~= ceil(v) then
      integers = false
      if v ~= v then nans = true end
    end
    v = abs(v)
    if v > largest then largest = v end
    if v < smallest then smallest = v end
  end
  return integers, nans, largest, smallest
end

--- Digits before the decimal point: 3 for 100..999, 0 for 0.1..0.99, -1 for 0.01..0.099.
local function exponent(v) return v == 0 and 1 or floor(log10(v)) + 1 end

--- How to write n elements: the format, what to divide by (1 for nothing), and the width, nil when it varies.
local function choose(p, n)
  local integers, nans, largest, smallest = measure(p, n)
  if nans then return '%f', 1, nil end
  local emax, emin = exponent(largest), exponent(smallest)
  if integers then
    if emax > 9 then return '%11.4e', 1, 11 end
    return '%' .. emax + 1 .. 'd', 1, emax + 1
  end
  if emax - emin > 4 then
    local width = (abs(emax) > 99 or abs(emin) > 99) and 12 or 11
    return '%' .. width .. '.4e', 1, width
  end
  if emax > 5 or emax < 0 then return '%7.4f', 10 ^ (emax - 1), 7 end
  local width = emax == 0 and 7 or emax + 6
  return '%' .. width .. '.4f', 1, width
end

local function scaleLine(scale) return sformat('%g *\n', scale) end

--- A column of n elements; after element `gap` a summary says that some are left out.
local function writeVector(out, p, n, gap)
  local format, scale = choose(p, n)
  if scale ~= 1 then out[#out + 1] = scaleLine(scale) end
  for i = 0, n - 1 do
    out[#out + 1] = sformat(format, element(p, i) / scale)
    out[#out + 1] = '\n'
    if i + 1 == gap then out[#out + 1] = '...\n' end
  end
end

--- Rows of a matrix that lies row after row at p, in blocks of as many columns as fit the line.
local function writeMatrix(out, p, rows, columns, style, indent, rowGap, columnGap)
  local format, scale, width = style.format, style.scale, style.width
  local perBlock = columns
  if width and not columnGap then perBlock = math.min(columns, math.max(1, floor((LINE - #indent) / (width + 1)))) end
  local margin = scale == 1 and indent or indent .. ' '
  for first = 1, columns, perBlock do
    local last = math.min(first + perBlock - 1, columns)
    if perBlock < columns then
      if first > 1 then out[#out + 1] = '\n' end
      out[#out + 1] = sformat('%sColumns %d to %d\n', indent, first, last)
    end
    if scale ~= 1 then out[#out + 1] = indent .. scaleLine(scale) end
    for row = 0, rows - 1 do
      out[#out + 1] = margin
      for column = first - 1, last - 1 do
        out[#out + 1] = sformat(format, element(p, row * columns + column) / scale)
        if column + 1 == columnGap then out[#out + 1] = ' ...' end
        out[#out + 1] = column < last - 1 and ' ' or '\n'
      end
      if row + 1 == rowGap then out[#out + 1] = margin .. '...\n' end
    end
  end
end

--- Matrices of the last two dimensions, each under its index, the first dimension fastest.
-- A summary's gaps tell where indices jump: `lengths` are the true sizes.
local function writeBlocks(out, p, sizes, style, gaps, lengths)
  local dims = #sizes
  local rows, columns = sizes[dims - 1], sizes[dims]
  local blocks, strides = 1, {}
  local stride = rows * columns
  for d = dims - 2, 1, -1 do
    strides[d] = stride
    stride = stride * sizes[d]
    blocks = blocks * sizes[d]
  end
  for block = 0, blocks - 1 do
    local rest, offset, label = block, 0, {}
    for d = 1, dims - 2 do
      local k = rest % sizes[d]
      rest = (rest - k) / sizes[d]
      offset = offset + k * strides[d]
      label[d] = gaps[d] and k >= gaps[d] and k + 1 + lengths[d] - sizes[d] or k + 1
    end
    if block > 0 then out[#out + 1] = '\n' end
    out[#out + 1] = '(' .. concat(label, ',') .. ',.,.) = \n'
    writeMatrix(out, p + offset, rows, columns, style, ' ', gaps[dims - 1], gaps[dims])
  end
end

local function sizesOf(t)
  local sizes, count = {}, 1
  for d = 1, t:dim() do
    sizes[d] = t:size(d)
    count = count * sizes[d]
  end
  return sizes, count
end

--- The text of `t`, whose elements come from `shown`: t itself, or its edges with a gap after `gaps[d]` in dimension d.
local function render(t, shown, gaps)
  local lengths = sizesOf(t)
  local sizes, count = sizesOf(shown)
  if #sizes == 0 then return '[' .. t:type() .. ' with no dimension]\n' end
  local out = {}
  if count > 0 then
    local copy = shown:double():contiguous()
    local p = ffi.cast(doublePtr, copy:data())
    if #sizes == 1 then
      writeVector(out, p, count, gaps[1])
    else
      local style = {}
      style.format, style.scale, style.width = choose(p, count)
      if #sizes == 2 then
        writeMatrix(out, p, sizes[1], sizes[2], style, '', gaps[1], gaps[2])
      else
        writeBlocks(out, p, sizes, style, gaps, lengths)
      end
    end
    out.source = copy      -- a pointer does not keep its tensor alive: this does, until the text is made
  end
  out[#out + 1] = '[' .. t:type() .. ' of size ' .. concat(lengths, 'x') .. ']\n'
  return concat(out)
end

--- The text of a tensor: every element, then a line with its type and sizes.
-- @tparam torch.Tensor t any dtype, layout and number of dimensions
-- @treturn string ends with a newline
-- @usage display.tensor(torch.Tensor{1, 20, -3})   --> "  1\n 20\n -3\n[torch.DoubleTensor of size 3]\n"
function display.tensor(t) return render(t, t, {}) end

--- The text of a tensor, with only the edges of the dimensions longer than 6 when it has more than `most` elements.
-- @tparam torch.Tensor t
-- @tparam[opt=1000] int most elements that are still written in full
-- @treturn string ends with a newline
function display.summary(t, most)
  if t:nElement() <= (most or 1000) then return display.tensor(t) end
  local shown, gaps = t, {}
  for d = 1, t:dim() do
    local n = t:size(d)
    if n > 2 * EDGE then
      local torch = require 'torch'
      shown = torch.cat(shown:narrow(d, 1, EDGE):double(), shown:narrow(d, n - EDGE + 1, EDGE):double(), d)
      gaps[d] = EDGE
    end
  end
  return render(t, shown, gaps)
end

--- The text of a storage: every element, then a line with its type and size.
-- @tparam torch.Storage s
-- @treturn string ends with a newline
function display.storage(s)
  local torch = require 'torch'
  local name, n, out = torch.typename(s), #s, {}
  if n > 0 then
    -- set, since a LongStorage given to the constructor would be sizes
    local copy = torch[name:match('^torch%.(.*)Storage$') .. 'Tensor']():set(s):double():contiguous()
    writeVector(out, ffi.cast(doublePtr, copy:data()), n)
    out.source = copy
  end
  out[#out + 1] = sformat('[%s of size %d]\n', name, n)
  return concat(out)
end

--- The short text of a tensor or storage inside a table: `DoubleTensor - size: 2x3`, `LongStorage - size: 4`, `FloatTensor - empty`.
-- @param x tensor or storage
-- @tparam string name its class
-- @treturn string one line
function display.line(x, name)
  local short = name:gsub('^torch%.', '')
  local sizes = name:find('Storage$') and { #x } or sizesOf(x)
  if #sizes == 0 or name:find('Storage$') and sizes[1] == 0 then return short .. ' - empty' end
  return short .. ' - size: ' .. concat(sizes, 'x')
end

return display
