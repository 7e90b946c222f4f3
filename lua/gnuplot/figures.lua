--- Figures by their numbers: windows, files, and text without a screen.
-- @module gnuplot
local check, paths = require 'torch.check', require 'paths'
local Figure, program = require 'gnuplot.Figure', require 'gnuplot.program'

local figures = {}

local all, current, chosen = {}, nil, nil

-- Terminals with windows, the best first.
local windows = { 'qt', 'wxt', 'aqua', 'x11', 'windows' }
local isWindowed = { qt = true, wxt = true, x11 = true, aqua = true, windows = true }

-- Terminals by the endings of files, the best first.
local byEnding = {
  eps = { 'postscript eps color', 'epscairo' }, png = { 'pngcairo', 'png' }, pdf = { 'pdfcairo', 'pdf' }, svg = { 'svg' },
}

local function hasScreen()
  return os.getenv 'DISPLAY' ~= nil or os.getenv 'WAYLAND_DISPLAY' ~= nil or jit.os == 'OSX' or jit.os == 'Windows'
end

--- The terminal of figures without a file: from `setterm`, the environment variable GNUTERM, the best one available on a
-- screen, or 'dumb', which is text.
-- @function gnuplot.terminal
-- @treturn string
function figures.terminal()
  if chosen then return chosen end
  local named = os.getenv 'GNUTERM'
  if named and #named > 0 then return named end
  if hasScreen() then
    local there = program.terminals()
    for _, name in ipairs(windows) do
      if there[name] then return name end
    end
  end
  return 'dumb'
end

--- Sets the terminal of figures created from now on.
-- @function gnuplot.setterm
-- @string name 'qt', 'wxt', 'x11', 'dumb', 'sixelgd', ... with the terminal's options
-- @raise if gnuplot has no terminal with this name
function figures.setterm(name)
  name = check.text('gnuplot.setterm', 'name', name)
  if not program.terminals()[name:match '^%S*'] or name:find '[\r\n;]' then
    check.raise(("gnuplot.setterm: name: this gnuplot has no terminal '%s'"):format(name))
  end
  chosen = name
end

-- The target of a figure without a file.
local function screen(number, isQuiet)
  local name = figures.terminal()
  local kind = name:match '^%S+'
  if isWindowed[kind] then
    return { isWindow = true, terminal = ('%s %d%s%s'):format(kind, number, name:sub(#kind + 1), isQuiet and ' noraise' or '') }
  end
  if name == 'dumb' then name = ('dumb size %d,24'):format(math.min(tonumber(os.getenv 'COLUMNS') or 79, 120)) end
  return { isText = true, terminal = name }
end

local function unused()
  local number = 1
  while all[number] do number = number + 1 end
  return number
end

local function enter(number, target)
  if all[number] then all[number]:close() end
  all[number] = Figure.new(number, target)
  current = number
  return number
end

--- Makes a figure the current one, into which later calls draw.
-- @function gnuplot.figure
-- @int[opt] n its number; default: a new figure
-- @tparam[opt] table options `noraise`: whether to leave its window in the background
-- @treturn int its number
function figures.figure(n, options)
  if n ~= nil then n = check.whole('gnuplot.figure', 'n', n, { min = 1 }) end
  options = check.options('gnuplot.figure', options, { 'noraise' })
  check.that(program.isInstalled())
  if n and all[n] then
    current = n
    return n
  end
  n = n or unused()
  return enter(n, screen(n, options.noraise))
end

--- The current figure, or a new one if there is none.
-- @treturn Figure
function figures.current()
  if not all[current or 0] then figures.figure() end
  return all[current]
end

local function terminalFor(where, ending)
  local there = program.terminals()
  for _, terminal in ipairs(byEnding[ending]) do
    if there[terminal:match '^%S+'] then return terminal end
  end
  if ending == 'eps' then return byEnding.eps[1] end                 -- gnuplot reports an error when it draws, as in Torch7
  check.raise(('%s: this gnuplot writes no %s files'):format(where, ending:upper()))
end

local function checkFile(where, name)
  name = check.name(where, 'file', name)
  check.that(paths.dirp(paths.dirname(name)), ('cannot save to %s: directory does not exist'):format(name))
  return name
end

local function inFile(ending)
  local where = ('gnuplot.%sfigure'):format(ending)
  return function(file, n)
    file = checkFile(where, file)
    if n ~= nil then n = check.whole(where, 'n', n, { min = 1 }) end
    return enter(n or unused(), { terminal = terminalFor(where, ending), file = file })
  end
end

--- Creates a figure that `plotflush` and `close` write to a file, in the format EPS.
-- @function gnuplot.epsfigure
-- @string file its name
-- @int[opt] n the figure's number
-- @treturn int its number
-- @raise 'cannot save to F: directory does not exist'
figures.epsfigure = inFile 'eps'

--- Creates a figure that `plotflush` and `close` write to a file, in the format PNG.
-- @function gnuplot.pngfigure
-- @string file its name
-- @int[opt] n the figure's number
-- @treturn int its number
-- @raise 'cannot save to F: directory does not exist'
figures.pngfigure = inFile 'png'

--- Creates a figure that `plotflush` and `close` write to a file, in the format PDF.
-- @function gnuplot.pdffigure
-- @string file its name
-- @int[opt] n the figure's number
-- @treturn int its number
-- @raise 'cannot save to F: directory does not exist'
figures.pdffigure = inFile 'pdf'

--- Creates a figure that `plotflush` and `close` write to a file, in the format SVG.
-- @function gnuplot.svgfigure
-- @string file its name
-- @int[opt] n the figure's number
-- @treturn int its number
-- @raise 'cannot save to F: directory does not exist'
figures.svgfigure = inFile 'svg'

--- Also writes the current figure to a file.
-- @function gnuplot.figprint
-- @string file its name, which ends in .eps, .png, .pdf or .svg
function figures.figprint(file)
  file = checkFile('gnuplot.figprint', file)
  local ending = file:lower():match '%.(%w+)$'
  if not byEnding[ending] then
    check.raise(('gnuplot.figprint: file: %s, expected an ending .eps, .png, .pdf or .svg'):format(file))
  end
  local figure = figures.current()
  check.that(figure:last(), 'gnuplot.figprint: the figure has no plot yet')
  program.run(figure:script(terminalFor('gnuplot.figprint', ending), file))
end

local function numbered(where, n)
  if n ~= nil then n = check.whole(where, 'n', n, { min = 1 }) end
  n = n or current
  if not all[n or 0] then check.raise(('%s: n: there is no figure %s'):format(where, tostring(n))) end
  return n
end

--- Draws a figure in its current state, and writes its file.
-- @function gnuplot.plotflush
-- @int[opt] n its number; default: the current figure
function figures.plotflush(n) all[numbered('gnuplot.plotflush', n)]:flush() end

--- Closes a figure: writes its file, or closes its window.
-- @function gnuplot.close
-- @int[opt] n its number; default: the current figure
function figures.close(n)
  n = numbered('gnuplot.close', n)
  local figure = all[n]
  all[n] = nil
  if n == current then
    current = nil
    for other in pairs(all) do current = math.max(current or 0, other) end
  end
  figure:close()
end

--- Closes all figures.
-- @function gnuplot.closeall
function figures.closeall()
  local numbers = {}
  for n in pairs(all) do numbers[#numbers + 1] = n end
  table.sort(numbers)
  for _, n in ipairs(numbers) do figures.close(n) end
end

return figures
