--- The text of tensors and storages, in Torch7's format.
-- All elements of a tensor have the same format: it is chosen from the largest and the smallest finite magnitude of a contiguous copy in
-- double.
-- @module torch.tensor.display
local ffi = require 'ffi'
local C = require 'libmoontorch'
local canonical = require 'torch.index.canonical'

local display = {}

local doublePtr = ffi.typeof('const double *')
local abs, ceil, floor, log10, max, huge = math.abs, math.ceil, math.floor, math.log10, math.max, math.huge
local sformat, concat = string.format, table.concat
local element = canonical.Double

-- Digits after the point; columns of text, beyond which a matrix is split into blocks; number of elements beyond which a tensor is printed
-- by its edges (nil: always print all); number of elements at each end of a dimension that are then printed. `format`, a format of
-- string.format or a function, is for each number; `sciMode` says whether exponents are printed (nil: where they are needed).
local options = { precision = 4, linewidth = 80, threshold = nil, edgeitems = 3 }
display.options = options

--- Returns the largest and smallest magnitude of the finite elements, whether all are integers, and the width for the other elements.
local function measure(p, n)
  local integers, room, largest, smallest = true, 0, 0, huge
  for i = 0, n - 1 do
    local v = element(p, i)
    local magnitude = abs(v)
    if magnitude < huge then
      if v ~= ceil(v) then integers = false end
      if magnitude > largest then largest = magnitude end
      if magnitude < smallest then smallest = magnitude end
    else
      room = max(room, v == -huge and 5 or 4)
    end
  end
  return integers, room, largest, smallest < huge and smallest or 0
end

--- Returns the number of digits before the decimal point: 3 for 100..999, 0 for 0.1..0.99, -1 for 0.01..0.099.
local function exponent(v) return v == 0 and 1 or floor(log10(v)) + 1 end

--- Returns Torch7's format for finite elements: the format after the width, the divisor (1 for none), and the width.
local function finite(integers, emax, emin)
  local digits = options.precision
  local fixed, scientific = '.' .. digits .. 'f', '.' .. digits .. 'e'
  if options.sciMode then return scientific, 1, digits + ((abs(emax) > 99 or abs(emin) > 99) and 8 or 7) end
  if options.sciMode == false then
    if integers then return '.0f', 1, max(emax, 1) + 1 end
    return fixed, 1, max(emax, 1) + digits + 2
  end
  if integers then
    if emax > 9 then return scientific, 1, digits + 7 end
    return 'd', 1, emax + 1
  end
  if emax - emin > 4 then return scientific, 1, digits + ((abs(emax) > 99 or abs(emin) > 99) and 8 or 7) end
  if emax > 5 or emax < 0 then return fixed, 10 ^ (emax - 1), digits + 3 end
  return fixed, 1, emax == 0 and digits + 3 or emax + digits + 2
end

-- The format of n elements by a program's.
local function chosenFormat(p, n, longs)
  local texts, width = {}, 0
  for i = 0, n - 1 do
    local v = longs and longs[i] or element(p, i)
    local text = type(options.format) == 'function' and tostring(options.format(v)) or sformat(options.format, tonumber(v))
    texts[i], width = text, max(width, #text)
  end
  local word = '%' .. width + 1 .. 's'
  return { scale = 1, width = width + 1, text = function(i) return width < 99 and sformat(word, texts[i]) or ' ' .. texts[i] end }
end

--- Returns the format of n elements: `text(i)` for element i, the divisor, and the width.
-- NaN and infinities have the width of the others; 64-bit integers, `longs`, are printed with all their digits.
local function choose(p, n, longs)
  if options.format then return chosenFormat(p, n, longs) end
  local integers, room, largest, smallest = measure(p, n)
  local emax = exponent(largest)
  if longs and emax > 9 then
    local format = '%' .. emax + 1 .. 's'
    return { scale = 1, width = emax + 1, text = function(i) return sformat(format, (tostring(longs[i]):gsub('U?LL$', ''))) end }
  end
  local shape, scale, width = finite(integers, emax, exponent(smallest))
  width = max(width, room)
  local format, word = '%' .. width .. shape, '%' .. width .. 's'
  return { scale = scale, width = width, text = function(i)
    local v = element(p, i)
    if abs(v) < huge then return sformat(format, v / scale) end
    return sformat(word, v ~= v and 'nan' or v > 0 and 'inf' or '-inf')
  end }
end

local function scaleLine(scale) return sformat('%g *\n', scale) end

--- Writes a column of n elements; after element `gap`, a summary marks omitted elements.
local function writeVector(out, n, style, gap)
  if style.scale ~= 1 then out[#out + 1] = scaleLine(style.scale) end
  for i = 0, n - 1 do
    out[#out + 1] = style.text(i)
    out[#out + 1] = '\n'
    if i + 1 == gap then out[#out + 1] = '...\n' end
  end
end

--- Writes a row-major matrix from element `offset` on, in blocks of as many columns as fit in a line.
local function writeMatrix(out, offset, rows, columns, style, indent, rowGap, columnGap)
  local scale, perBlock = style.scale, columns
  if not columnGap then perBlock = math.min(columns, max(1, floor((options.linewidth - #indent) / (style.width + 1)))) end
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
        out[#out + 1] = style.text(offset + row * columns + column)
        if column + 1 == columnGap then out[#out + 1] = ' ...' end
        out[#out + 1] = column < last - 1 and ' ' or '\n'
      end
      if row + 1 == rowGap then out[#out + 1] = margin .. '...\n' end
    end
  end
end

--- Writes matrices of the last two dimensions, each under its index, the first dimension fastest.
-- In a summary, indices jump at the gaps: `lengths` are the true sizes.
local function writeBlocks(out, sizes, style, gaps, lengths)
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
    writeMatrix(out, offset, rows, columns, style, ' ', gaps[dims - 1], gaps[dims])
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

-- Whether the elements are integers that a Lua number may not represent.
local function isWide(t) return C.dtypeOf(t) == 'Long' or C.dtypeOf(t) == 'UInt64' end

--- Returns the style of complex numbers from that of their parts, which are n pairs of doubles.
local function pairsOf(p, n)
  local parts = choose(p, 2 * n)
  local width = 2 * parts.width + 1
  local format = '%' .. width .. 's'
  return { scale = parts.scale, width = width, text = function(i)
    local imaginary = element(p, 2 * i + 1)
    local isNegative = imaginary < 0 or imaginary == 0 and 1 / imaginary < 0
    local digits = parts.text(2 * i + 1):match '^%s*%-?(.*)$'
    return sformat(format, parts.text(2 * i) .. (isNegative and '-' or '+') .. digits .. 'i')
  end }
end

--- Returns the style of a tensor's elements. The memory is lent: a pointer does not keep its tensor alive, and other code may resize it
-- meanwhile.
local function styleOf(t)
  t = C.onHost(t)
  if C.dtypeOf(t):find('^Complex') then
    local numbers = C.lend(C.functions.to(t, 'complex128'):contiguous())
    local style = pairsOf(ffi.cast(doublePtr, numbers:data()), numbers:nElement())
    style.lent = { numbers }
    return style, sizesOf(numbers)
  end
  local longs = isWide(t) and C.lend(t:contiguous())
  local doubles = C.lend((longs or t):double():contiguous())
  local style = choose(ffi.cast(doublePtr, doubles:data()), doubles:nElement(), longs and longs:data())
  style.lent = { doubles, longs }
  return style, sizesOf(doubles)
end

-- Returns the text for the device, unless the type shows it.
local function place(x)
  local device, kind = x:device(), C.deviceKind(x)
  return device == (kind and C.deviceNamed(kind) or 'cpu') and '' or ' on ' .. device
end

--- Returns the text of `t`, with elements from `shown`: t itself, or its edges with a gap after `gaps[d]` in dimension d.
local function render(t, shown, gaps)
  local lengths, count = sizesOf(t)
  if #lengths == 0 then return '[' .. t:type() .. ' with no dimension' .. place(t) .. ']\n' end
  local out = {}
  if count > 0 and t:device() ~= 'meta' then
    local style, sizes, elements = styleOf(shown)
    if #sizes == 1 then
      writeVector(out, elements, style, gaps[1])
    elseif #sizes == 2 then
      writeMatrix(out, 0, sizes[1], sizes[2], style, '', gaps[1], gaps[2])
    else
      writeBlocks(out, sizes, style, gaps, lengths)
    end
    out.style = style      -- holds the lent memory until the text is complete
  end
  out[#out + 1] = '[' .. t:type() .. ' of size ' .. concat(lengths, 'x') .. place(t) .. ']\n'
  return concat(out)
end

--- Returns the text of a tensor: every element, then a line with its type and sizes, and its device unless that is the CPU. Meta tensors
-- have no elements.
-- @tparam torch.Tensor t any dtype, layout and number of dimensions
-- @treturn string ends with a newline
-- @usage display.tensor(torch.Tensor{1, 20, -3})   --> "  1\n 20\n -3\n[torch.DoubleTensor of size 3]\n"
function display.tensor(t)
  if options.threshold and t:nElement() > options.threshold then return display.summary(t, options.threshold) end
  return render(t, t, {})
end

--- Returns the text of a tensor, with only the edges of long dimensions if it has more than `most` elements.
-- @tparam torch.Tensor t
-- @tparam[opt] int most number of elements up to which all are printed: the threshold from setprintoptions, or 1000
-- @treturn string ends with a newline
function display.summary(t, most)
  if t:nElement() <= (most or options.threshold or 1000) or t:device() == 'meta' then return render(t, t, {}) end
  local shown, gaps, edge = t, {}, options.edgeitems
  local isInteger = isWide(t)
  local keepsType = isInteger or C.dtypeOf(t):find('^Complex')
  local function dense(part) return keepsType and part:contiguous() or part:double() end
  for d = 1, t:dim() do
    local n = t:size(d)
    if n > 2 * edge then
      local torch = require 'torch'
      local first, last = shown:narrow(d, 1, edge), shown:narrow(d, n - edge + 1, edge)
      shown = torch.cat(dense(first), dense(last), d)
      gaps[d] = edge
    end
  end
  return render(t, shown, gaps)
end

--- Returns the text of a storage: every element, then a line with its type and size.
-- @tparam torch.Storage s
-- @treturn string ends with a newline
function display.storage(s)
  local torch = require 'torch'
  local name, n, out = torch.typename(s), #s, {}
  if n > 0 and s:device() ~= 'meta' then
    -- by set, because the constructor would use a LongStorage as sizes
    local style, _, elements = styleOf(torch.withDevice('cpu', function() return torch[C.dtypeOf(s) .. 'Tensor']() end):set(C.onHost(s)))
    writeVector(out, elements, style)
    out.style = style
  end
  out[#out + 1] = sformat('[%s of size %d%s]\n', name, n, place(s))
  return concat(out)
end

--- Returns the short text of a tensor or storage inside a table: `DoubleTensor - size: 2x3`, `LongStorage - size: 4`,
-- `FloatTensor - empty`.
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
