-- Calls of every op with invalid and some valid arguments: a result, or a sentence that begins with the op's name.
-- spec/support/fuzz.lua describes how to repeat calls and how to run more of them.
local C = require 'libmoontorch'
local torch = require 'torch'
local fuzz = require 'spec.support.fuzz'
local composed = require 'torch.op'

local CALLS = fuzz.calls(130)     -- an op; half as functions, half as methods

-- The names with which an op's errors may begin: its own, that of a view that would leave its storage, or, of a composed op, any.
local function namesOf(name, info)
  if composed.find(name) then return nil end
  local names = { [name] = true, tensor = true, storage = true }
  for alias in (info.alias or ''):gmatch '%S+' do names[alias] = true end
  return names
end

-- Calls with tracked arguments, and backward passes from their results: every error is a sentence.
local function tracked(pick, name, info)
  local list = fuzz.arguments(pick, info)
  for i = 1, list.n do
    if torch.isTensor(list[i]) and list[i]:isFloatingPoint() and pick(3) > 1 then list[i]:requiresGrad() end
  end
  local good, y = fuzz.try('tracked torch.' .. name, torch[name], list)
  if good and torch.isTensor(y) and y:isTracked() and y:nElement() > 0 then
    fuzz.try('backward of ' .. name, function() torch.sum(y):backward() end, { n = 0 })
  end
end

describe('an op called with anything gives a result or a sentence:', function()
  local names = torch.ops()
  for position, name in ipairs(names) do
    it(name, function()
      local info = C.opInfo(name)
      local pick = fuzz.generator(position)
      local method, begins = torch.getmetatable('torch.DoubleTensor')[name], namesOf(name, info)
      for call = 1, CALLS do
        local list = fuzz.arguments(pick, info)
        if call % 8 == 0 then
          tracked(pick, name, info)
        elseif method and call % 2 == 0 then
          fuzz.try('x:' .. name, method, list, begins)
        else
          fuzz.try('torch.' .. name, torch[name], list, begins)
        end
      end
      collectgarbage()
      assert.is_true(torch.memory().live < 2 ^ 30, 'more than 1 GB is in use')
    end)
  end
end)
