-- Arguments that don't fit together, or are out of range: convolutions, criteria, embeddings, CTC, losses.
local torch, nn = require 'torch', require 'nn'
local F = nn.functional
local raises = assert.error_matches

for dims = 1, 3 do
  for _, family in ipairs { 'Conv', 'ConvTranspose' } do
    it(('nn.%s%dd refuses groups that do not divide both numbers of channels'):format(family, dims), function()
      local name = ('%s%dd'):format(family, dims)
      raises(function() nn[name](3, 4, 2, { groups = 2 }) end, 'nn%.' .. name .. ': inChannels: 3, expected a multiple of the 2 groups')
      raises(function() nn[name](4, 3, 2, { groups = 2 }) end, 'nn%.' .. name .. ': outChannels: 3, expected a multiple of the 2 groups')
    end)
  end
end

for _, name in ipairs { 'MSELoss', 'L1Loss', 'HuberLoss' } do
  it(('nn.%s has no weight, which only the function has'):format(name), function()
    raises(function() nn[name] { weight = torch.ones(2) } end, 'nn%.' .. name .. ': options: weight, expected one of [%w, ]*reduction')
  end)
end

it('nn.functional.embedding leaves rows of at most maxNorm as they are', function()
  local weight = torch.Tensor { { 0.6, 0.8 }, { 1.8, 2.4 }, { 1.2, 1.6 }, { 6, 8 } }      -- norms 1, 3, 2, 10
  local y = F.embedding(torch.LongTensor { 1, 2, 3 }, weight, { maxNorm = 2 })
  assert.same({ { 0.6, 0.8 }, { 1.2, 1.6 }, { 6, 8 } }, { y[1]:totable(), y[3]:totable(), weight[4]:totable() })
  assert.is_true(math.abs(y[2]:norm() - 2) < 1e-6)
  assert.same(y:totable(), weight:narrow(1, 1, 3):totable())
end)

it('nn.functional.ctcLoss refuses a blank behind the classes', function()
  local logp = torch.logsoftmax(torch.zeros(2, 1, 3), 3)
  local function loss(blank) return F.ctcLoss(logp, torch.LongTensor { { 1 } }, { 2 }, { 1 }, blank) end
  raises(function() loss(4) end, 'nn%.functional%.ctcLoss: blank: 4, expected a class from 1 to 3')
  -- Of the 9 paths of two steps, 3 give the label: label label, label blank, blank label.
  assert.is_true(math.abs(loss(3) - math.log(3)) < 1e-12)
end)

it('nn.functional.embeddingBag refuses offsets that do not begin at 1', function()
  local rows = torch.LongTensor { 1, 2, 2 }
  local function bags(...) return F.embeddingBag(rows, torch.ones(2, 3), torch.LongTensor { ... }, { mode = 'sum' }) end
  raises(function() bags(2, 3) end, 'nn%.functional%.embeddingBag: offsets: 2 at place 1, expected a position from 1 to 1')
  raises(function() bags(1, 5) end, 'offsets: 5 at place 2, expected a position from 1 to 4')
  assert.same({ { 1, 1, 1 }, { 2, 2, 2 } }, bags(1, 2):totable())
end)

it('nn.functional.nllLoss refuses classes out of range', function()
  for class, name in pairs { [0] = '0', [3] = '3' } do
    raises(function() F.nllLoss(torch.zeros(1, 2), torch.LongTensor { class }, { reduction = 'none' }) end,
      'nn%.functional%.nllLoss: target: ' .. name .. ', expected a class from 1 to 2')
  end
end)

it('nn.functional.gaussianNllLoss refuses negative variances', function()
  local x = torch.zeros(2)
  raises(function() F.gaussianNllLoss(x, x, torch.Tensor { 1, -0.5 }) end,
    'nn%.functional%.gaussianNllLoss: var: %-0%.5, expected variances of 0 or more')
end)

it('The number of parameters stays when they become parts of one memory', function()
  local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Linear(2, 4))
  local count = net:numParameters()
  net:getParameters()
  assert.equal(3 * 2 + 2 + 2 * 4 + 4, count)
  assert.equal(count, (net:numParameters()))
end)
