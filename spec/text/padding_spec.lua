-- Batches of sequences of several lengths.
local torch, text = require 'torch', require 'text'

describe('text.pad', function()
  local list = { torch.LongTensor { 5, 6, 7 }, torch.LongTensor { 8 }, torch.LongTensor() }

  it('fills rows up to the longest', function()
    local ids, mask = text.pad(list)
    assert.is_true(torch.equal(torch.LongTensor { { 5, 6, 7 }, { 8, 1, 1 }, { 1, 1, 1 } }, ids))
    assert.is_true(torch.equal(torch.ByteTensor { { 1, 1, 1 }, { 1, 0, 0 }, { 0, 0, 0 } }, mask))
  end)

  it('fills on the left, with a value, to a length', function()
    local ids, mask = text.pad(list, { side = 'left', value = 0, length = 2 })
    assert.is_true(torch.equal(torch.LongTensor { { 5, 6 }, { 0, 8 }, { 0, 0 } }, ids))
    assert.is_true(torch.equal(torch.ByteTensor { { 1, 1 }, { 0, 1 }, { 0, 0 } }, mask))
    assert.equal(8, text.pad(list, { multiple = 8 }):size(2))
  end)

  it('keeps the type', function()
    assert.equal('torch.FloatTensor', text.pad { torch.FloatTensor { 1.5 } }:type())
  end)

  it('refuses what is no list of vectors of one type', function()
    assert.error_matches(function() text.pad {} end, 'text%.pad: list: an empty list')
    assert.error_matches(function() text.pad { list[1], torch.FloatTensor(2) } end, 'list%[2%]: a torch.FloatTensor of 1 dimensions')
    assert.error_matches(function() text.pad { torch.LongTensor(2, 2) } end, 'of 2 dimensions, expected a vector')
    assert.error_matches(function() text.pad(list, { side = 'top' }) end, "side: 'top', expected one of 'left', 'right'")
  end)
end)
