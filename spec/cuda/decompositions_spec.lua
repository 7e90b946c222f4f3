-- Decompositions on an emulated GPU: faults of a matrix are detected on the device, and reported as on the CPU.
local torch = require 'torch'
local assertClose = require('spec.support.close').within(1e-12)


describe('decompositions on an emulated GPU:', function()
  local cuda = 'cuda:1'
  torch.loadDevice(require('spec.support.gpu').path)

  local function on_gpu(rows) return torch.DoubleTensor(rows):to(cuda) end
  local function fails(pattern, f, ...)
    local passed, problem = pcall(f, ...)
    assert.is_false(passed)
    assert.truthy(problem:find(pattern), problem)
  end

  local regular, singular = { { 2, 1 }, { 1, 3 } }, { { 1, 2 }, { 2, 4 } }

  it('the first matrix of a batch that can\'t be inverted is told of', function()
    local batch = torch.DoubleTensor { regular, singular, { { 0, 0 }, { 0, 0 } } }:to(cuda)
    fails('inverse: a: U%(2,2%) is 0', torch.inverse, batch)
    fails('solve: a: U%(2,2%) is zero', torch.solve, batch, torch.ones(2, 1):to(cuda))
    fails('gesv: a: U%(2,2%) is zero', torch.gesv, torch.ones(2, 1):to(cuda), batch)
    assertClose(torch.DoubleTensor { 5, 0, 0 }, torch.det(batch))
  end)
  it('a 0 on a triangle\'s diagonal is told of, and not where it counts as 1', function()
    local triangle, b = on_gpu { { 1, 2, 3 }, { 0, 0, 4 }, { 0, 0, 0 } }, on_gpu { { 1 }, { 2 }, { 3 } }
    fails('trtrs: a: A%(2,2%) is zero', torch.trtrs, b, triangle)
    fails('potri: factor: A%(2,2%) is 0', torch.potri, triangle)
    assertClose(torch.DoubleTensor { { 12 }, { -10 }, { 3 } }, (torch.trtrs(b, triangle, 'U', 'N', 'U')))
  end)
  it('a matrix that is not positive definite is told of, read by columns or by rows', function()
    local a = torch.DoubleTensor { { 4, 2, 0 }, { 2, 1, 0 }, { 0, 0, 1 } }
    for _, uplo in ipairs { 'U', 'L' } do
      fails('potrf: a: the leading minor of order 2', torch.potrf, a:to(cuda), uplo)
      fails('potrf: a: the leading minor of order 2', torch.potrf, a:t():contiguous():t():to(cuda), uplo)
    end
  end)
  it('only one half is read, by columns or by rows', function()
    local nan = 0 / 0
    local upper, lower = torch.DoubleTensor { { 4, 2 }, { nan, 5 } }, torch.DoubleTensor { { 4, nan }, { 2, 5 } }
    local by_columns = function(x) return x:t():contiguous():to(cuda):t() end
    for _, place in ipairs { function(x) return x:to(cuda) end, by_columns } do
      assertClose(torch.DoubleTensor { { 2, 1 }, { 0, 2 } }, torch.potrf(place(upper), 'U'))
      assertClose(torch.DoubleTensor { { 2, 0 }, { 1, 2 } }, torch.potrf(place(lower), 'L'))
    end
  end)
  it('NaN is refused before anything iterates', function()
    local x = on_gpu { { 1, 0 / 0 }, { 0 / 0, 1 } }
    fails('symeig: a: NaN or infinities', torch.symeig, x)
    fails('svd: a: NaN or infinities', torch.svd, x)
    fails('eig: a: NaN or infinities', torch.eig, x)
  end)
  it('a wide system has its shortest solution, and a rank that is not full is told of', function()
    local x = torch.gels(on_gpu { { 5 } }, on_gpu { { 3, 4 } })
    assertClose(torch.DoubleTensor { { 0.6 }, { 0.8 } }, x)
    fails('gels: a: diagonal element 2', torch.gels, on_gpu { { 1 }, { 1 } }, on_gpu { { 1, 0 }, { 0, 0 } })
  end)
  it('results of all are on the device, those of the host\'s kernels, too', function()
    local a = on_gpu { { 2, 0 }, { 0, 3 } }
    for _, results in ipairs { { torch.eig(a, 'V') }, { torch.pstrf(a) }, { torch.svd(a) }, { torch.qr(a) }, { torch.lu(a) } } do
      for _, result in ipairs(results) do assert.equal(cuda, result:device()) end
    end
    assertClose(torch.DoubleTensor { { 2, 0 }, { 3, 0 } }, (torch.eig(a)))
  end)
  it('matrices without elements have a basis, or a determinant of 1', function()
    local u, _, v = torch.svd(torch.DoubleTensor(3, 0):to(cuda), 'A')
    assertClose(torch.eye(3), u)
    assert.equal(0, v:nElement())
    assert.equal(1, torch.det(torch.DoubleTensor(0, 0):to(cuda)))
  end)
end)
