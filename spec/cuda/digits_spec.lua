-- examples/digits.lua on an emulated GPU: a few steps lead to the CPU's loss.
if not require 'spec.support.with_cuda' then return end
local program = require 'spec.support.program'

local saved = os.tmpname()

local function lossOn(device, ...)
  local output, status, errors = program.run({ 'examples/digits.lua', '--device', device, '--epochs', '1', '--save', saved, ... }, '',
    'MOONTORCH_CUDA=' .. require('spec.support.gpu').wish)
  assert.equal('', errors)
  assert.equal(0, status)
  return tonumber(output:match 'epoch 1  loss ([%d.]+)')
end

describe('examples/digits.lua --device cuda', function()
  teardown(function() os.remove(saved) end)

  for _, style in ipairs { 'tape', 'legacy' } do
    it('comes to the CPU’s loss in ten steps, in the style ' .. style, function()
      local options = { '--model', 'mlp', '--style', style, '--pictures', '320' }
      assert.near(lossOn('cpu', unpack(options)), lossOn('cuda', unpack(options)), 1e-3)
    end)
  end

  it('comes to the CPU’s loss in two steps of the convolutional network', function()
    assert.near(lossOn('cpu', '--pictures', '16', '--batch', '8'), lossOn('cuda', '--pictures', '16', '--batch', '8'), 1e-3)
  end)

  it('refuses other devices', function()
    local _, status, errors = program.run({ 'examples/digits.lua', '--device', 'moon' }, '')
    assert.equal(2, status)
    assert.matches('%-%-device: moon, expected cpu or cuda', errors)
  end)
end)
