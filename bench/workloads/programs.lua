-- Group G: whole programs, each time in a new process, which bench/child.lua is.
local torch = require 'torch'
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

-- An epoch of batches, made in this process: a batch is gathered and normalised at once, which PyTorch's figure offers as a way of its own.
measure.attempt('G.loader_inproc', function()
  local count, batch = 60000, 128
  local images, labels = torch.ByteTensor(count, 28, 28):random(0, 255), torch.LongTensor(count):random(1, 10)
  local times = {}
  for epoch = 0, 5 do
    local start, seen, order = measure.now(), 0, torch.randperm(count, 'torch.LongTensor')
    for first = 1, count, batch do
      local chosen = order:narrow(1, first, math.min(batch, count - first + 1))
      local input, target = images:index(1, chosen):float():div(255):add(-0.1307):div(0.3081), labels:index(1, chosen)
      seen = seen + math.min(input:size(1), target:nElement())
    end
    assert(seen == count)
    if epoch > 0 then times[epoch] = measure.now() - start end
  end
  measure.save('G.loader_inproc', times, 's', { items = count })
end)
