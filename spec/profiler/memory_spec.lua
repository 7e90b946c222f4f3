-- Memory of profiles: tensors of known bytes, by the line that allocated them.
local torch, nn = require 'torch', require 'nn'

local profiler = torch.profiler

local function here() return debug.getinfo(2, 'l').currentline end

local function at(rows, line)
  for _, row in ipairs(rows) do
    if row.key:find('memory_spec.lua:' .. line .. '$') then return row end
  end
end

describe('torch.profiler.memory', function()
  it('counts bytes by line, their peak and what lives on', function()
    local first, kept
    local rows = profiler.memory(function()
      first = here() + 1
      kept = torch.ones(1000)                                    -- 8000 bytes
      local a = torch.FloatTensor(500, 10):zero()                -- 20000
      a = a:nElement()
      collectgarbage()
      collectgarbage()
      local b = torch.IntTensor(3000):zero()                     -- 12000
      return torch.add(b, 1), a                                  -- 12000
    end)
    assert.same({ 1, 8000, 8000 }, { at(rows, first).allocations, at(rows, first).bytes, at(rows, first).live })
    assert.same({ 1, 20000, 0 }, { at(rows, first + 1).allocations, at(rows, first + 1).bytes, at(rows, first + 1).live })
    assert.same({ 12000, 0, 12000 }, { at(rows, first + 5).bytes, at(rows, first + 5).live, at(rows, first + 5).atPeak })
    assert.equal(8000 + 24000, rows.peak)
    assert.equal(0, at(rows, first + 1).atPeak)
    assert.equal(8000, rows.live)
    local leaks = rows:leaks()
    assert.equal(1, #leaks)
    assert.equal(at(rows, first).key, leaks[1].key)
    assert.matches('^line +allocations +bytes +at peak +live\n', tostring(leaks))
    assert.matches('\npeak 31.[23] KiB, live at the end 7.8 KiB$', tostring(leaks))
    assert.equal(1000, kept:nElement())
  end)

  it('follows storages that grow, and memory of other lines', function()
    local line
    local x = torch.DoubleTensor()
    local rows = profiler.memory(function()
      line = here() + 1
      x:resize(100):zero()
      x:resize(1000):zero()
      x:resize(10):zero()
    end)
    assert.same({ 1, 800, 0 }, { at(rows, line).allocations, at(rows, line).bytes, at(rows, line).live })
    assert.same({ 8000, 8000 }, { at(rows, line + 1).bytes, at(rows, line + 1).live })
    assert.is_nil(at(rows, line + 2))
    x = torch.DoubleTensor(50)                                   -- frees a block that a profile knew
    collectgarbage()
    collectgarbage()
    assert.equal(0, profiler.memory(function() x = nil end).live)
    assert.is_nil(x)
  end)

  it('counts the memory of ops, with temporaries', function()
    local x, y = torch.ones(300, 200):t(), torch.ones(200, 300)
    local p = profiler.profile(function() return torch.add(x, y) end, { memory = true })
    assert.equal(200 * 300 * 8, p:keyAverages()[1].bytes)
    assert.equal(p:keyAverages()[1].bytes, p:memoryBy().peak)
    assert.equal(0, profiler.profile(function() return torch.add(x, y) end):keyAverages()[1].bytes)
  end)

  it('counts it by module', function()
    local net = nn.Sequential():add(nn.Linear(100, 50)):add(nn.Tanh())
    net:evaluate()
    local x = torch.ones(20, 100)
    local p = profiler.profile(function() return net:forward(x) end, { memory = true, modules = { net = net } })
    local bytes = {}
    for _, row in ipairs(p:memoryBy 'module') do bytes[row.key] = row.bytes end
    assert.equal(20 * 50 * 8, bytes['net.2 (nn.Tanh)'])
    assert.is_true(bytes['net.1 (nn.Linear)'] >= 20 * 50 * 8)
    assert.error_matches(function() p:memoryBy 'colour' end, 'memoryBy: group: colour, expected line or module')
  end)

  it('does not change results, limits or later memory', function()
    local limit = torch.memoryLimit()
    collectgarbage()
    collectgarbage()
    local before = torch.memory().live
    local x = torch.randn(1000)
    local expected = torch.exp(x):totable()
    local made
    profiler.memory(function()
      made = torch.exp(x)
      assert.equal(limit, (torch.memoryLimit()))
    end)
    assert.same(expected, made:totable())
    made:resize(5000):zero():resize(2)
    local shared = made:storage()
    made = nil      -- luacheck: ignore
    assert.equal(5000, #shared)
    shared, x = nil, nil      -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.equal(before, torch.memory().live)
    assert.equal(limit, (torch.memoryLimit()))
  end)

  it('has the first of equal peaks', function()
    local of = require('torch.profiler.memory').by
    local columns = {
      origin = 0, texts = { 'a', 'b' }, labels = {},
      memory = { time = { 1, 2, 3 }, bytes = { 64, -64, 64 }, line = { 1, 1, 2 }, module = { 0, 0, 0 } },
    }
    local rows = of({ columns }, 'line')
    assert.equal(64, rows.peak)
    assert.same({ 'a', 64, 0, 'b', 0, 64 }, { rows[1].key, rows[1].atPeak, rows[1].live, rows[2].key, rows[2].atPeak, rows[2].live })
  end)

  it('passes errors on', function()
    assert.error_matches(function() profiler.memory(function() error 'oh no' end) end, 'oh no')
    assert.error_matches(function() profiler.memory(3) end, 'torch.profiler.memory: f: number, expected a function')
    assert.error_matches(function() profiler.memory(print, 3) end, 'torch.profiler.memory: options: 3, expected a table')
    assert.equal(0, #profiler.memory(function() end))
  end)
end)
