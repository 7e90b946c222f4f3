-- Matrices with a structure: SciPy's figures, batches, derivatives, errors.
local torch = require 'torch'
local gradcheck = require('autograd').gradcheck
local figures = require 'spec.torch.linalg.figures'
local assertClose = require('spec.support.close').assertClose

local linalg = torch.linalg
local input = {}
for name, rows in pairs(figures.inputs) do input[name] = torch.DoubleTensor(rows) end
local c, r = input.c, input.r
local function first(x, n) return torch.narrow(x, 1, 1, n) end

-- name of a figure -> a call; a list for lists
local kinds = { 'symmetric', 'lower', 'upper' }
local function each(name)
  local list = {}
  for i, kind in ipairs(kinds) do list[i] = linalg[name](5, kind) end
  return torch.stack(list, 1)
end
local calls = {
  toeplitz = function() return torch.stack({ linalg.toeplitz(first(c, 3)), linalg.toeplitz(first(c, 3), first(r, 3)) }, 1) end,
  ['toeplitz wide'] = function() return linalg.toeplitz(first(c, 2), first(r, 4)) end,
  circulant = function() return linalg.circulant(c) end,
  hankel = function() return torch.stack({ linalg.hankel(first(c, 3)), linalg.hankel(first(c, 3), first(r, 3)) }, 1) end,
  ['hankel wide'] = function() return linalg.hankel(first(c, 2), first(r, 4)) end,
  ['convolutionMatrix full'] = function() return linalg.convolutionMatrix(first(c, 3), 4) end,
  ['convolutionMatrix same'] = function() return linalg.convolutionMatrix(first(c, 3), 4, 'same') end,
  ['convolutionMatrix valid'] = function() return linalg.convolutionMatrix(first(c, 3), 4, 'valid') end,
  ['convolutionMatrix long'] = function() return linalg.convolutionMatrix(first(c, 5), 2, 'same') end,
  companion = function() return linalg.companion(c) end,
  fiedlerCompanion = function() return torch.unsqueeze(linalg.fiedlerCompanion(c), 1) end,
  ['fiedlerCompanion even'] = function() return linalg.fiedlerCompanion(first(c, 5)) end,
  leslie = function() return linalg.leslie(c, first(r, 5)) end,
  fiedler = function() return linalg.fiedler(c) end,
  khatriRao = function() return linalg.khatriRao(input.sides, input.control) end,
  diagsvd = function() return linalg.diagsvd(first(c, 2), 2, 3) end,
  vander = function() return linalg.vander(c, 4) end,
  hilbert = function() return linalg.hilbert(5) end, invhilbert = function() return linalg.invhilbert(9) end,
  pascal = function() return each 'pascal' end, invpascal = function() return each 'invpascal' end,
  hadamard = function() return linalg.hadamard(8) end, helmert = function() return linalg.helmert(5) end,
  ['helmert full'] = function() return linalg.helmert(5, true) end,
}

describe("torch.linalg has SciPy's matrices:", function()
  for name, figure in pairs(figures.matrices) do
    it(name, function() assertClose(torch.DoubleTensor(figure), calls[name](), { rtol = 1e-13, atol = 1e-13 }) end)
  end
end)

describe('matrices with a structure', function()
  it('of a batch are those of its vectors, and have derivatives', function()
    local x, y = torch.randn(2, 4):double(), torch.randn(2, 4):double()
    local cases = {
      toeplitz = { x, y }, circulant = { x }, hankel = { x, y }, companion = { x }, fiedlerCompanion = { x }, fiedler = { x },
      leslie = { x, torch.narrow(y, 2, 1, 3) }, vander = { x },
    }
    for name, arguments in pairs(cases) do
      local whole = linalg[name](unpack(arguments))
      local tracked = {}
      for i = 1, 2 do
        local own = {}
        for k, a in ipairs(arguments) do own[k], tracked[k] = a[i], a:clone():requiresGrad() end
        assertClose(linalg[name](unpack(own)), whole[i], 1e-14, name)
      end
      assert.is_true(gradcheck(linalg[name], tracked), name)
    end
  end)

  it('are what their names promise', function()
    assertClose(torch.eye(8):mul(8), linalg.hadamard(8) * linalg.hadamard(8):t())
    assertClose(torch.eye(6), linalg.helmert(6, true) * linalg.helmert(6, true):t(), 1e-14)
    assertClose(torch.eye(5), linalg.hilbert(5) * linalg.invhilbert(5), 1e-9)
    assertClose(linalg.pascal(6), linalg.pascal(6, 'lower') * linalg.pascal(6, 'upper'))
    local roots = torch.sort(torch.eig(linalg.companion(torch.DoubleTensor { 2, -12, 22, -12 })):select(2, 1):clone())
    assertClose(torch.DoubleTensor { 1, 2, 3 }, roots, 1e-12)
    local x, y = torch.randn(3):double(), torch.randn(5):double()
    assertClose(torch.conv2(x:view(1, 3), y:view(1, 5), 'F'):view(7), linalg.convolutionMatrix(x, 5) * y, 1e-14)
  end)

  it('refuse other arguments in words', function()
    local function fails(message, name, ...)
      local arguments = { ... }
      assert.error_matches(function() linalg[name](unpack(arguments)) end, message)
    end
    fails('toeplitz: c: nil, expected a tensor', 'toeplitz')
    fails('toeplitz: c: 0 elements, expected at least 1', 'toeplitz', torch.zeros(0))
    fails('companion: a: the first coefficient is 0', 'companion', torch.Tensor { 0, 1 })
    fails('fiedlerCompanion: a: the first coefficient is 0', 'fiedlerCompanion', torch.Tensor { 0, 1 })
    fails('leslie: s: 3 elements, expected 2', 'leslie', torch.ones(3), torch.ones(3))
    fails('khatriRao: b: %[2, 2%], expected any number of rows and 3 columns', 'khatriRao', torch.ones(2, 3), torch.ones(2, 2))
    fails('diagsvd: s: 2 elements, expected min%(m, n%): 3', 'diagsvd', torch.ones(2), 3, 3)
    fails('hadamard: n: 6, expected a power of 2', 'hadamard', 6)
    fails("pascal: kind: 'left', expected", 'pascal', 3, 'left')
    fails('hilbert: n: 0, expected a whole number from 1', 'hilbert', 0)
    fails('vander: n: 1e%+300, expected a whole number from 1 to 32768', 'vander', torch.ones(3), 1e300)
    fails('dft: n: 1000000000, expected a whole number from 1 to 32768', 'dft', 1e9)
    assert.error_matches(function() torch.vander(torch.ones(3), 1e9) end, 'vander: n: 1000000000, expected a whole number from 0 to 32768')
    fails('convolutionMatrix: n: nil, expected a whole number', 'convolutionMatrix', torch.ones(3))
  end)
end)
