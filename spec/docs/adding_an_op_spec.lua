-- docs/adding-an-op.md: runs its composed op unchanged, and the sweeps for it.
local torch = require 'torch'
local along = require 'spec.reference.along'
local files = require 'spec.support.files'
local registry = require 'spec.support.registry'

local function document()
  local file = assert(io.open 'docs/adding-an-op.md')
  local text = file:read '*a'
  file:close()
  return text
end

-- The code of the block that is marked so.
local function block(mark)
  local code = document():match('\n```lua ' .. mark .. '\n(.-)\n```')
  return assert(loadstring(code, '=docs/adding-an-op.md, ' .. mark))
end

-- The names of the ops that each family's file spells out (macros make others).
local function declared()
  local families, listing = {}, assert(io.popen 'ls engine/ops')
  for file in listing:lines() do
    local family = file:match '^(.+)%-inl%.h$'
    if family then
      families[family] = {}
      for name in files.read('engine/ops/' .. file):gmatch '%.name = "(%w+)"' do table.insert(families[family], name) end
    end
  end
  listing:close()
  return families
end

describe('the page on adding an op', function()
  block 'composed' ()

  it('declares an op that can be used as it says', function()
    local shown
    local use = setfenv(block 'use', setmetatable({ torch = torch, print = function(y) shown = y end }, { __index = _G }))
    use()
    assert.is_true(math.abs(shown[1][1] - math.log(2)) < 1e-15)
    assert.equals(1000, shown[2][1])
  end)

  local op = registry.op 'logmeanexp'

  function op.reference(x, dim)
    return (along(x, dim, function(slice)
      local top, sum = math.max(unpack(slice)), 0
      for _, v in ipairs(slice) do sum = sum + math.exp(v - top) end
      return { top + math.log(sum / #slice) }
    end, 1))
  end
  -- (Errors of a composed op come from the ops inside, with their names: the sweeps dtype and errors check these.)
  op.types = { 'torch.DoubleTensor', 'torch.FloatTensor', 'torch.HalfTensor', 'torch.ByteTensor', 'torch.IntTensor', 'torch.LongTensor' }
  for _, name in ipairs { 'forward', 'layout', 'result', 'gradient', 'memory' } do
    it('declares an op that passes the sweep ' .. name, function()
      assert.same({}, require('torch.sweep.sweeps').find(name)(op))
    end)
  end

  it('shows softplus as it is', function()
    local text = document()
    for path, line in pairs {
      ['lua/autograd/rules/elementary.lua'] = text:match '\n(rules%.softplus[^\n]+)',
      ['spec/reference/elementary.lua'] = text:match '\n(reference%.softplus[^\n]+)',
    } do
      local file = assert(io.open(path))
      local source = file:read '*a'
      file:close()
      assert.truthy(source:find(line, 1, true), path .. ' has another line')
    end
  end)

  it('says where the truth of an op of C++ stands', function()
    for family, names in pairs(declared()) do
      for _, name in ipairs(names) do
        local truth = registry.op(name).reference
        if truth then
          assert.equal(truth, require('spec.reference.' .. family)[name], ('%s is not in spec/reference/%s.lua'):format(name, family))
        end
      end
    end
  end)

  it('names files that exist', function()
    for path in document():gmatch '`([%w_]+/[%w_/-]+%.%a+)`' do
      local file = io.open(path)
      assert.truthy(file, path)
      file:close()
    end
  end)
end)
