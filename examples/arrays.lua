-- Linear regression and k-means of data that may be larger than the memory of one process:
-- `bin/th-launch -n 4 examples/arrays.lua FOLDER [ROWS]`. Each rank reads its share of the shards that are in the folder, `part-1.npy` to
-- `part-8.npy`, which the first run writes. The results are those of one process, to rounding.
local torch = require 'torch'
local dist = require('torch.distributed').init()
torch.setdefaulttensortype 'torch.FloatTensor'

local folder, rows = arg[1] or '.', tonumber(arg[2] or 80000)
local columns, clusters, shards, block = 16, 4, 8, 32768
local pattern = folder .. '/part-%d.npy'
local rank, count = dist.rank(), dist.worldSize()

-- Four clouds of points, and a last column that is 3 + the sum of i x[i] / columns, with noise.
local function makeShard(i)
  torch.manualSeed(i)
  local x = torch.FloatTensor(rows / shards, columns + 1)
  for first = 1, x:size(1), block do
    local part = x:narrow(1, first, math.min(block, x:size(1) - first + 1))
    local points, target = part:narrow(2, 1, columns), part:select(2, columns + 1)
    points:copy(torch.randn(part:size(1), columns))
    for c = 1, clusters do      -- each takes its part of the block's rows
      local from, to = math.floor((c - 1) * part:size(1) / clusters), math.floor(c * part:size(1) / clusters)
      points:narrow(1, from + 1, to - from):select(2, c):add(10)
    end
    local weights = torch.range(1, columns):div(columns)
    target:copy(torch.mv(points, weights)):add(3):add(torch.randn(part:size(1)):mul(0.1))
  end
  torch.npy.save(pattern:format(i), x)
end

local isThere = dist.broadcastObject(io.open(pattern:format(shards), 'rb') ~= nil)
for i = 1 + rank, isThere and 0 or shards, count do
  makeShard(i)
  collectgarbage()
end
dist.barrier()

local data = dist.loadArray(pattern)

-- Least squares by the normal equations, of columns less their means.
local mean = data:mean(1):double()
local products = data:gram():add(-data:size(1), torch.mm(mean:t(), mean))
local weights = torch.gesv(products:narrow(2, columns + 1, 1):narrow(1, 1, columns):clone(),
  products:narrow(1, 1, columns):narrow(2, 1, columns):clone()):view(-1)
local constant = mean[1][columns + 1] - weights:dot(mean[1]:narrow(1, 1, columns))

-- Lloyd's algorithm: each rank adds the points of each centre, block by block. The first centres are far from each other.
local points = data:map(function(x) return x:narrow(2, 1, columns) end)
local centres = points:index(torch.LongTensor { 1 })
local function distances(x)
  return torch.cdist(x, centres)
end
for c = 2, clusters do
  local nearest = points:map(function(x)
    local result = x.new(x:size(1), 1)
    for first = 1, x:size(1), block do
      local size = math.min(block, x:size(1) - first + 1)
      result:narrow(1, first, size):copy((torch.min(distances(x:narrow(1, first, size)), 2)))
    end
    return result
  end)
  local largest, own = nearest:max(), nearest:shard()
  local place = own:nElement() > 0 and torch.nonzero(own:view(-1):eq(largest)) or torch.LongTensor()
  local mine = place:nElement() > 0 and points:firstRow() + place[1][1] - 1 or math.huge
  local first = dist.allReduce(torch.DoubleTensor { mine }, 'min')[1]
  centres = torch.cat(centres, points:index(torch.LongTensor { first }), 1)
  assert(centres:size(1) == c)
end
local inertia
for _ = 1, 5 do
  local sums, x = torch.DoubleTensor(clusters, columns + 2):zero(), points:shard()
  for first = 1, x:size(1), block do
    local part = x:narrow(1, first, math.min(block, x:size(1) - first + 1))
    local least, nearest = torch.min(distances(part), 2)
    local row = torch.cat({ part:double(), torch.ones(part:size(1), 1):double(), torch.pow(least:double(), 2) }, 2)
    sums:indexAdd(1, nearest:view(-1), row)
  end
  dist.allReduce(sums)
  inertia = sums:select(2, columns + 2):sum()
  centres = torch.cdiv(sums:narrow(2, 1, columns), sums:narrow(2, columns + 1, 1):expand(clusters, columns)):float()
end

if rank == 0 then
  print(('%d rows of %d columns'):format(data:size(1), data:size(2)))
  print(('y = %.3f + %.3f x1 + %.3f x2 + ... + %.3f x%d'):format(constant, weights[1], weights[2], weights[columns], columns))
  local order = {}
  for c = 1, clusters do order[c] = ('%.2f %.2f %.2f %.2f'):format(unpack(centres[c]:narrow(1, 1, 4):totable())) end
  table.sort(order)
  print('centres ' .. table.concat(order, ', '))
  print(('mean squared distance %.3f'):format(inertia / data:size(1)))
end
