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
