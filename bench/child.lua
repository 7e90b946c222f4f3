-- The programs of group G: `th bench/child.lua import|mnist|lstm|disk THREADS`. The last line has the time and the peak memory.
local torch = require 'torch'
local here = arg[0]:match '^(.*)/[^/]*$'
package.path = here .. '/?.lua;' .. package.path

local programs, disk = {}, 0

function programs.import() return (torch.ones(10) + 1):sum() end

function programs.mnist()
  local nn, optim, networks = require 'nn', require 'optim', require 'networks'
  local count, batch = 8000, 128
  local images = torch.ByteTensor(count, 28, 28):random(0, 255)
  local labels = torch.LongTensor(count):random(1, 10)
  local net, criterion = networks.lenet(), nn.CrossEntropyCriterion()
  local steps = optim.SGD(net:requiresGrad():parameters(), { learningRate = 0.01, momentum = 0.9, dampening = 0 })
  local order = torch.randperm(count):long()
  for first = 1, count, batch do
    local n = math.min(batch, count - first + 1)
    local chosen = order:narrow(1, first, n)
    local input = images:index(1, chosen):float():div(255):add(-0.1307):div(0.3081):view(n, 1, 28, 28)
    steps:zeroGrad()
    local loss = criterion(net(input), labels:index(1, chosen))
    loss:backward()
    steps:step()
    loss:item()
  end
end

function programs.lstm()
  local nn, optim, networks = require 'nn', require 'optim', require 'networks'
  local net, criterion = networks.charFused(), nn.CrossEntropyCriterion()
  local steps = optim.Adam(net:requiresGrad():parameters(), { learningRate = 1e-3 })
  local x, target = torch.LongTensor(50, 50):random(1, 65), torch.LongTensor(2500):random(1, 65)
  for _ = 1, 50 do
    steps:zeroGrad()
    local loss = criterion(net(x), target)
    loss:backward()
    steps:step()
    loss:item()
  end
end

local function mebibytes(files)
  local pipe = io.popen('du -Lscb ' .. files)
  local bytes = pipe:read('*a'):match '(%d+)%s+total'
  pipe:close()
  return bytes / 2 ^ 20
end

-- The installed files: the program, the library, the Lua files, and the shared libraries of the system that are mapped after a product and
-- a convolution. The C and C++ runtime and the language do not count.
function programs.disk()
  torch.mm(torch.randn(64, 64), torch.randn(64, 64))
  torch.conv2d(torch.randn(1, 3, 9, 9), torch.randn(3, 3, 3, 3))
  local seen, files = {}, { here .. '/../lua', here .. '/../build/' .. (os.getenv 'MT_PRESET' or 'release') .. '/bin/th' }
  for line in io.lines '/proc/self/maps' do
    local name = line:match '(/%S+%.so%S*)$'
    local base = name and name:match '[^/]+$'
    if name and not seen[name] and not (base:match '^ld%-linux' or base:match '^libluajit') then
      local runtime = base:match '^lib([%w+_]+)[.-]'
      local left = { c = true, m = true, dl = true, rt = true, pthread = true, ['stdc++'] = true, gcc_s = true, util = true }
      if not left[runtime] then files[#files + 1] = name end
    end
    if name then seen[name] = true end
  end
  disk = mebibytes(table.concat(files, ' '))
end

torch.setnumthreads(tonumber(arg[2]))
torch.setdefaulttensortype 'torch.FloatTensor'
torch.manualSeed(0)
programs[arg[1]]()

local done, peak = require('torch.clock').monotonic(), nil
for line in io.lines '/proc/self/status' do peak = peak or line:match '^VmHWM:%s*(%d+)' end
print(('done=%.6f rss=%.3f disk=%.3f'):format(done, peak / 1024, disk))
