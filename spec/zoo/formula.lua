-- Numbers from a formula for parameters and inputs, and figures of results: as spec/zoo/formula.py.
local torch = require 'torch'

local formula = {}
local prime = 9973

local function phaseOf(name)
  local phase = 0
  for i = 1, #name do phase = phase + name:byte(i) * i end
  return phase
end

-- Whole numbers from 0 to 9972.
local function residues(name, sizes)
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  local v = torch.range(0, count - 1, 1, 'double'):mul(7919):add(phaseOf(name)):remainder(prime)
  return v:cmul(v):remainder(prime):view(torch.LongStorage(sizes))
end

function formula.series(name, sizes) return residues(name, sizes):mul(1 / prime):mul(2):add(-1) end

-- Whole numbers from 1 to count.
function formula.positions(name, sizes, count) return residues(name, sizes):remainder(count):long() + 1 end

local function value(name, sizes)
  local x = formula.series(name, sizes)
  if #sizes > 1 then return x:mul(math.sqrt(3 / (x:nElement() / sizes[1]))) end
  if name:find 'running_var$' then return x:mul(0.5):add(1) end
  if name:find 'weight$' or name:find 'gamma$' then return x:mul(0.3):add(1) end
  return x:mul(0.2)
end

-- Returns values for the names and sizes of a state, but for counters.
function formula.state(state)
  local result = {}
  for name, x in pairs(state) do
    if not name:find 'num_batches_tracked$' then result[name] = value(name, x:size():totable()) end
  end
  return result
end

function formula.fingerprint(state)
  local total = 0
  for name, x in pairs(state) do
    local count = 1
    for d, n in ipairs(x:size():totable()) do count = count + d * n end
    if not name:find 'num_batches_tracked$' then total = total + phaseOf(name) * count end
  end
  return total
end

function formula.figures(x)
  local flat = x:detach():double():contiguous():view(-1)
  local list = { flat:sum(), flat:norm() }
  for i = 0, 4 do list[i + 3] = flat[math.floor(i * (flat:nElement() - 1) / 4) + 1] end
  return list
end

return formula
