--- The arguments of plot, splot and scatter3 as curves: tensors, a legend and a style.
-- @module gnuplot.curves
local torch, check = require 'torch', require 'torch.check'
local numbers, quote, messages = require 'gnuplot.numbers', require 'gnuplot.quote', require 'torch.check.message'
local corner = require 'gnuplot.corner'

local curves = {}

local styles = {
  ['-'] = 'with lines', ['+'] = 'with points', ['.'] = 'with dots', ['+-'] = 'with linespoints', ['-+'] = 'with linespoints',
  ['|'] = 'with boxes', ['~'] = 'smooth csplines', v = 'with vectors',
}

--- The clause of gnuplot's command for a style, which is one of the signs or a clause: 'with points pt 7', '(points pt 7)',
-- 'lines lw 2'.
-- @string where
-- @string style
-- @treturn string
function curves.style(where, style)
  if styles[style] then return styles[style] end
  local text = style:match '^%s*%((.*)%)%s*$' or style
  if not text:find '^%s*%a%a' or text:find '[\r\n;`]' then
    check.raise(("%s: style: '%s', expected '-', '+', '.', '+-', '|', '~', 'v' or a clause such as 'with points pt 7'"):format(
      where, style))
  end
  return text:find '^%s*with%s' and text or text:find '^%s*smooth%s' and text or 'with ' .. text
end

-- Whether a table is a curve's arguments, not a list of numbers.
local function isArguments(value)
  return type(value) == 'table' and not torch.typename(value) and type(value[1]) ~= 'number'
end

-- The lists of arguments in a call: one, or one for each curve.
local function listsOf(...)
  local first = ...
  if not isArguments(first) then return { { ... } } end
  if select('#', ...) == 1 and isArguments(first[1]) then return first end
  return { ... }
end

-- One curve: legend, tensors, style.
local function parse(where, list, most)
  local expected = ('%s: expecting [string,] tensor %s[,string]'):format(where, ('[,tensor] '):rep(most - 1))
  local curve, at = { tensors = {} }, 1
  if type(list) ~= 'table' then check.raise(('%s; %s'):format(expected, messages.kind(list))) end
  if type(list[1]) == 'string' then curve.legend, at = list[1], 2 end
  while numbers.tensor(list[at]) and #curve.tensors < most do
    curve.tensors[#curve.tensors + 1] = numbers.checked(where, 'tensor', list[at])
    at = at + 1
  end
  if type(list[at]) == 'string' then curve.style, at = list[at], at + 1 end
  if #curve.tensors == 0 or list[at] ~= nil then
    check.raise(('%s; %s as argument %d'):format(expected, messages.value(list[at]), at))
  end
  return curve
end

--- The curves of a call.
-- @string where
-- @int most maximum number of tensors in a curve
-- @param ... the call's arguments
-- @treturn {{legend=,style=,tensors=},...}
function curves.of(where, most, ...)
  local parsed = {}
  for i, list in ipairs(listsOf(...)) do parsed[i] = parse(where, list, most) end
  if #parsed == 0 then check.raise(('%s: expecting [string,] tensor [,tensor] [,string]; no curves'):format(where)) end
  return parsed
end

--- The title of a curve in the legend.
-- @tparam ?string legend
-- @int[opt] index of the curve among several with one legend
-- @treturn string
function curves.legend(legend, index)
  if not legend or legend == '' then return 'notitle' end
  return 'title ' .. quote.text(index and ('%s %d'):format(legend, index) or legend)
end

local function mismatch(x, y)
  local function sizes(t) return table.concat(t:size():totable(), 'x') end
  check.raise(('x and y dims are wrong : %s, %s'):format(sizes(x), sizes(y)))
end

-- Columns of the curves of y over x: a list of pairs.
local function pairsOf(x, y)
  if y:dim() == 1 and x:dim() == 1 and x:size(1) == y:size(1) then return { { x, y } } end
  if y:dim() ~= 2 or x:size(1) ~= y:size(1) or x:dim() == 2 and x:size(2) ~= y:size(2) or x:dim() > 2 then mismatch(x, y) end
  local found = {}
  for k = 1, y:size(2) do found[k] = { x:dim() == 1 and x or x:select(2, k), y:select(2, k) } end
  return found
end

-- The lists of columns that a curve of plot draws.
local function columnsOf(where, curve)
  local x, y = curve.tensors[1], curve.tensors[2]
  if curve.style == 'v' then
    local joined = y and x:dim() == 2 and y:dim() == 2 and x:size(1) == y:size(1) and torch.cat(x, y, 2) or not y and x or nil
    if not joined or joined:dim() ~= 2 or joined:size(2) ~= 4 then
      check.raise(("%s: tensor: %s, expected N x 4 for the style 'v': x, y and how far they go"):format(where, messages.tensor(x)))
    end
    return { { joined:select(2, 1), joined:select(2, 2), joined:select(2, 3), joined:select(2, 4) } }
  end
  if y then return pairsOf(x, y) end
  if x:dim() == 1 then return { { torch.range(1, x:size(1)):double(), x } } end
  if x:dim() ~= 2 then check.raise(('%s: tensor: %s, expected 1 or 2 dimensions'):format(where, messages.tensor(x))) end
  if x:size(2) == 1 then return { { torch.range(1, x:size(1)):double(), x:select(2, 1) } } end
  return pairsOf(x:select(2, 1), x:narrow(2, 2, x:size(2) - 1))
end

--- The curves of plot as blocks and clauses.
-- @string where
-- @param ... plot's arguments
-- @treturn {{data=,clause=},...}
-- @treturn {string,...} commands that the figure needs for them
function curves.plane(where, ...)
  local found, drawn, legends = {}, {}, 0
  for _, curve in ipairs(curves.of(where, 2, ...)) do
    local lists, style = columnsOf(where, curve), curves.style(where, curve.style or '+')
    for i, columns in ipairs(lists) do
      local legend = curves.legend(curve.legend, #lists > 1 and curve.legend and i or nil)
      local isSmooth = style:find '^smooth' ~= nil
      found[#found + 1] = { data = numbers.columns(columns), clause = isSmooth and style .. ' ' .. legend or legend .. ' ' .. style }
      drawn[#drawn + 1] = columns
      if legend ~= 'notitle' then legends = legends + 1 end
    end
  end
  return found, legends > 0 and { 'set key ' .. corner(drawn, legends) } or {}
end

return curves
