-- A size, a position, a dimension or a count that is no whole number is refused, wherever one is taken: it was cut off once, silently.
local mistakes = require 'spec.support.mistakes'

describe('a fraction where a whole number was expected:', function()
  mistakes(it, {
    { 'torch.zeros(2.5)', 'zeros: sizes: 2.5 came, a whole number was expected' },
    { 'torch.zeros { 2, 2.5 }', 'zeros: sizes: 2.5 came, a whole number was expected' },
    { 'torch.Tensor(2, 2.5)', 'tensor: sizes: 2.5 came, a whole number was expected' },
    { 'torch.zeros(100 * 0.55)', 'zeros: sizes: 55.000000000000007 came, a whole number was expected' },
    { 'torch.Tensor(torch.ones(6):storage(), 1.5)', 'tensor: offset: 1.5 came, a whole number' },
    { 'torch.Tensor(torch.ones(6):storage(), 1, 1.5, 1)', 'tensor: sizes: 1.5 came, a whole number' },
    { 'torch.Tensor(torch.ones(6):storage(), 1, 2, 1.5)', 'tensor: strides: 1.5 came, a whole number' },
    { 'torch.ones(4):resize(1.5)', 'resize: sizes: 1.5 came, a whole number' },
    { 'torch.ones(4):view(2.5, 2)', 'view: sizes: 2.5 came, a whole number' },
    { 'torch.ones(3)[1.5]', 'index: key: 1.5 came, a whole number was expected' },
    { 'torch.ones(3):float()[1.5]', 'index: key: 1.5 came, a whole number was expected' },
    { 'torch.ones(3, 3)[1.5]', 'index: key: 1.5 came, a whole number' },
    { 'torch.ones(3, 3)[{ 1.5 }]', 'index: key: 1.5 came, a whole number' },
    { 'torch.ones(3, 3)[{ {}, { 1, 2.5 } }]', 'index: key: 2.5 came, a whole number' },
    { 'torch.ones(3, 3):requiresGrad()[{ 1.5 }]', 'index: key: 1.5 came, a whole number' },
    { 'local x = torch.ones(3) x[1.5] = 2', 'index: key: 1.5 came, a whole number' },
    { 'local x = torch.LongTensor(3) x[1.5] = 2', 'index: key: 1.5 came, a whole number' },
    { 'local x = torch.HalfTensor(3) x[1.5] = 2', 'index: key: 1.5 came, a whole number' },
    { 'torch.ones(3):narrow(1, 1.5, 1)', 'narrow: first: 1.5 came, a whole number was expected' },
    { 'torch.ones(3):narrow(1, 1, 1.5)', 'narrow: length: 1.5 came, a whole number' },
    { 'torch.ones(3, 3):select(1.5, 1)', 'select: dim: 1.5 came, a whole number' },
    { 'torch.ones(3):sub(1.5, 2)', '1.5 came, a whole number' },
    { 'torch.ones(3, 3):sum(1.5)', 'sum: dim: 1.5 came, a whole number' },
    { 'torch.ones(3, 3):size(1.5)', 'size: dim: 1.5 came, a whole number' },
    { 'torch.ones(3):split(1.5)', 'split: size: 1.5 came, a whole number' },
    { 'torch.ones(3):chunk(1.5)', 'chunk: n: 1.5 came, a whole number' },
    { 'torch.stack({ torch.ones(2) }, 1.5)', 'stack: dim: 1.5 came, a whole number' },
    { 'torch.randperm(2.5)', 'randperm: n: 2.5 came, a whole number' },
    { 'torch.LongStorage(1.5)', 'storage: size: 1.5 came, a whole number' },
    { 'torch.LongStorage(3):resize(1.5)', 'resize: size: 1.5 came, a whole number' },
    { 'torch.LongStorage { 1, 2 }[1.5]', 'storage: index: 1.5 came, a whole number' },
    { 'local s = torch.FloatStorage(2) s[1.5] = 1', 'storage: index: 1.5 came, a whole number' },
  })

  it('in a compiled loop', function()
    local torch = require 'torch'
    local x, places = torch.range(1, 10), {}
    for i = 1, 200 do places[i] = i % 10 + 1 end
    places[201] = 3.5
    local sum = 0
    assert.error_matches(function()
      for i = 1, #places do sum = sum + x[places[i]] end
    end, 'index: key: 3.5 came, a whole number was expected')
    assert.equal(20 * 55, sum)
  end)
end)

describe('what stays a whole number:', function()
  mistakes(it, {
    { "torch.ones(3)['2']", '1' },
    { 'torch.zeros(6 / 2):size(1)', '3' },
    { 'torch.random(1, 3 / 2)', '1' },           -- bounds are cut off, as in Torch7: random(1, n / 2) is common
    { 'torch.zeros(2):random(1.5, 1.5):sum()', '2' },
    { 'torch.LongTensor { 2.7 }[1]', '2' },      -- elements of integers are cut off, as in Torch7
  })
end)
