-- Odd input that once gave a cryptic message or a malformed file.
local torch = require 'torch'

it('image.y2jet and signal.complex name the expected arguments in errors', function()
  local image, signal = require 'image', require 'signal'
  local mask = torch.ones(2, 2):bool()
  assert.error_matches(function() image.y2jet(mask) end, 'image.y2jet: src: a torch.BoolTensor, expected whole numbers')
  assert.error_matches(function() signal.complex(3) end, 'signal.complex: a call, expected one of its functions: signal.complex.angle')
  assert.equal(1, signal.complex.abs(torch.Tensor { { 0, 1 } })[1])
end)

it('a pool may be ended in an end callback', function()
  local pool = require 'threads'.Threads(1)
  pool:addjob(function() end, function() pool:terminate() end)
  pool:synchronize()
  pool:terminate()
end)

it('the text of a plot is UTF-8 for any bytes', function()
  local plot = require 'plot'
  local function title(text)
    plot.close()
    plot.title(text)
    return plot.svg():match 'font%-size="13"[^>]*>([^<]*)<'
  end
  local bad = '\239\191\189'      -- U+FFFD
  for text, expected in pairs {
    ['grüße € 😀'] = 'grüße € 😀', ['a\255b'] = 'a' .. bad .. 'b', ['\237\160\128'] = bad:rep(3), ['\192\128'] = bad:rep(2),
    ['\224\159\191'] = bad:rep(3), ['\240\143\191\191'] = bad:rep(4), ['\244\144\128\128'] = bad:rep(4), ['x\226\130'] = 'x' .. bad:rep(2),
    ['\239\191\191'] = bad:rep(3), ['\194\160\244\143\191\189'] = '\194\160\244\143\191\189', ['a\1\27b'] = 'ab',
  } do
    assert.equal(expected, title(text))
  end
end)
