-- Products of sparse matrices, in turns with SciPy: th bench/sparse.lua PYTHON. Prints medians of milliseconds of one product: SciPy, which
-- has one thread, and Moontorch with one thread and with two. Matrices of doubles: 100000 x 100000 with 20 entries per row, times a vector
-- and dense matrices of 16 and 128 columns; 20000 x 20000 with 10 entries per row, times itself. SciPy's product of sparse matrices leaves
-- the columns of a row unsorted; `sorted` also sorts them, as Moontorch does.
local torch = require 'torch'

local python = arg[1] or 'python3'
local folder = os.tmpname()
os.remove(folder)
os.execute('mkdir ' .. folder)

local requests, answers = folder .. '/requests', folder .. '/answers'
os.execute(('mkfifo %s %s; %s bench/sparse_peer.py <%s >%s &'):format(requests, answers, python, requests, answers))
local to, from = io.open(requests, 'w'), io.open(answers)
local function ask(...)
  to:write(table.concat({ ... }, ' '), '\n')
  to:flush()
  return from:read '*l'
end

assert(ask('save', folder) == 'ok')
local function load(name)
  local parts = torch.npz.load(('%s/%s.npz'):format(folder, name))
  local count = parts.rows:size(1) - 1
  return torch.sparse.csr(parts.rows, parts.columns, parts.values, { count, count })
end
local large, small = load 'large', load 'small'
local x = { torch.randn(100000), [16] = torch.randn(100000, 16), [128] = torch.randn(100000, 128) }
local work = {
  { 'vector', 20, function() return large * x[1] end },
  { 'columns16', 5, function() return large * x[16] end },
  { 'columns128', 2, function() return large * x[128] end },
  { 'sparse', 4, function() return small * small end },
  { 'sorted', 4, function() return small * small end },
}

local function ours(f, count, threads)
  torch.setnumthreads(threads)
  f()
  local timer = torch.Timer()
  for _ = 1, count do f() end
  return timer:time().real / count * 1e3
end

local function median(list)
  table.sort(list)
  return list[math.ceil(#list / 2)]
end

print(('%-12s %10s %10s %10s'):format('product', 'SciPy', '1 thread', '2 threads'))
for _, case in ipairs(work) do
  local name, count, f = unpack(case)
  local times = { {}, {}, {} }
  for i = 1, 7 do
    times[1][i] = tonumber(ask(name, count))
    times[2][i], times[3][i] = ours(f, count, 1), ours(f, count, 2)
  end
  print(('%-12s %10.2f %10.2f %10.2f'):format(name, median(times[1]), median(times[2]), median(times[3])))
end
to:close()
os.execute('rm -r ' .. folder)
