-- Fourier transforms along several dimensions, and of Hermitian signals: NumPy's figures (several_dims_figures.py), gradients.
local torch, signal, autograd = require 'torch', require 'signal', require 'autograd'
local figures = require 'spec.signal.several_dims_figures'
local assertClose = require('spec.support.close').within { rtol = 1e-12, atol = 1e-12 }

local x = (torch.remainder(torch.range(0, 23) * 7, 19) - 9):view(2, 3, 4) * 0.375
local z = x:view(2, 3, 2, 2)
local r = signal.rfftn(x)
local results = {
  fftn = { signal.fftn(z), signal.fftn(z, 2), signal.fftn(z, { -1, 1 }) }, ifftn = { signal.ifftn(z), signal.ifftn(z, { 1, 2 }) },
  rfftn = { r, signal.rfftn(x, { 3, 1 }), signal.rfftn(x[1][1]) },
  irfftn = { signal.irfftn(r), signal.irfftn(r, 3), signal.irfftn(r, 4, { 1, 2, 3 }) },
  hfft = { signal.hfft(z[1]:select(2, 1)), signal.hfft(z[1]:select(2, 1), 5), signal.hfft(z[1]:select(2, 1), 9) },
  ihfft = { signal.ihfft(x[1][1]), signal.ihfft(x[1]:select(2, 1)) },
}

describe('signal.', function()
  for name, list in pairs(figures) do
    it(name, function()
      for k, figure in ipairs(list) do
        assert.same(figure[1], results[name][k]:size():totable())
        assertClose(figure[2], results[name][k]:contiguous():view(-1):totable())
      end
    end)
  end
  it('fftn and the others carry gradients', function()
    assert(autograd.gradcheck(function(t) return signal.fftn(t, { 1, 2 }) end, { torch.randn(2, 3, 2) }))
    assert(autograd.gradcheck(signal.rfftn, { torch.randn(2, 3) }))
    assert(autograd.gradcheck(function(t) return signal.irfftn(t) end, { torch.randn(2, 3, 2) }))
    assert(autograd.gradcheck(function(t) return signal.hfft(t, 4) end, { torch.randn(3, 2) }))
    assert(autograd.gradcheck(signal.ihfft, { torch.randn(5) }))
  end)
  it('fftn and the others refuse other shapes and dimensions', function()
    assert.error_matches(function() signal.fftn(torch.ones(3)) end,
      'signal.fftn: x: %[3%], expected complex numbers, a last dimension of 2')
    assert.error_matches(function() signal.ifftn(torch.ones(3, 2), { 1, 1 }) end,
      'signal.ifftn: dims: 1, expected dimensions from 1 to 1, each once')
    assert.error_matches(function() signal.rfftn(torch.ones(3), 2) end, 'signal.rfftn: dims: 2, expected')
    assert.error_matches(function() signal.irfftn(torch.ones(3, 2), 4, {}) end, 'signal.irfftn: dims: none')
    assert.error_matches(function() signal.hfft(torch.ones(3)) end, 'signal.hfft: x: ')
  end)
end)
