-- Group G: whole programs, each time in a new process, which bench/child.lua is.
local measure = require 'measure'

local th = measure.folder .. '/../build/' .. (os.getenv 'MT_PRESET' or 'release') .. '/bin/th'
local FIRST = [[local torch = require "torch"; local v = (torch.ones(10) + 1):sum(); io.write("done=", string.format("%.6f", ]]
  .. [[require("torch.clock").monotonic()), "\n")]]

-- Runs a program; its last line holds figures.
local function spawn(name)
  local command = name == 'bare' and ("exec '%s' -e '%s'"):format(th, FIRST)
    or ("exec '%s' '%s/child.lua' %s %d"):format(th, measure.folder, name, measure.threads)
  local start = measure.now()
  local pipe = assert(io.popen(command))
  local text = pipe:read '*a'
  pipe:close()
  local figures = { start = start, exit = measure.now() }
  for key, value in text:gmatch '(%w+)=([%d.]+)' do figures[key] = tonumber(value) end
  if not figures.done then error('the program ' .. name .. ' did not come to its end: ' .. text, 0) end
  return figures
end

local function G(id, name, value, unit, times)
  measure.attempt('G.' .. id, function()
    local values = {}
    for i = 1, times do values[i] = value(spawn(name)) end
    measure.save('G.' .. id, values, unit)
  end)
end

local function whole(figures) return figures.exit - figures.start end
local function peak(figures) return figures.rss end

G('startup', 'bare', function(figures) return figures.done - figures.start end, 's', 21)
G('startup_exit', 'bare', whole, 's', 21)
G('rss_import', 'import', peak, 'MiB', 5)
G('mnist', 'mnist', whole, 's', 5)
G('mnist_rss', 'mnist', peak, 'MiB', 3)
G('lstm', 'lstm', whole, 's', 5)
G('lstm_rss', 'lstm', peak, 'MiB', 3)
G('disk', 'disk', function(figures) return figures.disk end, 'MiB', 1)
