--- Data frames as text for a terminal and as HTML for a notebook. Methods of `data.Frame`.
-- @module data.frame.display
local torch = require 'torch'
local check = require 'torch.check'
local column = require 'data.frame.column'
local dates = require 'data.frame.dates'

local display = {}

local shownRows, shownWidth, usualWidth, gap = 10, 20, 120, 2
local more, absent = '...', '<NA>'

-- The number of characters of a text in UTF-8.
local function lengthOf(text) return select(2, text:gsub('[^\128-\191]', '')) end

local function cut(value)
  local text = type(value) == 'cdata' and tostring(value):gsub('U?LL$', '') or tostring(value)
  if type(value) == 'number' and value % 1 ~= 0 then text = ('%.6g'):format(value) end
  text = text:gsub('[%c]', ' ')
  if lengthOf(text) <= shownWidth then return text end
  local count = 0
  for at in text:gmatch '()[^\128-\191]' do
    count = count + 1
    if count > shownWidth - #more then return text:sub(1, at - 1) .. more end
  end
end

-- The cells of a column below its name, and their width.
local function cellsOf(self, name, count)
  local cells, width = { cut(name) }, 0
  local c = self:_record(name)
  local hasTimes = false      -- then all dates are shown with one
  for i = 1, c.type == 'date' and count or 0 do
    local value = column.value(c, i)
    hasTimes = hasTimes or value ~= nil and value % 86400 ~= 0
  end
  for i = 1, count do
    local value = column.value(c, i)
    if value == nil then
      value = absent
    elseif c.type == 'date' then
      value = dates.text(value)
      if hasTimes and not value:find('T', 1, true) then value = value .. 'T00:00:00' end
    end
    cells[i + 1] = cut(value)
  end
  for _, text in ipairs(cells) do width = math.max(width, lengthOf(text)) end
  return { cells = cells, width = width }
end

local function rowNamesOf(self, count)
  local cells, width = { '' }, 0
  for i = 1, count do
    cells[i + 1] = cut(self.rowNames[i])
    width = math.max(width, lengthOf(cells[i + 1]))
  end
  return { cells = cells, width = width }
end

local function elided(count)
  local cells = {}
  for i = 1, count + 1 do cells[i] = more end
  return { cells = cells, width = #more }
end

-- The columns that fit: all, or as many from both ends as fit beside an ellipsis.
local function fitting(self, count, room)
  local names, columns = self.names, {}
  local total = -gap
  for j = 1, #names do
    columns[j] = cellsOf(self, names[j], count)
    total = total + columns[j].width + gap
    if total > room then break end
  end
  if total <= room then return columns end
  local lefts, rights, used = {}, {}, #more
  local i, j = 1, #names
  while i <= j do
    local isLeft = #lefts <= #rights
    local cells = isLeft and (columns[i] or cellsOf(self, names[i], count)) or cellsOf(self, names[j], count)
    if used + gap + cells.width > room and #lefts > 0 then break end
    used = used + gap + cells.width
    if isLeft then
      lefts[#lefts + 1] = cells
      i = i + 1
    else
      table.insert(rights, 1, cells)
      j = j - 1
    end
  end
  if i <= j then lefts[#lefts + 1] = elided(count) end
  for _, cells in ipairs(rights) do lefts[#lefts + 1] = cells end
  return lefts
end

local function sizeOf(self, rows)
  return ('data.Frame of %d rows, %d columns%s'):format(self:size(), #self.names,
    self:size() > rows and (', the first %d shown'):format(rows) or '')
end

-- The columns to show, with the rows' names first.
local function shown(self, rows, width)
  local count = math.min(self:size(), rows)
  local names = self.rowNames and rowNamesOf(self, count)
  local columns = fitting(self, count, width - (names and names.width + gap or 0))
  if names then table.insert(columns, 1, names) end
  return columns, count
end

--- The first rows as text, below the columns' names; a missing value is <NA>. If the columns are wider than the terminal, an ellipsis is
-- for those in the middle.
-- @function text
-- @tparam[opt] table options `rows` (10), `width` in characters (the terminal's, or 120 if there is none)
-- @treturn string
-- @usage print(frame:text { rows = 30, width = 200 })
function display.text(self, options)
  local op = 'data.Frame:text'
  options = check.options(op, options, { 'rows', 'width' })
  local rows = check.int(op, 'rows', options.rows or shownRows, { min = 0 })
  local width = options.width and check.int(op, 'width', options.width, { min = 1 })
  width = width or torch.isatty(io.stdout) and require('xlua.drawing').columns(1) or usualWidth
  local columns, count = shown(self, rows, width)
  local lines = {}
  for i = 1, count + 1 do
    local line = {}
    for j, each in ipairs(columns) do line[j] = (' '):rep(each.width - lengthOf(each.cells[i])) .. each.cells[i] end
    lines[i] = table.concat(line, (' '):rep(gap))
  end
  lines[#lines + 1] = '[' .. sizeOf(self, rows) .. ']'
  return table.concat(lines, '\n')
end

--- The same as `text()`.
function display.__tostring(self) return self:text() end

local entities = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }
local notebookWidth = 200

--- The representation in a notebook: an HTML table.
function display.__mime(self)
  local columns, count = shown(self, shownRows, notebookWidth)
  local out = { '<table><thead>' }
  for i = 1, count + 1 do
    out[#out + 1] = '<tr>'
    for j, each in ipairs(columns) do
      local kind = (i == 1 or self.rowNames and j == 1) and 'th' or 'td'
      out[#out + 1] = ('<%s>%s</%s>'):format(kind, (each.cells[i]:gsub('[&<>]', entities)), kind)
    end
    out[#out + 1] = i == 1 and '</tr></thead><tbody>' or '</tr>'
  end
  out[#out + 1] = '</tbody></table><small>' .. sizeOf(self, shownRows) .. '</small>'
  return { ['text/html'] = table.concat(out) }
end

return display
