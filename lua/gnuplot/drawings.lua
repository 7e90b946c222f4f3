--- Drawings: curves, surfaces, points in space, images, bars.
-- @module gnuplot
local torch, check, messages = require 'torch', require 'torch.check', require 'torch.check.message'
local figures, curves, numbers = require 'gnuplot.figures', require 'gnuplot.curves', require 'gnuplot.numbers'
local quote = require 'gnuplot.quote'

local drawings = {}

-- Draws a list of {data, clause} with one command.
local function draw(command, before, parts)
  local data = {}
  for i, part in ipairs(parts) do data[i] = part.data end
  figures.current():draw {
    before = before, data = data,
    command = function(names)
      local clauses = {}
      for i, part in ipairs(parts) do clauses[i] = ('%s %s'):format(names[i], part.clause) end
      return command .. ' ' .. table.concat(clauses, ', ')
    end,
  }
end

--- Draws curves. Each is [legend,] x [, y] [, style]: `plot('loss', losses, '-')`. Several curves are tables, `plot({'a', a}, {'b',
-- b})`, or a table of tables. x alone is drawn over 1, 2, ...; for a matrix the other columns are drawn over the first.
-- Styles are '-' lines, '+' points, '+-' both, '.' dots, '|' boxes, '~' a smooth curve, 'v' arrows (N x 4: from x, y by dx, dy), or a
-- clause of gnuplot: 'with points pt 7'. NaN is a gap. The legend is in the corner where it hides the fewest points, unless `movelegend`
-- sets its position.
-- @function gnuplot.plot
-- @param ... curves
-- @raise 'expecting [string,] tensor [,tensor] [,string]', 'x and y dims are wrong : ..'
function drawings.plot(...)
  local parts, before = curves.plane('gnuplot.plot', ...)
  draw('plot', before, parts)
end

--- Draws surfaces. Each is [legend,] z or [legend,] x, y, z, matrices of equal sizes.
-- @function gnuplot.splot
-- @param ... surfaces, with styles as for plot
function drawings.splot(...)
  local parts = {}
  for i, curve in ipairs(curves.of('gnuplot.splot', 3, ...)) do
    local x, y, z = unpack(curve.tensors)
    if not y then
      z = numbers.checked('gnuplot.splot', 'z', x, 2)
      x = torch.range(1, z:size(1)):double():view(-1, 1):expandAs(z)
      y = torch.range(1, z:size(2)):double():view(1, -1):expandAs(z)
    end
    if not z or not (x:dim() == 2 and x:isSameSizeAs(y) and y:isSameSizeAs(z)) then
      check.raise(('gnuplot.splot: %s, %s, expected z or x, y, z of equal sizes, 2 dimensions'):format(messages.tensor(x),
        messages.tensor(y)))
    end
    local style = curves.style('gnuplot.splot', curve.style or '-')
    parts[i] = { data = numbers.surface(x, y, z), clause = ('%s %s'):format(curves.legend(curve.legend), style) }
  end
  draw('splot', { 'set hidden3d nooffset' }, parts)
end

--- Draws points in space. Each set is [legend,] x, y, z, vectors of equal lengths.
-- @function gnuplot.scatter3
-- @param ... sets, with styles as for plot
function drawings.scatter3(...)
  local parts = {}
  for i, curve in ipairs(curves.of('gnuplot.scatter3', 3, ...)) do
    local x, y, z = unpack(curve.tensors)
    if not z or not (x:dim() == 1 and x:isSameSizeAs(y) and y:isSameSizeAs(z)) then
      check.raise('gnuplot.scatter3: x, y, z: expected three vectors of equal lengths')
    end
    local style = curves.style('gnuplot.scatter3', curve.style or '+')
    parts[i] = { data = numbers.columns { x, y, z }, clause = ('%s %s'):format(curves.legend(curve.legend), style) }
  end
  draw('splot', {}, parts)
end

-- The command for a palette: gnuplot interprets names other than 'color' and 'gray'. A name consists of words and numbers:
-- without quotes and parentheses, it can't execute code.
local function palette(name)
  name = check.text('gnuplot.imagesc', 'palette', name or 'color')
  if not name:find '^[%w_ ,.+-]+$' then
    check.raise(("gnuplot.imagesc: palette: '%s', expected words and numbers of gnuplot's set palette, such as 'color' or 'gray'")
      :format(name))
  end
  return 'set palette ' .. name
end

-- A step for at most ten ticks at integers: 1, 2 or 5, times a power of ten.
local function step(count)
  local power = 1
  while true do
    for _, factor in ipairs { 1, 2, 5 } do
      if count <= 10 * factor * power then return factor * power end
    end
    power = power * 10
  end
end

--- Draws a matrix as an image, its first row on top.
-- @function gnuplot.imagesc
-- @tparam torch.Tensor z
-- @string[opt='color'] name of the palette: 'color', 'gray', or other arguments of gnuplot's `set palette`: 'rgbformulae 21,22,23'
function drawings.imagesc(z, name)
  z = numbers.checked('gnuplot.imagesc', 'z', z, 2)
  local before = {
    palette(name),
    'set size ratio -1', ('set xrange [0.5:%d.5]'):format(z:size(2)), ('set yrange [%d.5:0.5]'):format(z:size(1)), 'unset key',
    'set tics out', 'set xtics ' .. step(z:size(2)), 'set ytics ' .. step(z:size(1)),
  }
  draw('plot', before, { { data = numbers.rows(z), clause = 'matrix using ($1+1):($2+1):3 with image' } })
end

-- Bars of heights at positions, with bounds to the left and right of all.
local function bars(positions, heights, width)
  local first, last = positions[1] - width, positions[positions:size(1)] + width
  local before = {
    'set style fill solid 0.8 border -1', ('set boxwidth %s'):format(quote.number(width)),
    ('set xrange [%s:%s]'):format(quote.number(first), quote.number(last)),
    heights:min() >= 0 and heights:max() > 0 and 'set yrange [0:*]' or 'set yrange [*:*]',
    ('set offsets 0, 0, graph 0.05, graph %s'):format(heights:min() < 0 and '0.05' or '0'),
  }
  draw('plot', before, { { data = numbers.columns { positions, heights }, clause = 'notitle with boxes' } })
end

--- Draws a vector as bars over 1, 2, ...
-- @function gnuplot.bar
-- @tparam torch.Tensor heights
function drawings.bar(heights)
  heights = numbers.checked('gnuplot.bar', 'heights', heights, 1)
  bars(torch.range(1, heights:size(1)):double(), heights, 1)
end

--- Draws a histogram.
-- @function gnuplot.hist
-- @tparam torch.Tensor x of any sizes
-- @int[opt] bins number of ranges
-- @number[opt] min lower bound of the first range; default: the smallest element
-- @number[opt] max upper bound of the last range; default: the largest element
function drawings.hist(x, bins, min, max)
  local found = require 'gnuplot.counts'.counted('gnuplot.hist', x, bins, min, max)
  bars(found.positions, found.counts, found.width)
end

return drawings
