-- The workers of loops over a data.DataLoader that are left before their end.
local torch, data = require 'torch', require 'data'
local shell = require 'spec.support.shell'

local process = require 'torch.file.libc'.pid()
local function children() return tonumber((shell(('ps -o pid= --ppid %d | wc -l'):format(process)))) - 1 end      -- but the shell
-- Without the pipe to the shell: both of its ends may be open until the shell has started.
local function descriptors()
  return tonumber((shell(('ls -l /proc/%d/fd | grep -vcF "$(readlink /proc/$$/fd/1)"'):format(process))))
end

describe('a loader with processes', function()
  local loader, before, files
  before_each(function()
    collectgarbage()
    collectgarbage()
    loader = data.DataLoader(torch.range(1, 40), { batchSize = 4, workers = 2, mode = 'processes' })
    before, files = children(), descriptors()
  end)

  it('has those of one epoch, however often a loop is left', function()
    collectgarbage 'stop'
    finally(function() collectgarbage 'restart' end)
    for _ = 1, 20 do
      for batch in loader() do      -- luacheck: ignore 512
        assert.equal(1, batch[1])
        break
      end
    end
    assert.is_true(children() - before <= 2, children() - before .. ' children')
    assert.is_true(descriptors() - files <= 16, descriptors() - files .. ' descriptors')
    loader:close()
    assert.equal(before, children())
    assert.equal(files, descriptors())
  end)

  it('has none when a sample has failed, and starts others', function()
    local fails = true
    loader = data.DataLoader(data.FunctionDataset(40, function(i) return fails and i == 7 and error 'bad sample' or torch.Tensor { i } end),
      { batchSize = 4, workers = 2, mode = 'processes' })
    local good, problem = pcall(function() for _ in loader() do end end)      -- luacheck: ignore 542
    assert.is_false(good)
    assert.matches('data.DataLoader: sample 7 of batch 2 %(worker %d%): .*bad sample', problem)
    assert.equal(before, children())
    fails = false
    local count = 0
    for _ in loader() do count = count + 1 end
    assert.equal(10, count)
    assert.equal(before, children())
  end)

  it('says so where it is closed in its loop', function()
    for _, mode in ipairs { 'processes', 'threads' } do
      loader = data.DataLoader(torch.range(1, 40), { batchSize = 4, workers = 2, mode = mode })
      local good, problem = pcall(function() for _ in loader() do loader:close() end end)
      assert.same({ false, 'data.DataLoader: this loop has no workers any more: the loader was closed, or began another epoch' },
        { good, problem })
      local count = 0
      for _ in loader() do count = count + 1 end
      assert.equal(10, count)
      loader:close()
      loader:close()
    end
    assert.equal(before, children())
  end)
end)
