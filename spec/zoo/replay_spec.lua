-- A memory of events: what stays, what is drawn, errors.
local torch, zoo = require 'torch', require 'zoo'
local assertClose = require('spec.support.close').assertClose

local function rows(first, last)
  local x = torch.range(first, last)
  return { state = torch.stack({ x, x * 10 }, 2), action = x:long() }
end

describe('zoo.replay', function()
  it('keeps the newest rows, whatever the sizes of the parts', function()
    for _ = 1, 30 do
      local memory, last = zoo.replay(7), 0
      for _ = 1, torch.random(6) do
        local count = torch.random(7)
        memory:add(rows(last + 1, last + count))
        last = last + count
      end
      assert.equal(math.min(last, 7), memory.count)
      local kept = memory.fields.action:narrow(1, 1, memory.count):sort()
      assert.same(torch.range(last - memory.count + 1, last):totable(), kept:totable())
      local batch = memory:sample(50)
      assert.same({ 50, 2 }, batch.state:size():totable())
      assertClose(batch.action:double(), batch.state:select(2, 1), 0)
      assertClose(batch.action:double() * 10, batch.state:select(2, 2), 0)
    end
  end)

  it('draws all rows with the same probability, and copies', function()
    local memory, source = zoo.replay(10), rows(1, 4)
    memory:add(source)
    source.state:zero()
    local counts = torch.zeros(4)
    for _, action in ipairs(memory:sample(8000).action:totable()) do counts[action] = counts[action] + 1 end
    assertClose(torch.Tensor(4):fill(0.25), counts / 8000, { atol = 0.025 })
    assert.equal(10, memory.fields.state[1][2])
    assert.equal('zoo.Replay(4 of 10 rows)', tostring(memory))
  end)

  it('says what is wrong with a call, and changes nothing', function()
    local memory = zoo.replay(5):add(rows(1, 2))
    for _, case in ipairs {
      { { state = torch.ones(2, 2) }, 'no action, expected the fields of the first call' },
      { { state = torch.ones(2, 2), action = torch.LongTensor { 1, 2 }, other = torch.ones(2) }, 'other, expected the fields' },
      { { state = torch.ones(2, 3), action = torch.LongTensor { 1, 2 } }, 'state: a torch.DoubleTensor of 2 x 3, expected' },
      { { state = torch.ones(2, 2), action = torch.LongTensor { 1, 2, 3 } }, 'expected %d rows of the sizes' },
      { { state = torch.ones(2, 2), action = torch.ones(2) }, 'action: a torch.DoubleTensor of 2, expected' },
      { rows(1, 6), '6 rows, expected 1 to 5' }, { {}, 'expected the fields of the first call' }, { 3, 'fields: 3, expected a table' },
      { { state = 3, action = 4 }, 'expected a tensor' },
    } do
      assert.error_matches(function() memory:add(case[1]) end, case[2])
    end
    assert.equal(2, memory.count)
    assert.error_matches(function() zoo.replay(0) end, 'zoo.replay: capacity: 0, expected')
    assert.error_matches(function() zoo.replay(3):sample(1) end, 'sample: no rows, expected some from add')
    assert.error_matches(function() memory:sample(0) end, 'count: 0, expected')
  end)
end)
