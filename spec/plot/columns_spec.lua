-- Plots of columns of data frames: the same pictures as of their values, with the names as labels.
local torch = require 'torch'
local data = require 'data'
local plot = require 'plot'

local frame = data.Frame { x = { 1, 2, 4 }, y = { 3, 0 / 0, 5 }, z = { 1, 2, 1 }, word = { 'a', 'b', 'a' } }

local function drawn(draw)
  local figure = plot.figure()
  draw(figure:subplot())
  return figure:svg()
end

describe('axes', function()
  for _, name in ipairs { 'plot', 'scatter', 'bar', 'step', 'stem', 'errorbar' } do
    it('draw columns by ' .. name, function()
      local expected = drawn(function(axes) axes[name](axes, frame.x, frame.z, { label = 'l' }):xlabel 'x':ylabel 'z' end)
      assert.equal(expected, drawn(function(axes) axes[name](axes, frame, 'x', 'z', { label = 'l' }) end))
    end)
  end

  it('draw bars of names, histograms and bands', function()
    local typed = frame:cast { word = 'category' }
    assert.equal(drawn(function(axes) axes:barh({ 'a', 'b', 'a' }, frame.x):xlabel 'x':ylabel 'word' end),
      drawn(function(axes) axes:barh(typed, 'word', 'x') end))
    assert.equal(drawn(function(axes) axes:hist(torch.Tensor { 3, 5 }, { bins = 3 }) axes:xlabel 'y' end),
      drawn(function(axes) axes:hist(frame, 'y', { bins = 3 }) end))
    assert.equal(drawn(function(axes) axes:fillBetween(frame.x, frame.z, frame.x):xlabel 'x' end),
      drawn(function(axes) axes:fillBetween(frame, 'x', 'z', 'x') end))
    assert.equal(drawn(function(axes) axes:loglog(frame.x, frame.z):xlabel 'x':ylabel 'z' end),
      drawn(function(axes) axes:loglog(frame, 'x', 'z') end))
  end)

  it('keep their labels, and take formats', function()
    local expected = drawn(function(axes) axes:plot(frame.x, frame.z, 'r--o'):xlabel 'own':ylabel 'z' end)
    assert.equal(expected, drawn(function(axes) axes:xlabel 'own':plot(frame, 'x', 'z', 'r--o') end))
  end)

  it('name columns that a frame lacks', function()
    local axes = plot.figure():subplot()
    assert.error_matches(function() axes:scatter(frame, 'x', 'none') end, 'scatter: column: none, expected one of word, x, y, z')
    assert.error_matches(function() axes:scatter(frame, 'x') end, 'scatter: nil, expected the name of a column')
    assert.error_matches(function() plot.hist(frame, 3) end, 'hist: 3, expected the name of a column')
  end)
end)
