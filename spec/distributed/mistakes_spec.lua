-- Wrong calls of every function of torch.distributed and of the modules over it (wrong_calls.lua): each is one error at the program's line
-- that names function, argument, what came and what was expected. No call waits for another rank, and the ranks can go on.
local ranks, program = require 'spec.support.ranks', require 'spec.support.program'

local run = [[
local nn, optim = require 'nn', require 'optim'
local names = setmetatable({ torch = torch, dist = dist, nn = nn, optim = optim, rpc = dist.rpc.init { timeout = 30 }, rank = rank,
  other = 1 - rank, T = torch.ones(2), L = { torch.ones(2), torch.ones(2) }, A = dist.array(torch.ones(3, 2)), N = nn.Linear(2, 2),
  P = { torch.ones(2):requiresGrad() }, H = dist.barrier { async = true }, folder = dist.broadcastObject(rank == 0 and os.tmpname()) },
  { __index = _G })
names.H:wait()
if rank == 0 then os.remove(names.folder) end
dist.barrier()
dist.save(names.folder, { x = names.T })
for _, row in ipairs(dofile 'spec/distributed/wrong_calls.lua') do
  local code, expected = row[1], row[2]
  local chunk = assert(loadstring('return nil, ' .. code, '=program'), code)
  local good, problem = pcall(setfenv(chunk, names))
  problem = tostring(problem)
  if good then
    io.write(code, ': no error\n')
  elseif not problem:find '^program:1: ' or problem:find('program:1: ', 2, true) or not (problem:find(expected, 1, true)
      or problem:gsub('rank %d: ', '', 1):find(expected, 1, true))      -- the value of another rank
    or not (problem:find('expected', 1, true) or problem:find ' /%a') then      -- or what the system says about a file
    io.write(code, ': ', problem, ', expected ', expected, '\n')
  end
end
-- Nothing is left over: the ranks agree on the next calls.
assert(dist.allReduce(torch.ones(1))[1] == 2 and names.T:sum() == 2)
names.rpc.shutdown(30)
if rank == 0 then require('paths').rmall(names.folder, 'yes') end
io.write 'ok'
]]

describe('torch.distributed', function()
  it('says what is wrong with each argument', function()
    for _, output in ipairs(ranks.run(2, run)) do assert.equal('ok', output) end
  end)

  it('ends the others at their limit, if one rank makes a wrong call', function()
    local outputs = ranks.try(3, [[
      local options, T = { timeout = 0.3 }, torch.ones(2)
      local _, problem = pcall(dist.allReduce, T, rank == 1 and 'sun' or 'sum', options)
      io.write(tostring(problem), '\n')
      io.flush()
      if rank == 1 then require('sys').sleep(600) end      -- goes on computing, until the others have ended
      io.write(tostring(select(2, pcall(dist.barrier, options))))
    ]])
    assert.truthy(outputs[2]:find("torch.distributed.allReduce: reduction: 'sun', expected 'sum'", 1, true), outputs[2])
    for _, rank in ipairs { 0, 2 } do
      local output = outputs[rank + 1]
      assert.truthy(output:find(('torch.distributed.allReduce: rank %d waited 0.3 s for rank 1'):format(rank), 1, true), output)
      assert.truthy(output:find('torch.distributed.barrier: an earlier call failed', 1, true), output)
    end
  end)

  it('asks for init before each call', function()
    local said = program.evaluate [[
      local dist = require 'torch.distributed'
      local needs = { newGroup = { 0 }, array = torch.ones(1), save = 'x', load = 'x' }
      for name, f in pairs(dist) do
        local isCall = type(f) == 'function' and not ({ init = 1, isInitialized = 1, localRank = 1, restarts = 1, shard = 1 })[name]
        local good, problem = true, nil
        if isCall then good, problem = pcall(function() local x = f(needs[name]) return x end) end
        if isCall and good then print(name) end
        if not good and not problem:find('^%(command line%):%d+: torch.distributed.' .. name .. ': not started, expected a call of ') then
          print(name, problem)
        end
      end
    ]]
    assert.equal('', said)
  end)
end)
