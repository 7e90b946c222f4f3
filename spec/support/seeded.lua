--- Seeds the random numbers of each test.
-- torch's default generator and math.random get a seed before a file, a `describe` or an `it` begins. The seed follows from the names of
-- the `it` and of all `describe` around it, so a test draws the same numbers alone, after other tests, and in any order.
-- MOONTORCH_SPEC_SEED, an integer, is added: a test that passes with one value and fails with another depends on chance.
local torch = require 'torch'

local offset = tonumber(os.getenv 'MOONTORCH_SPEC_SEED') or 0

local function hash(text)
  local h = 1
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 2147483647 end
  return h
end

--- Seeds before each element of an instance of busted's core. `before_each` and `setup` run after it.
-- The events of busted are not suitable: `test start` comes after `before_each`.
-- @param busted the instance; not yet initialised
return function(busted)
  local register = busted.register

  local function name(element)
    local words = {}
    while element and element.descriptor ~= 'file' do
      table.insert(words, 1, element.name)
      element = busted.context.parent(element)
    end
    return table.concat(words, ' ')
  end

  function busted.register(descriptor, executor, ...)
    if type(executor) == 'function' then
      local execute = executor
      function executor(element)
        local seed = hash(name(element)) + offset
        torch.manualSeed(seed)
        math.randomseed(seed)
        return execute(element)
      end
    end
    return register(descriptor, executor, ...)
  end
end
