-- Modes of a call (noGrad, autocast, withDevice, ...) in coroutines that yield inside.
local torch = require 'torch'
local anomaly = require 'autograd.anomaly'

local recording = require 'libmoontorch'.gradMode

local heard
-- Each mode: how it is entered, and a function that returns whether it is on.
local modes = {
  noGrad = { function(f) return torch.noGrad(f) end, function() return not recording() end },
  autocast = { function(f) return torch.autocast('bfloat16', f) end, function() return torch.autocast.type() == 'bfloat16' end },
  withDevice = { function(f) return torch.withDevice('meta', f) end, function() return torch.getDefaultDevice() == 'meta' end },
  watch = {
    function(f) return anomaly.watch(function() heard = true end, true, f) end,
    function()
      heard = false
      torch.log(torch.Tensor { -1 }:requiresGrad())
      return heard
    end,
  },
}

for name, mode in pairs(modes) do
  local enter, isOn = mode[1], mode[2]
  describe(name, function()
    it('is off for whoever resumes a coroutine that yields in it, and on when it goes on', function()
      for _, make in ipairs {
        coroutine.wrap,
        function(f)
          local co = coroutine.create(f)
          return function(...) return select(2, assert(coroutine.resume(co, ...))) end
        end,
      } do
        local step = make(function()
          local seen = {}
          local results = { enter(function()
            seen[#seen + 1] = isOn()
            seen[#seen + 1] = coroutine.yield 'first'
            seen[#seen + 1] = isOn()
            seen[#seen + 1] = coroutine.yield 'second'
            seen[#seen + 1] = isOn()
            return 'done', 'indeed'
          end) }
          seen[#seen + 1] = isOn()
          return results, seen
        end)
        assert.equal('first', step())
        assert.is_false(isOn())
        assert.equal('second', step(1))
        assert.is_false(isOn())
        local results, seen = step(2)
        assert.is_false(isOn())
        assert.same({ 'done', 'indeed' }, results)
        assert.same({ true, 1, true, 2, true, false }, seen)
      end
    end)

    it('stays on for a coroutine that is resumed in it', function()
      local step = coroutine.wrap(function()
        for _ = 1, 3 do coroutine.yield(isOn()) end
      end)
      assert.is_false(step())
      enter(function()
        assert.is_true(step())
        assert.is_true(isOn())
      end)
      assert.is_false(step())
    end)

    it('ends with an error, and with a coroutine that nobody resumes', function()
      local step = coroutine.wrap(function()
        enter(function()
          coroutine.yield()
          error 'stop'
        end)
      end)
      step()
      assert.matches('stop', select(2, pcall(step)))
      assert.is_false(isOn())
      step = coroutine.wrap(function() enter(coroutine.yield) end)
      step()
      step = nil      -- luacheck: ignore 311
      collectgarbage()
      assert.is_false(isOn())
    end)
  end)
end

it('modes of coroutines inside each other are put back in any order', function()
  local function generator(mode)
    return coroutine.wrap(function()
      mode[1](function()
        for i = 1, 3 do coroutine.yield(i, mode[2]()) end
      end)
      return 0, mode[2]()
    end)
  end
  local names = { 'noGrad', 'autocast', 'withDevice' }
  local steps = {}
  for i, name in ipairs(names) do steps[i] = generator(modes[name]) end
  for _, order in ipairs { { 1, 2, 3 }, { 3, 1, 2 }, { 2, 3, 1 } } do
    torch.autocast('float16', function()
      for _, i in ipairs(order) do assert.is_true(select(2, steps[i]())) end
      assert.equal('float16', torch.autocast.type())
      assert.is_true(recording())
    end)
    for _, name in ipairs(names) do assert.is_false(modes[name][2]()) end
  end
  torch.noGrad(function()
    for i = 1, 3 do assert.equal(0, (steps[i]())) end
    assert.is_false(recording())
    assert.is_false(torch.autocast.type())
  end)
  assert.is_true(recording())
end)

it('what a coroutine sets for good outside of such a call stays', function()
  local step = coroutine.wrap(function()
    torch.setDefaultDevice 'meta'
    coroutine.yield()
  end)
  step()
  assert.equal('meta', torch.getDefaultDevice())
  torch.setDefaultDevice 'cpu'
end)

it('coroutine.wrap and coroutine.resume tell wrong arguments as Lua does', function()
  assert.error_matches(function() coroutine.wrap(1) end, "bad argument #1 to 'wrap' %(function expected, got number%)")
  assert.error_matches(function() coroutine.resume() end, "bad argument #1 to '[%w?]*' %(coroutine expected%)")
  local step = coroutine.wrap(function() end)
  step()
  assert.error_matches(step, 'cannot resume dead coroutine')
  step = coroutine.wrap(function() error 'stop' end)
  local line = debug.getinfo(1, 'l').currentline
  local _, message = pcall(function()
    local x = step()
    return x
  end)
  assert.matches(('regions_spec.lua:%d: .*regions_spec.lua:%d: stop'):format(line + 2, line - 1), message)
end)
