-- Tables of more tensors than a formula's program has room for.
local torch, nn = require 'torch', require 'nn'
local assertClose = require('spec.support.close').assertClose

describe('A table of forty tensors', function()
  local input = {}
  for i = 1, 40 do input[i] = torch.DoubleTensor(2, 3):fill(1 + i / 40) end

  it('is added up', function()
    local net, sum = nn.CAddTable():double(), 0
    for i = 1, 40 do sum = sum + 1 + i / 40 end
    assertClose(torch.DoubleTensor(2, 3):fill(sum), net:forward(input), 1e-12)
    local gradInput = net:backward(input, input[7])
    assert.equal(40, #gradInput)
    for i = 1, 40 do assertClose(input[7], gradInput[i]) end
    gradInput[1]:zero()
    assertClose(input[7], gradInput[2])
  end)

  it('is multiplied', function()
    local net, product = nn.CMulTable():double(), 1
    for i = 1, 40 do product = product * (1 + i / 40) end
    assertClose(torch.DoubleTensor(2, 3):fill(product), net:forward(input), product * 1e-12)
    local gradInput = net:backward(input, torch.DoubleTensor(2, 3):fill(1))
    for i = 1, 40 do assertClose(torch.DoubleTensor(2, 3):fill(product / (1 + i / 40)), gradInput[i], product * 1e-12) end
  end)
end)
