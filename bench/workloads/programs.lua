-- Group G: whole programs, each time in a new process, which runs bench/child.lua.
local torch = require 'torch'
local measure = require 'measure'

local th = measure.folder .. '/../build/' .. (os.getenv 'MT_PRESET' or 'release') .. '/bin/th'
local FIRST = [[local torch = require "torch"; local v = (torch.ones(10) + 1):sum(); io.write("done=", string.format("%.6f", ]]
  .. [[require("torch.clock").monotonic()), "\n")]]

-- Runs a program; the last line of its output has the figures.
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

local function normalised(bytes) return bytes:float():div(255):add(-0.1307):div(0.3081) end

-- Images of bytes and their labels, gathered and normalised by batches or one by one.
local function pictures(count, byBatch)
  local images, labels = torch.ByteTensor(count, 28, 28):random(0, 255), torch.LongTensor(count):random(1, 10)
  local function get(i) return { normalised(images[i]), labels[i] } end
  local function getBatch(chosen) return { normalised(images:index(1, chosen)), labels:index(1, chosen) } end
  return require('data').FunctionDataset(count, get, byBatch and getBatch or nil)
end

-- Every epoch has a new loader, so that the time includes the start of its workers.
local function loader(id, workers, byBatch)
  measure.attempt(id, function()
    local count, times = 60000, {}
    local set = pictures(count, byBatch)
    for epoch = 0, 5 do
      local start, seen = measure.now(), 0
      local batches = set:loader { batchSize = 128, shuffle = true, workers = workers, seed = epoch }
      for batch in batches() do seen = seen + math.min(batch[1]:size(1), batch[2]:nElement()) end
      assert(seen == count)
      if epoch > 0 then times[epoch] = measure.now() - start end
      batches:close()
    end
    measure.save(id, times, 's', { items = count })
  end)
end

loader('G.loader', 2, false)
loader('G.loader@batched', 2, true)
loader('G.loader_inproc', 0, false)
loader('G.loader_inproc@batched', 0, true)
