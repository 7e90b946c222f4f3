--- xlua.Profiler: named stopwatches.
-- @classmod xlua.Profiler
local check = require 'torch.check'
local clock = require 'torch.clock'
local escapes = require 'sys.colors'

local Profiler = {}
Profiler.__index = Profiler

--- @string[opt] mode 'off' silences printing
-- @bool[opt] verbose print each lap
local function new(mode, verbose)
  return setmetatable({ printing = mode ~= 'off', verbose = verbose, timers = {}, order = {}, colors = {} }, Profiler)
end

local function now()
  local user, system = clock.cpu()
  return clock.monotonic(), user + system
end

local function timerOf(self, name)
  return self.timers[name] or error(('xlua.Profiler: name: no timer %q was started'):format(tostring(name)), 3)
end

--- Starts or restarts a timer.
-- @string name
-- @string[opt] option 'fps' adds frames per second to reports
function Profiler:start(name, option)
  check.text('start', 'name', name)
  if not self.timers[name] then table.insert(self.order, name) end
  local timer = { real = 0, cpu = 0, fps = option == 'fps' }
  timer.startReal, timer.startCpu = now()
  self.timers[name] = timer
end

--- Seconds since the start.
-- @string name
-- @number[opt=1] divider
-- @treturn number wall-clock time
-- @treturn number processor time
function Profiler:lap(name, divider)
  local timer = timerOf(self, name)
  local real, cpu = now()
  timer.real, timer.cpu = (real - timer.startReal) / (divider or 1), (cpu - timer.startCpu) / (divider or 1)
  if self.verbose then self:print(name) end
  return timer.real, timer.cpu
end

--- The wall-clock seconds of the last lap.
function Profiler:real(name, divider) return timerOf(self, name).real / (divider or 1) end

--- The processor seconds of the last lap.
function Profiler:cpu(name, divider) return timerOf(self, name).cpu / (divider or 1) end

--- The report of one timer.
function Profiler:format(name)
  local timer = timerOf(self, name)
  local fps = timer.fps and timer.real > 0 and (' | %.2f fps'):format(1 / timer.real) or ''
  return ('$ %s: real = %.6f s | cpu = %.6f s%s'):format(name, timer.real, timer.cpu, fps)
end

--- The report of all timers in the order of their first start.
function Profiler:formatAll()
  local lines = {}
  for i, name in ipairs(self.order) do lines[i] = self:format(name) end
  return table.concat(lines, '\n')
end

--- The colour in which a terminal shows a timer's line.
-- @string name of the timer, which need not have been started
-- @string color one of sys.COLORS: 'red', 'Green', ...
function Profiler:setColor(name, color)
  check.text('setColor', 'name', name)
  check.that(escapes[color], ("setColor: color: %s, expected a name of sys.COLORS, such as 'red'"):format(tostring(color)))
  self.colors[name] = color
end

local function shown(self, name)
  local color = self.colors[name]
  if not color or not require 'torch'.isatty(io.stdout) then return self:format(name) end
  return escapes[color] .. self:format(name) .. escapes.none
end

--- Prints one timer's line, unless the profiler is silent.
function Profiler:print(name)
  if self.printing then print(shown(self, name)) end
end

--- Prints all timers' lines, unless the profiler is silent.
function Profiler:printAll()
  if not self.printing then return end
  local lines = {}
  for i, name in ipairs(self.order) do lines[i] = shown(self, name) end
  print(table.concat(lines, '\n'))
end

--- Prints all timers, which Torch7 drew in a window.
function Profiler:displayAll() self:printAll() end

return new
