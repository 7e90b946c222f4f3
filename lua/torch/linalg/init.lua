--- Linear algebra, `torch.linalg`: what NumPy, PyTorch and SciPy have under this name, in camelCase or with underscores. Functions take
-- matrices or batches of them (…, m, n). Those that torch itself has (`torch.solve`) are fields here, too.
-- @module torch.linalg
local torch = require 'torch'

-- Names that are functions of torch, and those that torch has by another name.
local own = {}
for name in ([[ cond cross det diagonal expm inv matmul nullSpace outer pinv schur slogdet solve tensordot trace
  blockDiag lu matrixPower matrixRank cholesky ]]):gmatch '%S+' do own[name] = name end
own.matrixExp = 'expm'

-- Maps PyTorch's names with underscores to those in camelCase.
local function find(self, name)
  if type(name) ~= 'string' then return nil end
  if own[name] then
    rawset(self, name, torch[own[name]])
    return rawget(self, name)
  end
  local camel = name:gsub('_(%w)', string.upper)
  if camel ~= name then return self[camel] end
end

local linalg = {}

require 'torch.start.lazy_loader'(linalg, [[
  torch.linalg.functions: sqrtm logm signm funm cosm sinm tanm coshm sinhm tanhm fractionalMatrixPower expmFrechet expmCond matrixSqrth
  torch.linalg.matrices: toeplitz circulant hankel convolutionMatrix companion fiedlerCompanion leslie fiedler
  torch.linalg.matrices: khatriRao diagsvd vander
  torch.linalg.matrices: hilbert invhilbert pascal invpascal hadamard helmert
  torch.linalg.structured: solveTriangular solveToeplitz solveCirculant matmulToeplitz solveBanded solvehBanded choleskyBanded
  torch.linalg.structured: choSolveBanded
  torch.linalg.equations: solveSylvester solveContinuousLyapunov solveLyapunov solveDiscreteLyapunov solveContinuousAre solveDiscreteAre
  torch.linalg.factors: luFactor luFactorEx luSolve choFactor choSolve choleskyEx invEx solveEx
  torch.linalg.ldl: ldl ldlFactor ldlFactorEx ldlSolve
  torch.linalg.generalised: qz ordqz cossin
  torch.linalg.complex_forms: rsf2csf cdf2rdf dft
  torch.linalg.factors: hessenberg polar rq matrixBalance
  torch.linalg.updates: choleskyUpdate choleskyDowndate qrUpdate qrInsert qrDelete
  torch.linalg.spectra: eig eigvals eigh eigvalsh eighTridiagonal eigvalshTridiagonal eigBanded eigvalsBanded svd svdvals qr qrMultiply orth
  torch.linalg.spectra: pinvh subspaceAngles orthogonalProcrustes
  torch.linalg.operator: LinearOperator aslinearoperator
  torch.linalg.krylov: cg bicg cgs bicgstab gmres minres expmMultiply funmMultiplyKrylov
  torch.linalg.quasi_minimal: qmr tfqmr
  torch.linalg.augmented_gmres: lgmres gcrotmk
  torch.linalg.sparse_questions: spbandwidth isSptriangular onenormest LaplacianNd
  torch.linalg.sparse_solve: spsolve spsolveTriangular splu spilu spcholesky factorized
  torch.linalg.preconditioners: jacobi ilu0 ic0
  torch.linalg.least_squares: lsqr lsmr
  torch.linalg.eigensolvers: eigsh eigs lobpcg svds randomizedSvd
  torch.linalg.names: matrixNorm householderProduct vectorNorm norm lstsq multiDot vecdot matrixTranspose tensorsolve tensorinv
  torch.linalg.names: bandwidth issymmetric ishermitian
]], find, function(list)
  for name in pairs(own) do list[#list + 1] = name end
end)

return linalg
