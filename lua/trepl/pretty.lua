--- The output of th: values in colour, tables expanded up to a depth, tensors in Torch7's format.
-- @module trepl.pretty
local colors = require 'trepl.colors'
local colorize = require 'trepl.colorize'
local onTape = require 'trepl.tape'
local printing = require 'trepl.print'

local pretty = {
  depth = 5,           -- levels of tables that are expanded
  summarise = false,   -- whether tensors of more than 1000 elements show only their edges
}

local write = function(text) io.stdout:write(text) end

--- The class of a tensor or storage, nil for everything else.
local function tensorClass(x)
  local torch = package.loaded.torch
  local name = type(torch) == 'table' and torch.typename and torch.typename(x)
  return name and name:match '^torch%.%a+%d*%a+$' and (name:find 'Tensor$' or name:find 'Storage$') and name or nil
end

local function hasText(x)
  local meta = debug.getmetatable(x)
  return type(meta) == 'table' and rawget(meta, '__tostring') ~= nil
end

--- The text of one value that isn't expanded: numbers, strings, functions, ...
local function scalar(x, quoted)
  local kind = type(x)
  if kind == 'number' then return colorize.cyan(x) end
  if kind == 'boolean' then return colorize.blue(x) end
  if kind == 'nil' then return colorize.Black(x) end
  if kind == 'function' then return colorize.magenta(x) end
  if kind == 'string' then
    if not quoted then return x end
    return colors.Black .. '"' .. colors.green .. x .. colors.Black .. '"' .. colors.none
  end
  return colorize.red(x)
end

local openTable

local opened = {}     -- the tables around the current one: a table that contains itself is not expanded again inside

--- Adds the value of a table's entry and a line end.
local function entry(out, x, level)
  local class = type(x) == 'userdata' and tensorClass(x)
  if class then
    local tape = pretty.summarise and class:find 'Tensor$' and onTape(x) or ''
    out[#out + 1] = colorize.red(require 'torch.tensor.display'.line(x, class) .. tape) .. '\n'
  elseif type(x) ~= 'table' then
    out[#out + 1] = scalar(x, true) .. '\n'
  elseif hasText(x) then
    out[#out + 1] = tostring(x) .. '\n'
  elseif next(x) == nil or level >= pretty.depth or opened[x] then
    out[#out + 1] = colorize.green '{...}' .. '\n'
  else
    out[#out + 1] = '\n'
    openTable(out, x, level + 1)
  end
end

--- The number of names of a package that are loaded on first use and not yet loaded.
local function unread(t)
  local meta = debug.getmetatable(t)
  local names = type(meta) == 'table' and rawget(meta, '__names')
  local n = 0
  for _, name in ipairs(type(names) == 'function' and names() or {}) do
    if rawget(t, name) == nil then n = n + 1 end
  end
  return n
end

function openTable(out, t, level)
  local margin = (' '):rep(4 * (level - 1))
  opened[t] = true
  out[#out + 1] = margin .. '{\n'
  for key, value in next, t do
    out[#out + 1] = margin .. '  ' .. tostring(key) .. ' : '
    entry(out, value, level)
  end
  local more = unread(t)
  if more > 0 then out[#out + 1] = margin .. '  ... : ' .. more .. ' names more, each read when it is first used\n' end
  out[#out + 1] = margin .. '}\n'
  opened[t] = nil
end

--- The text of a value as print shows it.
-- @param x anything
-- @treturn string several lines for a table or tensor, each with a line end, or one without a line end
function pretty.text(x)
  local kind = type(x)
  if kind == 'table' and not hasText(x) then
    if next(x) == nil and unread(x) == 0 then return '{}\n' end
    if pretty.depth < 1 then return colorize.green '{...}' .. '\n' end
    local out = {}
    opened = {}      -- an error in a __tostring may have left some
    openTable(out, x, 1)
    return table.concat(out)
  end
  if kind == 'userdata' and pretty.summarise then
    local class = tensorClass(x)
    if class and class:find 'Tensor$' then return (require 'torch.tensor.display'.summary(x):gsub('%]\n$', onTape(x) .. ']\n')) .. '\n' end
  end
  if kind == 'table' or kind == 'userdata' or kind == 'cdata' then
    return (tensorClass(x) or kind == 'table') and tostring(x) .. '\n' or colorize.red(x) .. '\n'
  end
  return scalar(x)
end

--- The global print of th, for values that `trepl.print` doesn't write.
-- @param ... anything
function pretty.print(...)
  if pretty.depth == 0 then return printing.plain(...) end
  local scalarLast = true
  for i = 1, select('#', ...) do
    local x = (select(i, ...))
    local kind = type(x)
    scalarLast = not (kind == 'table' or kind == 'userdata' or kind == 'cdata')
    write(pretty.text(x))
    if scalarLast then write '\t' end
  end
  if scalarLast then write '\n' end
end

--- Sets the number of levels of tables that print expands; 0 restores Lua's print.
-- @tparam int n 0 or more
-- @raise for other values of n
function pretty.setDepth(n)
  if type(n) ~= 'number' or n < 0 then
    error('setprintlevel: n: ' .. tostring(n) .. ', expected a number of levels, 0 or more', 2)
  end
  pretty.depth = n
end

return pretty
