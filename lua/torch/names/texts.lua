--- NumPy's functions that write arrays and numbers as text, and read vectors of text and bytes.
-- @module torch.names.texts
local torch, check = require 'torch', require 'torch.check'
local printing = require 'torch.tensor.print_options'

local texts = {}

local huge = math.huge

-- Returns digits of a number without zeros at the end, and without a point before nothing.
local function trimmed(text) return (text:gsub('(%.%d-)0+$', '%1'):gsub('%.$', '')) end

-- The shortest text with at most `precision` digits behind the point that rounds to it, and whether it is finite.
local function shortest(value, precision)
  if value ~= value then return 'nan' end
  if value == huge or value == -huge then return value > 0 and 'inf' or '-inf' end
  return trimmed(('%%.%df'):format(precision):format(value))
end

-- Returns a function from elements to text of one width, as NumPy chooses it.
local function formatter(x, options)
  if options.formatter then
    check.callable('array2string', 'formatter', options.formatter)
    return function(value) return tostring(options.formatter(value)) end
  end
  local list = x:nElement() > 0 and torch.reshape(x, x:nElement()):totable() or {}
  local before, behind, words = 0, 0, 0
  local most, least = 0, huge
  for _, value in ipairs(list) do
    value = tonumber(value)
    local magnitude = math.abs(value)
    if magnitude < huge and magnitude > 0 then most, least = math.max(most, magnitude), math.min(least, magnitude) end
  end
  local isFloat = x:isFloatingPoint()
  local isWide = isFloat and not options.suppress and (most >= 1e16 or least < 1e-4 or least < huge and most / least > 1000)
  if isFloat and isWide then
    local pattern, width = ('%%.%de'):format(options.precision), 0
    for _, value in ipairs(list) do      -- as many digits as one element needs
      local fraction = pattern:format(value):match '%.(%d-)0*e'
      behind = math.max(behind, fraction and #fraction or 0)
    end
    local function text(value)
      return (('%%.%de'):format(behind):format(value):gsub('^(%-?%d)e', '%1.e'))
    end
    for _, value in ipairs(list) do width = math.max(width, #text(value)) end
    return function(value) return ('%' .. width .. 's'):format(text(value)) end
  end
  for _, value in ipairs(list) do
    local text = isFloat and shortest(value, options.precision) or (tostring(value):gsub('U?LL$', ''))
    local whole, fraction = text:match '^(%-?%d+)%.?(%d*)$'
    if whole then
      before, behind = math.max(before, #whole), math.max(behind, #fraction)
    else
      words = math.max(words, #text)
    end
  end
  local point = isFloat and 1 or 0
  local width = math.max(before + point + behind, words)
  return function(value)
    local text = isFloat and shortest(value, options.precision) or (tostring(value):gsub('U?LL$', ''))
    local whole, fraction = text:match '^(%-?%d+)%.?(%d*)$'
    if whole and isFloat then text = whole .. '.' .. fraction .. (' '):rep(behind - #fraction) end
    return (' '):rep(width - #text) .. text
  end
end

-- The positions of a dimension that are shown, false for the dots.
local function shown(n, options, isSummary)
  local list = {}
  for i = 1, n do
    local isEdge = i <= options.edgeitems or i > n - options.edgeitems
    if not isSummary or isEdge then list[#list + 1] = i elseif i == options.edgeitems + 1 then list[#list + 1] = false end
  end
  return list
end

local function written(x, format, options, isSummary, indent)
  local n = x:size(1)
  local places = shown(n, options, isSummary and n > 2 * options.edgeitems)
  if x:dim() == 1 then
    local lines, line = {}, indent .. '['
    for k, i in ipairs(places) do
      local word = i and format(x[i]) or '...'
      local isFirst = k == 1
      local glued = isFirst and word or options.separator .. word
      local room = options.linewidth - (k == #places and 1 or 0)
      if not isFirst and #line + #glued > room then
        lines[#lines + 1] = line .. (options.separator:gsub('%s+$', ''))
        line = indent .. ' ' .. word
      else
        line = line .. glued
      end
    end
    lines[#lines + 1] = line .. ']'
    return table.concat(lines, '\n')
  end
  local parts, gap = {}, (options.separator:gsub('%s+$', '')) .. ('\n'):rep(x:dim() - 1)
  for k, i in ipairs(places) do
    parts[k] = i and written(x:select(1, i), format, options, isSummary, indent .. ' ') or indent .. ' ...'
  end
  return indent .. '[' .. table.concat(parts, gap):sub(#indent + 2) .. ']'
end

local names = { 'precision', 'linewidth', 'threshold', 'edgeitems', 'separator', 'formatter', 'suppress' }

--- Returns a tensor as text in NumPy's form, with brackets.
-- @tparam torch.Tensor x
-- @tparam[opt] table options `precision`, digits behind the point at most (8); `linewidth` (75); `threshold`, number of elements beyond
--   which the edges alone are shown (1000); `edgeitems`, elements at each end then (3); `separator` (' '); `formatter`, a function from an
--   element to its text; `suppress`, true for no exponents
-- @treturn string
-- @raise if an option is unknown
function texts.array2string(x, options)
  check.tensor('array2string', 'x', x)
  options = check.options('array2string', options, names)
  local own = {
    precision = check.int('array2string', 'precision', options.precision or 8, { min = 0, max = 17 }),
    linewidth = check.int('array2string', 'linewidth', options.linewidth or 75, { min = 1 }),
    threshold = check.int('array2string', 'threshold', options.threshold or 1000, { min = 0 }),
    edgeitems = check.int('array2string', 'edgeitems', options.edgeitems or 3, { min = 1 }),
    separator = check.text('array2string', 'separator', options.separator or ' '), formatter = options.formatter,
    suppress = options.suppress,
  }
  x = x:detach()
  if x:nElement() == 0 then return '[]' end
  local isSummary = x:nElement() > own.threshold
  local part = x
  for d = 1, isSummary and x:dim() or 0 do
    if part:size(d) > 2 * own.edgeitems then
      part = torch.cat(part:narrow(d, 1, own.edgeitems), part:narrow(d, part:size(d) - own.edgeitems + 1, own.edgeitems), d)
    end
  end
  return written(x, formatter(part, own), own, isSummary, '')
end

--- Returns a tensor as text, as array2string does: arrayStr alone, arrayRepr with commas and its type.
-- @tparam torch.Tensor x
-- @tparam[opt] table options as for array2string
-- @treturn string
function texts.arrayStr(x, options)
  check.tensor('arrayStr', 'x', x)
  return check.call(texts.array2string, x, options)
end

--- Returns a tensor as text with commas and its type.
-- @tparam torch.Tensor x
-- @tparam[opt] table options as for array2string
-- @treturn string
function texts.arrayRepr(x, options)
  check.tensor('arrayRepr', 'x', x)
  local own = { separator = ', ' }
  for name, value in pairs(check.options('arrayRepr', options, names)) do own[name] = value end
  return ('%s(%s)'):format(x:type(), check.call(texts.array2string, x, own))
end

--- Returns a number as text without an exponent.
-- @number value
-- @int[opt] precision digits behind the point at most; by default as many as distinguish the number
-- @treturn string with a point
function texts.formatFloatPositional(value, precision)
  check.number('formatFloatPositional', 'value', value)
  if precision ~= nil then check.int('formatFloatPositional', 'precision', precision, { min = 0, max = 64 }) end
  if value ~= value or value == huge or value == -huge then return shortest(value, 0) end
  local text
  for digits = 0, precision or 340 do
    text = ('%%.%df'):format(math.min(digits, 99)):format(value)
    if tonumber(text) == value or digits >= 99 then break end
  end
  return text:find('.', 1, true) and text:gsub('0+$', '') .. '' or text .. '.'
end

--- Returns a number as text with an exponent.
-- @number value
-- @int[opt] precision digits behind the point at most; by default as many as distinguish the number
-- @treturn string with a point
function texts.formatFloatScientific(value, precision)
  check.number('formatFloatScientific', 'value', value)
  if precision ~= nil then check.int('formatFloatScientific', 'precision', precision, { min = 0, max = 64 }) end
  if value ~= value or value == huge or value == -huge then return shortest(value, 0) end
  local text
  for digits = 0, precision or 16 do
    text = ('%%.%de'):format(digits):format(value)
    if tonumber(text) == value then break end
  end
  local mantissa, exponent = text:match '^(.-)(e.*)$'
  mantissa = mantissa:find('.', 1, true) and mantissa:gsub('0+$', '') .. '' or mantissa .. '.'
  return mantissa .. exponent
end

--- Sets how tensors are printed, as torch.setprintoptions does.
-- @function setPrintoptions
-- @tparam table options
-- @treturn table the previous settings
function texts.setPrintoptions(options) return check.call(printing.setprintoptions, options) end

--- Returns how tensors are printed.
-- @treturn table
function texts.getPrintoptions() return printing.getprintoptions() end

--- Calls a function while tensors are printed by other settings, which end with it, by an error too.
-- @tparam table options as for torch.setprintoptions
-- @tparam function f
-- @param ... arguments of f
-- @return what f returns
function texts.printoptions(options, f, ...)
  check.callable('printoptions', 'f', f)
  local before = check.call(printing.setprintoptions, options)
  local function finish(good, ...)
    printing.setprintoptions(before)
    if not good then error((...), 0) end
    return ...
  end
  return finish(pcall(f, ...))
end

--- Returns the numbers of a text as a vector.
-- @string text
-- @string[opt] separator default: white space
-- @treturn torch.Tensor of the default type
-- @raise if a part is no number
function texts.fromstring(text, separator)
  text = tostring(check.text('fromstring', 'text', text))
  separator = check.text('fromstring', 'separator', separator or ' ')
  local list = {}
  local function add(part)
    local number = tonumber((part:gsub('^%s+', ''):gsub('%s+$', '')))
    if not number then check.raise(("fromstring: text: '%s', expected a number"):format(part)) end
    list[#list + 1] = number
  end
  if separator:find '^%s*$' then
    for part in text:gmatch '%S+' do add(part) end
  elseif text:find '%S' then
    local from = 1
    while true do
      local first, last = text:find(separator, from, true)
      add(text:sub(from, (first or 0) - 1))
      if not first then break end
      from = last + 1
      if not text:find('%S', from) then break end
    end
  end
  return #list > 0 and torch.Tensor(list) or torch.Tensor(0)
end

-- Reads a text file of numbers by torch.csv, or by white space.
local function readText(where, name, options)
  check.name(where, 'name', name)
  options = check.options(where, options, { 'delimiter', 'comments', 'skiprows', 'usecols', 'unpack', 'missing' })
  local comments, skip = options.comments or '#', check.int(where, 'skiprows', options.skiprows or 0, { min = 0 })
  check.text(where, 'comments', comments)
  if options.delimiter ~= nil then check.text(where, 'delimiter', options.delimiter) end
  local file, message = io.open(name)
  if not file then check.raise(('%s: name: %s'):format(where, message)) end
  local rows, line, width = {}, 0, nil
  for text in file:lines() do
    line = line + 1
    local at = comments ~= '' and text:find(comments, 1, true)
    if at then text = text:sub(1, at - 1) end
    if line > skip and text:find '%S' then
      local fields, delimiter = {}, options.delimiter
      if not delimiter then
        for field in text:gmatch '%S+' do fields[#fields + 1] = field end
      else
        for field in (text:gsub('%s+$', '') .. delimiter):gmatch('(.-)' .. delimiter:gsub('%p', '%%%0')) do fields[#fields + 1] = field end
      end
      local row = {}
      for k, field in ipairs(fields) do
        local number = tonumber(field)
        if not number then
          if options.missing == nil then
            file:close()
            check.raise(("%s: %s: '%s' in line %d, column %d, expected a number"):format(where, name, field, line, k))
          end
          number = options.missing
        end
        row[k] = number
      end
      width = width or #row
      if #row ~= width then
        file:close()
        check.raise(('%s: %s: %d columns in line %d, expected %d'):format(where, name, #row, line, width))
      end
      rows[#rows + 1] = row
    end
  end
  file:close()
  if #rows == 0 then return torch.Tensor(0) end
  local x = torch.Tensor(rows)
  if options.usecols then
    x = check.call(torch.index, x, 2, torch.LongTensor(check.table(where, 'usecols', options.usecols)))
  end
  if options.unpack then x = x:t():contiguous() end
  if x:size(2) == 1 then return x:view(-1) end
  return x:size(1) == 1 and x:view(-1) or x
end

--- Reads a text file of numbers, a row a line. Data sets with a header, other types or millions of rows are better read by torch.csv and
-- data.csv.
-- @string name file
-- @tparam[opt] table options `delimiter` (white space), `comments`, the text that begins a comment ('#'), `skiprows`, lines to skip,
--   `usecols`, a list of columns from 1, `unpack`, true for columns as rows
-- @treturn torch.Tensor rows x columns, or a vector if there is one row or column
-- @raise for a field that is no number, or rows of different lengths, with the line
function texts.loadtxt(name, options) return readText('loadtxt', name, options) end

--- Reads a text file of numbers with NaN for fields that are none.
-- @string name file
-- @tparam[opt] table options as for loadtxt, and `missing`, the number in place of missing ones (NaN)
-- @treturn torch.Tensor
function texts.genfromtxt(name, options)
  local own = {}
  for key, value in pairs(check.options('genfromtxt', options, { 'delimiter', 'comments', 'skiprows', 'usecols', 'unpack', 'missing' })) do
    own[key] = value
  end
  if own.missing == nil then own.missing = 0 / 0 end
  return readText('genfromtxt', name, own)
end

--- Writes a vector or matrix to a text file, a row a line. The file is replaced at once.
-- @string name file
-- @tparam torch.Tensor x a vector becomes a column
-- @tparam[opt] table options `fmt`, the format of a number ('%.18e'), `delimiter` (' '), `header`, text of the first line, which `comments`
--   ('# ') begins
-- @raise if x has more dimensions, or complex numbers
function texts.savetxt(name, x, options)
  check.name('savetxt', 'name', name)
  check.tensor('savetxt', 'x', x)
  options = check.options('savetxt', options, { 'fmt', 'delimiter', 'header', 'comments' })
  if x:isComplex() then check.raise(('savetxt: x: %s, expected real numbers: torch.csv.save writes others'):format(x:type()), 'dtype') end
  if x:dim() > 2 or x:dim() == 0 then check.raise(('savetxt: x: %d dimensions, expected 1 or 2'):format(x:dim()), 'shape') end
  local fmt, delimiter = options.fmt or '%.18e', options.delimiter or ' '
  local good, message = pcall(string.format, check.text('savetxt', 'fmt', fmt), 1)
  if not good then check.raise(('savetxt: fmt: %s'):format(message)) end
  check.text('savetxt', 'delimiter', delimiter)
  local lines = {}
  if options.header then
    lines[1] = (options.comments or '# ') .. check.text('savetxt', 'header', options.header):gsub('\n', '\n' .. (options.comments or '# '))
  end
  x = x:detach()
  for i = 1, x:size(1) do
    local row = x:dim() == 1 and { x[i] } or x[i]:totable()
    for k, value in ipairs(row) do row[k] = fmt:format(tonumber(value)) end
    lines[#lines + 1] = table.concat(row, delimiter)
  end
  local text = table.concat(lines, '\n') .. (#lines > 0 and '\n' or '')
  require 'torch.file.atomic'.write('savetxt', name, function(channel)
    local _, problem = channel:write(text, #text)
    if problem then error(problem, 0) end
  end)
end

return texts
