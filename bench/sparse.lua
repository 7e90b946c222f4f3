-- Products of sparse matrices, in turns with SciPy: th bench/sparse.lua PYTHON [NAME ...]. Prints medians of milliseconds of one product:
-- SciPy, which has one thread, and Moontorch with one thread and with two; for other formats than compressed rows also those of the same
-- matrix in compressed rows. Matrices of doubles, 100000 x 100000, times a vector and dense matrices of 16 and 128 columns: 20 entries per
-- row in compressed rows and columns, or their transpose; 5 blocks of 4 x 4 in each row of blocks; 19 diagonals. 20000 x 20000 with 10
-- entries per row, times itself: SciPy leaves the columns of a row unsorted; `sorted` also sorts them, as Moontorch does.
local torch = require 'torch'
local peer = dofile 'bench/peer.lua'

local own = peer.start 'sparse_peer.py'
local large, small = own.load 'large', own.load 'small'
local blocks, diagonals = own.load 'blocks', own.load 'diagonals'
local n = large:size(1)
local x = { [1] = torch.randn(n), [16] = torch.randn(n, 16), [128] = torch.randn(n, 128) }

local work, widths, counts = {}, { 1, 16, 128 }, { [1] = 20, [16] = 4, [128] = 1 }
local formats = { { 'csr', large }, { 'csc', large:csc(), large }, { 'bsr', blocks:bsr(4), blocks }, { 'dia', diagonals:dia(), diagonals } }
for _, of in ipairs(formats) do
  local name, s, csr = unpack(of)
  for _, k in ipairs(widths) do
    work[#work + 1] = { name .. k, counts[k], function() return s * x[k] end, csr and function() return csr * x[k] end }
  end
end
local function turned(k)
  local wide = k == 1 and x[1] or x[k]:t():contiguous()
  return function() return wide * large end
end
for _, k in ipairs(widths) do work[#work + 1] = { 'transposed' .. k, counts[k], turned(k), function() return large * x[k] end } end
work[#work + 1] = { 'sparse', 4, function() return small * small end }
work[#work + 1] = { 'sorted', 4, function() return small * small end }

local function ours(f, count, threads)
  torch.setnumthreads(threads)
  f()
  collectgarbage()
  local timer = torch.Timer()
  for _ = 1, count do f() end
  return timer:time().real / count * 1e3
end

local chosen = {}
for i = 2, #arg do chosen[arg[i]] = true end
print(('%-14s %10s %10s %10s %10s %10s'):format('product', 'SciPy', '1 thread', '2 threads', 'as CSR: 1', '2 threads'))
for _, case in ipairs(work) do
  local name, count, f, csr = unpack(case)
  if #arg < 2 or chosen[name] then
    local times = { {}, {}, {}, {}, {} }
    for i = 1, 7 do
      times[1][i] = tonumber(own.ask(name, count))
      for threads = 1, 2 do
        times[1 + threads][i] = ours(f, count, threads)
        times[3 + threads][i] = csr and ours(csr, count, threads) or nil
      end
    end
    local line = { ('%-14s'):format(name) }
    for _, list in ipairs(times) do line[#line + 1] = #list > 0 and (' %10.2f'):format(peer.median(list)) or '' end
    print(table.concat(line))
  end
end
own.stop()
