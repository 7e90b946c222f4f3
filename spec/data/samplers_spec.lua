-- The limits of samplers: errors, and epochs of 0 and 1 samples.
local torch, data = require 'torch', require 'data'

describe('data.WeightedSampler', function()
  it('refuses weights that are all 0, that are negative, or that are no vector', function()
    for _, weights in ipairs { { 0, 0, 0 }, { 1, -1, 2 }, torch.ones(2, 2) } do
      assert.error_matches(function() data.WeightedSampler(weights) end,
        'data.WeightedSampler: weights: expected a vector of numbers that are not negative, and not all 0', 1, true)
    end
  end)
  it('takes weights of which some are 0', function() assert.equal(3, data.WeightedSampler({ 0, 0, 0.5 }):size()) end)
  it('draws without replacement at most the weights that are not 0', function()
    assert.error_matches(function() data.WeightedSampler({ 1, 0, 2 }, { replacement = false, count = 3 }) end,
      'data.WeightedSampler: count: 3, expected a whole number from 1 to 2')
    assert.error_matches(function() data.WeightedSampler({ 1, 0, 2 }, { count = 0 }) end, 'count: 0, expected a whole number, 1 or more')
    local order = data.WeightedSampler({ 1, 0, 2 }, { replacement = false, count = 2 }):order(torch.Generator())
    assert.same({ 1, 3 }, (torch.sort(order)):totable())
  end)
end)

it('data.RandomSampler draws without replacement at most all', function()
  assert.error_matches(function() data.RandomSampler(3, { count = 4 }) end,
    'data.RandomSampler: count: 4, expected a whole number from 0 to 3')
  assert.equal(4, data.RandomSampler(3, { count = 4, replacement = true }):size())
end)

describe('data.DistributedSampler', function()
  it('gives each process 1 sample, or none where samples are dropped', function()
    local function orders(size, replicas, dropLast)
      local list = {}
      for rank = 1, replicas do
        local sampler = data.DistributedSampler(size, { rank = rank, replicas = replicas, shuffle = false, dropLast = dropLast })
        list[rank] = sampler:order():totable()
        assert.equal(#list[rank], sampler:size())
      end
      return list
    end
    assert.same({ { 1 }, { 2 }, { 3 } }, orders(3, 3))
    assert.same({ {}, {}, {} }, orders(2, 3, true))
    assert.same({ { 1 }, { 2 }, { 1 } }, orders(2, 3))
  end)
end)
