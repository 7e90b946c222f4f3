-- Composed ops are read when they are first asked for, by the list in lua/torch/composed.lua.
local torch = require 'torch'
local composed = require 'torch.composed'
local op = require 'torch.op'

describe('the list of composed ops', function()
  it('names what each file declares', function()
    local listed = {}
    for module, names in composed.each() do
      for name in names:gmatch '%S+' do
        assert.is_nil(op.find(name), name .. ' is declared before its file is read')
        listed[name] = true
      end
      require(module)
      for name in names:gmatch '%S+' do assert.is_table(op.find(name), ('%s does not declare %s'):format(module, name)) end
    end
    for _, name in ipairs(torch.ops()) do
      if op.find(name) then assert.is_true(listed[name], name .. ' is not in the list') end
    end
  end)

  it('has every file of lua/torch/ops', function()
    local listed = {}
    for module in composed.each() do listed[module] = true end
    local listing = assert(io.popen 'ls lua/torch/ops')
    for file in listing:lines() do assert.is_true(listed['torch.ops.' .. file:match '^(.+)%.lua$'], file .. ' is not in the list') end
    listing:close()
  end)
end)

describe('the error of a composed op', function()
  op.declare { name = 'composedSpecInner', signature = '[res] x:tensor', doc = 'fails', samples = '{randn(3)}',
    forward = function(x) return torch.narrow(x, 1, 1, 100) end }
  op.declare { name = 'composedSpecOuter', signature = '[res] x:tensor', doc = 'fails', samples = '{randn(3)}',
    forward = function(x) return torch.composedSpecInner(x) end }

  it('names the op that was called, and the line of the call, though ops inside it call each other', function()
    for _, name in ipairs { 'composedSpecInner', 'composedSpecOuter' } do
      local line = debug.getinfo(1, 'l').currentline + 1
      local _, message = pcall(function() local y = torch[name](torch.ones(3)) return y end)
      assert.matches(('composed_spec%%.lua:%d: %s: '):format(line, name), message)
      assert.is_nil(message:find('%.lua:', message:find('.lua:', 1, true) + 1), message)
    end
  end)
end)
