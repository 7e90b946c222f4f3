-- docs/adding-an-optimiser.md: declares and uses its algorithm unchanged, and compares it with its rule in plain numbers.
local torch = require 'torch'
local blocks = require 'spec.support.blocks'

local path = 'docs/adding-an-optimiser.md'

local function run(mark, environment) return blocks.run(path, mark, environment) end

local function sign(v) return v > 0 and 1 or v < 0 and -1 or 0 end

describe('the page on adding an optimiser', function()
  local lion = run 'optimiser'

  it('prints what it says', function()
    local shown = {}
    run('use', { lion = lion, torch = torch, print = function(...) shown[#shown + 1] = { ... } end })
    assert.same({ 0.25, -1.25 }, shown[1][1]:totable())
    assert.equal(3, shown[2][1])
    assert.equal('optim.lion: config: lr, expected learningRate', (shown[3][2]:gsub('^.*(optim%.lion)', '%1')))
  end)

  it('declares the rule of its source', function()
    local start, config = { 1, -2, 0.5, 3 }, { learningRate = 0.03, beta1 = 0.8, beta2 = 0.6, weightDecay = 0.5 }
    local x, m = { unpack(start) }, { 0, 0, 0, 0 }
    for _ = 1, 30 do
      for i = 1, 4 do
        local g = i * x[i]
        x[i] = x[i] - 0.03 * (sign(0.8 * m[i] + 0.2 * g) + 0.5 * x[i])
        m[i] = 0.6 * m[i] + 0.4 * g
      end
    end
    local scale = torch.range(1, 4)
    local flat, list = torch.DoubleTensor(start), { torch.DoubleTensor { 1, -2 }, torch.DoubleTensor { 0.5, 3 } }
    local listConfig = { learningRate = 0.03, beta1 = 0.8, beta2 = 0.6, weightDecay = 0.5 }
    for _ = 1, 30 do
      lion(function(at) return 0, torch.cmul(at, scale) end, flat, config)
      lion(function(at)
        return 0, { torch.cmul(at[1], scale:narrow(1, 1, 2)), torch.cmul(at[2], scale:narrow(1, 3, 2)) }
      end, list, listConfig)
    end
    for i = 1, 4 do
      assert.is_true(math.abs(flat[i] - x[i]) < 1e-12, ('%d: %.17g, expected %.17g'):format(i, flat[i], x[i]))
      assert.equal(flat[i], list[i > 2 and 2 or 1][i > 2 and i - 2 or i])
    end
  end)

  it('names files that exist', function()
    for name in blocks.text(path):gmatch '`([%w_]+/[%w_/-]+%.%a+)`' do
      local file = io.open(name)
      assert.truthy(file, name)
      file:close()
    end
  end)
end)
