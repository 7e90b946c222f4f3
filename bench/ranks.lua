-- Times all-reduces of float32 on the ranks of th-launch, for bench/ranks.py: th-launch -n 2 bench/ranks.lua BYTES:CALLS:BLOCKS ...
-- Rank 0 writes a line for each size: bytes and the median seconds of a call, over blocks of calls.
local torch, sys = require 'torch', require 'sys'
local dist = require('torch.distributed').init { timeout = 300 }

for _, word in ipairs { ... } do
  local bytes, calls, blocks = word:match '^(%d+):(%d+):(%d+)$'
  local x, times = torch.FloatTensor(bytes / 4):fill(1), {}
  for i = 0, blocks do      -- the first block warms up
    dist.barrier()
    local start = sys.clock()
    for _ = 1, calls do dist.allReduce(x, 'max') end
    times[i] = (sys.clock() - start) / calls
  end
  table.sort(times)
  if dist.rank() == 0 then io.write(('%d %.9f\n'):format(bytes, times[math.ceil(blocks / 2)])) end
end
