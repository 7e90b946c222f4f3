--- Complex forms of matrices: Schur's from the real one, real forms of complex eigenvalues, and the matrix of the Fourier transform.
-- @module torch.linalg.complex_forms
local torch = require 'torch'
local check = require 'torch.check'
local matrix = require 'torch.linalg.matrix'

local forms = {}

local function asComplex(x) return x:isComplex() and x:clone() or torch.complex(torch.to(x, 'torch.DoubleTensor'), 0) end

--- The complex Schur form of the real one: a = z t z' with an upper triangular t and a unitary z. Rotations of two rows and columns, as in
-- G. Golub & C. Van Loan, "Matrix Computations".
-- @tparam torch.Tensor t (n, n), the real Schur form, of `torch.schur`
-- @tparam torch.Tensor z (n, n)
-- @treturn torch.ComplexDoubleTensor t
-- @treturn torch.ComplexDoubleTensor z
function forms.rsf2csf(t, z)
  t = matrix.square('rsf2csf', 't', t)
  z = matrix.square('rsf2csf', 'z', z, t:size(-1))
  if t:dim() ~= 2 or z:dim() ~= 2 then matrix.refuse('rsf2csf', 't', 'a batch, expected a matrix') end
  t, z = asComplex(t:detach()), asComplex(z:detach())
  local n = t:size(1)
  for m = n, 2, -1 do
    local a, b, c, d = t[m - 1][m - 1], t[m - 1][m], t[m][m - 1], t[m][m]
    if c.re ~= 0 or c.im ~= 0 then
      -- An eigenvalue of the block, less its last element, and the rotation that moves it to the top.
      local half = (a - d) / 2
      local square = half * half + b * c
      local root = torch.sqrt(torch.complex(torch.DoubleTensor { square.re }, torch.DoubleTensor { square.im }))[1]
      local mu = half + root
      local length = math.sqrt(mu.re ^ 2 + mu.im ^ 2 + c.re ^ 2 + c.im ^ 2)
      local cosine, sine = mu / length, c / length
      local rotation = torch.complex(torch.DoubleTensor { { cosine.re, sine.re }, { -sine.re, cosine.re } },
        torch.DoubleTensor { { -cosine.im, -sine.im }, { -sine.im, cosine.im } })
      local turned = torch.conj(rotation:t():contiguous())
      local rows = t:narrow(1, m - 1, 2):narrow(2, m - 1, n - m + 2)
      rows:copy(torch.mm(rotation, rows:contiguous()))
      local columns = t:narrow(1, 1, m):narrow(2, m - 1, 2)
      columns:copy(torch.mm(columns:contiguous(), turned))
      local own = z:narrow(2, m - 1, 2)
      own:copy(torch.mm(own:contiguous(), turned))
    end
    t[m][m - 1] = 0
  end
  return t, z
end

--- Real forms of complex eigenvalues and eigenvectors of a real matrix: v diag(w) v^-1 = x b x^-1, where b has a block of two rows for each
-- pair of conjugates.
-- @tparam torch.Tensor w (n) complex, pairs side by side
-- @tparam torch.Tensor v (n, n) complex, eigenvectors as columns
-- @treturn torch.Tensor b (n, n)
-- @treturn torch.Tensor x (n, n)
-- @raise if an eigenvalue that is not real has no conjugate after it
function forms.cdf2rdf(w, v)
  check.tensor('cdf2rdf', 'w', w)
  check.tensor('cdf2rdf', 'v', v)
  local n = w:nElement()
  if w:dim() ~= 1 or v:dim() ~= 2 or v:size(1) ~= n or v:size(2) ~= n then
    matrix.refuse('cdf2rdf', 'v', '%s, expected [%d, %d]', require('torch.check.message').sizes(v), n, n)
  end
  w, v = asComplex(w:detach()), asComplex(v:detach())
  local b, x, re, im = torch.DoubleTensor(n, n):zero(), torch.DoubleTensor(n, n), torch.real(v), torch.imag(v)
  local i = 1
  while i <= n do
    local value = w[i]
    b[i][i] = value.re
    x:select(2, i):copy(re:select(2, i))
    if value.im ~= 0 then
      if i == n or math.abs(w[i + 1].im + value.im) > 1e-10 * math.abs(value.im) then
        matrix.refuse('cdf2rdf', 'w', 'element %d without its conjugate after it, expected pairs', i)
      end
      b[i][i + 1], b[i + 1][i], b[i + 1][i + 1] = value.im, -value.im, value.re
      x:select(2, i + 1):copy(im:select(2, i))
      i = i + 1
    end
    i = i + 1
  end
  return b, x
end

--- The matrix of the discrete Fourier transform: its product with a vector is `torch.fft.fft` of it.
-- @int n at most 32768
-- @string[opt] scale 'sqrtn' divides by the root of n, so that the matrix is unitary; 'n' divides by n
-- @treturn torch.ComplexDoubleTensor (n, n)
function forms.dft(n, scale)
  check.int('dft', 'n', n, { min = 1, max = 2 ^ 15 })
  if scale ~= nil then check.choice('dft', 'scale', scale, { 'sqrtn', 'n' }) end
  local steps = torch.range(0, n - 1):double()
  local angles = torch.remainder(torch.ger(steps, steps), n):mul(-2 * math.pi / n)
  local size = scale == 'n' and 1 / n or scale == 'sqrtn' and 1 / math.sqrt(n) or 1
  return torch.polar(torch.DoubleTensor(n, n):fill(size), angles)
end

return forms
