-- Undocumented behaviour on which programs from Torch7's time rely: small facts, each checked against Torch7.
local torch = require 'torch'

local kinds = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half', 'BFloat16' }

describe('select on a vector', function()
  it('is the element, whatever dimension is named', function()
    for _, kind in ipairs(kinds) do
      local x = torch[kind .. 'Tensor'](5):fill(0)
      x[3] = 1
      for dim = 1, 3 do assert.equal(x[3], x:select(dim, 3), kind) end
    end
    assert.equal(3, torch.range(1, 5):select(2, 3))
    assert.equal(6, torch.range(1, 9):resize(3, 3):select(1, 2):select(2, 3))
    assert.error_matches(function() torch.ones(2, 2):select(3, 1) end, 'dimension 3 out of range')
  end)

  it('passes its gradient to that element, and writes through it are followed', function()
    local x = torch.range(1, 4):requiresGrad()
    local y = x:select(2, 3) * x:select(1, 3)
    y:backward()
    assert.same({ 0, 0, 6, 0 }, x.grad:totable())
    local base = torch.ones(3):requiresGrad()
    local w = base * 2
    w:select(2, 1):fill(7)
    w:sum():backward()
    assert.same({ 0, 2, 2 }, base.grad:totable())
  end)
end)

describe('torch.bernoulli of a tensor', function()
  it('fills and returns it, with fair coins where nothing is said', function()
    for _, kind in ipairs { 'Byte', 'Int', 'Float', 'Double' } do
      local x = torch[kind .. 'Tensor'](2000):fill(9)
      torch.manualSeed(4)
      assert.is_true(rawequal(x, torch.bernoulli(x)), kind)
      local ones = x:eq(1):sum()
      assert.equal(2000, ones + x:eq(0):sum())
      assert.is_true(ones > 900 and ones < 1100, kind)      -- 100 is 4.5 standard deviations
      torch.manualSeed(4)
      assert.same(x:totable(), torch[kind .. 'Tensor'](2000):bernoulli():totable())
    end
  end)

  it('takes a generator and probabilities', function()
    local x = torch.Tensor(3)
    assert.same({ 0, 1, 1 }, torch.bernoulli(x, torch.FloatTensor { 0, 1, 1 }):totable())
    assert.same({ 1, 1, 1 }, torch.bernoulli(x, torch.Generator(), 1):totable())
    assert.equal(1, torch.bernoulli(1))
    assert.equal(0, torch.bernoulli(torch.Generator(), 0))
  end)
end)

describe('prod along a dimension', function()
  it('multiplies strictly in order, each product rounded to the element type', function()
    local shapes = { { 7, 33 }, { 40, 9 }, { 3, 33000 }, { 5, 6, 7 }, { 2, 17, 18, 3 }, { 41 } }
    for _, kind in ipairs { 'Float', 'Double' } do
      for _, sizes in ipairs(shapes) do
        local whole = torch.rand(torch.LongStorage(sizes)):add(0.5):type('torch.' .. kind .. 'Tensor')
        local layouts = { whole }
        if #sizes > 1 then layouts[2] = whole:transpose(1, #sizes) end
        for _, y in ipairs(layouts) do
          for d = 1, y:dim() do
            local expected = y:narrow(d, 1, 1):clone():fill(1)
            for j = 1, y:size(d) do expected:cmul(y:narrow(d, j, 1)) end
            assert.is_true(torch.equal(expected, y:prod(d)), kind .. ' ' .. table.concat(sizes, 'x') .. ' along ' .. d)
          end
        end
      end
    end
  end)
end)

describe('torch.deserializeFromStorage', function()
  it('takes a CharTensor, also a view', function()
    local data = { 1, 'two', torch.ones(3) }
    for _, mode in ipairs { 'binary', 'ascii' } do
      local storage = torch.serializeToStorage(data, mode)
      local n = #storage
      local wide = torch.CharTensor(n + 9):fill(0)
      wide:narrow(1, 5, n):copy(torch.CharTensor(storage))
      local spread = torch.CharTensor(n, 2):fill(0)
      spread:select(2, 1):copy(torch.CharTensor(storage))
      for _, x in ipairs { torch.CharTensor(storage), wide:narrow(1, 5, n), spread:select(2, 1) } do
        local back = torch.deserializeFromStorage(x, mode)
        assert.same({ 1, 'two' }, { back[1], back[2] })
        assert.same({ 1, 1, 1 }, back[3]:totable())
      end
    end
    local function wrong() torch.deserializeFromStorage(torch.ByteTensor(3)) end
    assert.error_matches(wrong, 'torch.ByteTensor, expected a torch.CharStorage or torch.CharTensor')
  end)
end)

describe('shared memory', function()
  it('goes with its storage', function()
    local name = 'moontorch-spec-' .. os.tmpname():match '[^/_]*$'
    local place = '/dev/shm/' .. name
    local s = torch.FloatStorage(name, true, 100, true)
    s:fill(3)
    local file = torch.DiskFile(place):binary()
    assert.same({ 3, 3 }, { file:readFloat(), file:readFloat() })
    assert.equal(401, file:seekEnd():position())
    file:close()
    local view = torch.FloatTensor(s, 5, 2)
    s = nil      -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_true(require('paths').filep(place))
    assert.same({ 3, 3 }, view:totable())
    view = nil      -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_false(require('paths').filep(place))
  end)
end)
