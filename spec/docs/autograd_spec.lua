-- The examples of docs/autograd.md print the output in their comments.
local torch = require 'torch'
local blocks = require 'spec.support.blocks'

local function numbersOf(text)
  local list = {}
  for number in text:gmatch '%-?[%d.]+' do list[#list + 1] = tonumber(number) end
  return list
end

local function flat(...)
  local list = {}
  for i = 1, select('#', ...) do
    local x = select(i, ...)
    if torch.isTensor(x) then
      for _, v in ipairs(x:contiguous():view(-1):totable()) do list[#list + 1] = v end
    else
      list[#list + 1] = x
    end
  end
  return list
end

describe('docs/autograd.md', function()
  local environment = setmetatable({}, { __index = _G })
  for _, block in ipairs(blocks.read 'docs/autograd.md') do
    it('prints what it says, line ' .. block.line, function()
      local expected, actual = {}, {}
      for comment in block.text:gmatch '%-%->([^\n]*)' do expected[#expected + 1] = numbersOf(comment) end
      local code = block.text:gsub('local autograd =', 'autograd ='):gsub('\nlocal ', '\n'):gsub('^local ', '')
      local run = assert(loadstring(code, '=docs/autograd.md'))
      environment.print = function(...) actual[#actual + 1] = flat(...) end
      setfenv(run, environment)()
      assert.same(expected, actual)
    end)
  end
end)
