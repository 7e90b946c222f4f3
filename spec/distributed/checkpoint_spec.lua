-- torch.distributed.save and load on real processes: other numbers of them, damage, and deaths while they write.
local torch, paths = require 'torch', require 'paths'
local files, program = require 'spec.support.files', require 'spec.support.program'
local ranks = require 'spec.support.ranks'

local function folder()
  local name = os.tmpname()
  os.remove(name)
  return name
end

local function run(n, code, ...)
  for _, output in ipairs(ranks.run(n, code:format(...) .. "\nio.write 'ok'")) do assert.equal('ok', output) end
end

local function alone(code, ...)
  assert.equal('ok', program.evaluate("local torch = require 'torch'\nlocal dist = require('torch.distributed').init()\n"
    .. code:format(...) .. "\nio.write 'ok'"))
end

-- Saves tensors of several types, some of them not contiguous, empty or without elements on a rank, and shards; `value` is in all.
local save = [[
  local function stateOf(value)
    torch.manualSeed(value)
    local matrix = torch.randn(50, 40)
    local first, last = math.floor(1000 * rank / n), math.floor(1000 * (rank + 1) / n)
    return {
      step = value, name = 'run ' .. value, done = false, [3] = 'three',
      tensors = {
        float = torch.randn(7, 3):float(), long = torch.LongTensor { value, 2 ^ 53 + 1 }, half = torch.randn(9):half(),
        byte = torch.ByteTensor(5):fill(value), turned = matrix:t(), empty = torch.Tensor(), none = torch.FloatTensor(0, 4),
        tracked = torch.ones(2):mul(value):requiresGrad(),
      },
      range = dist.shard(torch.range(first + 1, last):mul(value), first, { 10, 100 }),
    }
  end
  local function check(found, value)
    local expected = stateOf(value)
    assert(found.step == value and found.name == 'run ' .. value and found.done == false and found[3] == 'three')
    for key, x in pairs(expected.tensors) do
      local y = found.tensors[key]
      assert(torch.type(y) == torch.type(x) and y:isSameSizeAs(x) and (x:nElement() == 0 or torch.equal(y:detach(), x:detach())), key)
    end
    local range = found.range
    if torch.isTensor(range) then
      assert(torch.equal(range, torch.range(1, 1000):mul(value):view(10, 100)))
    else
      assert(torch.equal(range.tensor, expected.range.tensor))
    end
  end
]]

describe('torch.distributed.save and load', function()
  it('move a state between numbers of processes', function()
    local place = folder()
    run(3, save .. [[
      local folder = '%s'
      dist.save(folder, stateOf(4))
      check(dist.load(folder), 4)
      dist.save(folder, stateOf(5))
      local own = stateOf(6)
      own.added, own.tensors.float = 'kept', own.tensors.float
      local float, range = own.tensors.float, own.range.tensor
      assert(dist.load(folder, own) == own)
      check(own, 5)
      assert(own.added == 'kept' and own.tensors.float == float and own.range.tensor == range)
    ]], place)
    assert.same({ 'data-2', 'manifest' }, (function()
      local list = {}
      for _, name in ipairs(paths.dir(place)) do
        if not name:match '^%.+$' then list[#list + 1] = name end
      end
      table.sort(list)
      return list
    end)())
    run(2, save .. [[
      local own = stateOf(7)
      check(dist.load('%s', own), 5)
    ]], place)
    alone('local rank, n = 0, 1\n' .. save .. "check(dist.load '%s', 5)", place)
    paths.rmall(place, 'yes')
  end)

  it('spread the bytes over the ranks', function()
    local place = folder()
    run(2, [[
      local list = {}
      for i = 1, 40 do list[i] = torch.randn(500) end
      dist.save('%s', list)
    ]], place)
    local sizes = {}
    for rank = 0, 1 do sizes[rank] = #files.read(('%s/data-1/shard-%05d'):format(place, rank)) end
    assert.same({ [0] = 80000, 80000 }, sizes)
    paths.rmall(place, 'yes')
  end)

  it('keep modules and optimisers, whole ones and shared ones', function()
    local place = folder()
    local train = [[
      local nn, optim = require 'nn', require 'optim'
      local setups = require 'spec.trainer.setups'
      local function make(isShared)
        torch.manualSeed(1)
        local net = nn.Sequential(nn.Linear(30, 70), nn.BatchNormalization(70), nn.Linear(70, 4)):requiresGrad()
        local list = net:parameters()
        return net, isShared and optim.ZeroRedundancyOptimizer(list, optim.Adam) or optim.Adam(list)
      end
      local function step(net, steps, seed)
        torch.manualSeed(seed)
        for i = 1, 2 do
          steps:zeroGrad()
          torch.pow(net(torch.randn(8, 30)), 2):sum():backward()
          steps:step()
        end
        return setups.hash(net)
      end
    ]]
    local outputs = ranks.run(3, train .. ([[
      local net, steps = make(true)
      step(net, steps, 1)
      dist.save('%s', { net = net, steps = steps, epoch = 2 })
      io.write(step(net, steps, 2))
    ]]):format(place))
    for _, isShared in ipairs { 'true', 'false' } do
      run(2, train .. [[
        local net, steps = make(%s)
        net:get(1).weight:detach():zero()
        local loaded = dist.load('%s', { net = net, steps = steps })
        assert(loaded.epoch == 2)
        assert(step(net, steps, 2) == '%s')
      ]], isShared, place, outputs[1])
    end
    paths.rmall(place, 'yes')
  end)

  it('raise one error on all ranks for damaged, missing and short files, and change nothing', function()
    local place = folder()
    run(2, save .. "dist.save('%s', stateOf(4))", place)
    local function refuses(pattern)
      run(2, save .. [[
        local own = stateOf(6)
        local _, problem = pcall(dist.load, '%s', own)
        check(own, 6)
        for _, other in ipairs(dist.allGatherObject(problem)) do assert(other == problem) end
        assert(problem:find '%s', problem)
      ]], place, pattern)
    end
    local name = place .. '/data-1/shard-00001'
    local good = files.read(name)
    local at = torch.random(1, #good)
    files.write(name, good:sub(1, at - 1) .. string.char((good:byte(at) + 1) % 256) .. good:sub(at + 1))
    refuses 'torch.distributed.load: .*/data.1/shard.00001: damaged: elements .* have the checksum'
    files.write(name, good:sub(1, torch.random(0, #good - 1)))
    refuses '/data.1/shard.00001: it ends in elements '
    os.remove(name)
    refuses '/data.1/shard.00001: No such file'
    files.write(name, good)
    local manifest = files.read(place .. '/manifest')
    at = torch.random(60, #manifest)
    files.write(place .. '/manifest', manifest:sub(1, at - 1) .. string.char((manifest:byte(at) + 1) % 256) .. manifest:sub(at + 1))
    refuses 'manifest: .*damaged: its bytes have the checksum'
    os.remove(place .. '/manifest')
    refuses 'load: manifest: .*/manifest: No such file'
    files.write(place .. '/manifest', manifest)
    run(2, save .. "check(dist.load('%s', stateOf(9)), 4)", place)
    paths.rmall(place, 'yes')
  end)

  it('refuse states that differ, on all ranks, and leave the former checkpoint', function()
    local place = folder()
    run(2, save .. [[
      local folder = '%s'
      dist.save(folder, stateOf(4))
      local function problem(name, state)
        local _, text = pcall(dist[name], folder, state)
        for _, other in ipairs(dist.allGatherObject(text)) do assert(other == text) end
        return text
      end
      local function refuses(name, state, pattern)
        local text = problem(name, state)
        assert(text:find(pattern), text)
      end
      refuses('save', { a = { torch.ones(2 + rank) } }, 'save: a.1.: DoubleTensor of 3 on rank 1, expected DoubleTensor of 2 as on rank 0')
      refuses('save', { a = rank == 0 and 1 or 'x' }, 'a: a string on rank 1, expected a number')
      refuses('save', { a = rank == 1 and print or 1 }, 'save: a: .*expected tables, tensors.*%%(rank 1%%)')
      refuses('save', { a = dist.shard(torch.ones(3), 4 * rank, { 7 }) }, 'a: element 4 of 7 is on no rank')
      refuses('load', { tensors = { float = torch.FloatTensor(3, 7) } }, 'load: tensors.float: FloatTensor of 7 x 3 in the checkpoint, '
        .. 'expected FloatTensor of 3 x 7')
      refuses('load', { other = torch.ones(1) }, 'other: nothing in the checkpoint, expected DoubleTensor of 1')
      local loop = {}
      loop.self = loop
      refuses('save', loop, 'self: a table inside itself')
      -- a rank that can't write
      if rank == 1 then require('torch.file.atomic').write = function() error 'the disk is full' end end
      refuses('save', stateOf(5), 'the disk is full %%(rank 1%%)')
      assert(not require('paths').dirp(folder .. '/data-2'))
      check(dist.load(folder, stateOf(6)), 4)
      assert(select(2, pcall(dist.shard, torch.ones(3), 5, { 2, 3 })):find 'first: elements 6 to 8, expected some of 6')
    ]], place)
    paths.rmall(place, 'yes')
  end)

  it('leave the old checkpoint or the new one if a rank dies at any point of a save', function()
    local place = folder()
    run(2, save .. "dist.save('%s', stateOf(1))", place)
    local value, died = 1, 0
    for _ = 1, 5 do
      local at, victim = torch.random(1, 14), torch.random(0, 1)
      local _, status = ranks.try(2, save .. ([[
        local libc, paths, count = require 'torch.file.libc', require 'paths', 0
        require('ffi').cdef 'int raise(int);'
        local function mortal(library, name)
          local former = library[name]
          library[name] = function(...)
            count = count + 1
            if count == %d and rank == %d then
              -- half of a file's bytes
              if name == 'write' then
                local fd, p, size, offset = ...
                former(fd, p, math.floor(size / 2), offset)
              end
              require('ffi').C.raise(9)
            end
            return former(...)
          end
        end
        for _, name in ipairs { 'open', 'write', 'sync', 'link', 'rename', 'syncFolder' } do mortal(libc, name) end
        mortal(paths, 'mkdir')
        mortal(paths, 'rmall')
        dist.save('%s', stateOf(%d))
      ]]):format(at, victim, place, value + 1))
      if status == 0 then value = value + 1 else died = died + 1 end
      alone('local rank, n = 0, 1\n' .. save .. [[
        local found = dist.load '%s'
        check(found, found.step)
        assert(found.step == %d or %d ~= 0 and found.step == %d)
      ]], place, value, status, value + 1)
      value = tonumber(program.evaluate(("io.write(require('torch.distributed').init().load('%s').step)"):format(place)))
    end
    assert.is_true(died > 0)
    -- the next save removes what is left of those that failed
    run(2, save .. "dist.save('%s', stateOf(20)) check(dist.load('%s', stateOf(3)), 20)", place, place)
    local count = 0
    for _, name in ipairs(paths.dir(place)) do count = count + (name:match '^%.+$' and 0 or 1) end
    assert.equal(2, count)
    paths.rmall(place, 'yes')
  end)
end)
