-- Each name of torchnet as the first one that a Lua state uses, and the globals that loading the package sets.
local threads = require 'threads'
local program = require 'spec.support.program'

-- The results of a function in a new Lua state.
local function inNewState(f, ...)
  local pool, result = threads.Threads(1), nil
  pool:addjob(f, function(value) result = value end, ...)
  pool:terminate()
  return result
end

describe('torchnet', function()
  it('brings each of its names by itself', function()
    local names = {}
    for name in pairs(require 'torchnet') do names[#names + 1] = name end
    assert.is_true(#names > 30)
    for _, name in ipairs(names) do
      assert.equal('a value', inNewState(function(asked)
        local good, value = pcall(function() return require 'torchnet'[asked] end)
        return good and (value ~= nil and 'a value' or 'nil') or asked .. ': ' .. tostring(value)
      end, name))
    end
  end)

  it('leaves the global nn', function()
    assert.equal('1\t\n', program.evaluate [[
      require 'torchnet'
      print(nn.Sequential():add(nn.Linear(2, 1)):forward(torch.ones(2)):size(1))
    ]])
  end)

  it('writes and reads indexed data sets before anything else', function()
    assert.equal('2\t1\t\n', program.evaluate [[
      local tnt, paths = require 'torchnet', require 'paths'
      local folder = paths.tmpname()
      paths.mkdir(folder)
      local writer = tnt.IndexedDatasetWriter(folder .. '/x.idx', folder .. '/x.bin', 'double')
      writer:add(torch.ones(3))
      writer:add(torch.zeros(2))
      writer:close()
      local set = tnt.IndexedDataset { fields = { 'x' }, path = folder }
      print(set:size(), set:get(1).x[3])
      paths.rmall(folder, 'yes')
    ]])
  end)
end)
