--- Special functions by the names of Torch7's package cephes: f([result,] arguments...) of numbers or tensors.
--
-- With numbers the result is a number. Tensors of any type and sizes give a new DoubleTensor of one dimension; numbers and tensors of one
-- element are repeated; a contiguous tensor in front of the arguments is filled and returned. Arguments outside the domain give NaN or
-- infinities, unless `setErrorLevel` was called. The functions are loaded at first use.
-- @module cephes
-- @usage local cephes = require 'cephes'
-- print(cephes.ndtri(0.975))
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
local check = require 'torch.check'

local cephes = {}
package.loaded.cephes = cephes
rawset(_G, 'cephes', cephes)

--- Not a number.
cephes.nan = 0 / 0

local function verify(name, x)
  if type(x) ~= 'number' then check.raise(('cephes.%s: x: a %s, expected a number'):format(name, type(x))) end
  return x
end

--- Whether a number is NaN.
-- @number x
-- @treturn bool
function cephes.isnan(x)
  verify('isnan', x)
  return x ~= x
end

--- Whether a number is infinite.
-- @number x
-- @treturn bool
function cephes.isinf(x) return math.abs(verify('isinf', x)) == math.huge end

--- Whether a number is neither infinite nor NaN.
-- @number x
-- @treturn bool
function cephes.isfinite(x) return math.abs(verify('isfinite', x)) < math.huge end

--- The functions without checks of their arguments and without levels of errors: `cephes.ffi.ndtr(0.5)`.
cephes.ffi = setmetatable({}, {
  __index = function(_, name) return cephes[name] and require('cephes.define').plain[name] end,
})

require 'torch.start.lazy_loader'(cephes, [[
  cephes.errors: setErrorLevel getErrorLevel
  cephes.gamma: gamma rgamma fac lgam psi digamma beta lbeta igam igamc igami incbet incbi polygamma betagrad mvgam lmvgam
  cephes.probability: ndtr ndtri erf erfc chdtr chdtrc chdtri stdtr stdtri pdtr pdtrc pdtri bdtr bdtrc bdtri nbdtr nbdtrc nbdtri
  cephes.probability: fdtr fdtrc fdtri btdtr gdtr gdtrc
  cephes.kolmogorov: smirnov smirnovi kolmogorov kolmogi
  cephes.bessel: j0 j1 y0 y1 i0 i0e i1 i1e k0 k0e k1 k1e jn jv yn yv iv kn struve airy
  cephes.hypergeometric: hyp2f1 hyperg hyp2f0 onef2 threef0
  cephes.elliptic: ellpk ellpe ellik ellie ellpj
  cephes.integrals: expn ei sici shichi fresnl dawsn spence simpsn
  cephes.zeta: zeta zetac polylog
  cephes.elementary: exp exp2 exp10 expm1 expx2 log log2 log10 log1p pow powi sqrt cbrt sin cos tan cot asin acos atan atan2 sinh
  cephes.elementary: cosh tanh asinh acosh atanh sindg cosdg tandg cotdg cosm1 radian sincos hypot ceil floor round fabs frexp
  cephes.elementary: ldexp signbit drand
  cephes.coefficients: polevl p1evl chbevl
  cephes.polynomials: polini poladd polsub polmul polsbt poldiv poleva polclr polmov polprt
  cephes.complex: new_cmplx cabs cadd csub cmul cdiv cmov cneg csqrt cexp clog cpow csin ccos ctan ccot casin cacos catan csinh
  cephes.complex: ccosh ctanh casinh cacosh catanh
]])

return cephes
