--- Names of linear algebra from NumPy, SciPy, PyTorch, MATLAB and R, for hints: adds to trepl.names.
-- @module trepl.linalg_names

-- Names that torch.linalg has in camelCase.
local same = [[
  cholesky_ex householder_product inv_ex ldl_factor ldl_factor_ex ldl_solve lu_factor lu_factor_ex lu_solve matrix_sqrth solve_ex
  solve_triangular svdvals tensorinv tensorsolve vector_norm lobpcg multi_dot sqrtm logm funm signm cosm sinm tanm coshm sinhm tanhm
  fractional_matrix_power expm_frechet expm_multiply toeplitz circulant hankel invhilb companion hadamard leslie solve_toeplitz
  matmul_toeplitz solve_banded solveh_banded solve_circulant solve_sylvester solve_continuous_lyapunov solve_discrete_lyapunov
  solve_continuous_are solve_discrete_are ldl hessenberg rq orth subspace_angles orthogonal_procrustes cho_factor cho_solve qr_update
  qr_insert qr_delete matrix_balance cg bicg cgs bicgstab gmres minres lsqr lsmr eigsh eigs svds aslinearoperator LinearOperator pinvh
  bandwidth issymmetric ishermitian eigh eigvalsh eigvals spsolve splu spsolve_triangular
  qmr tfqmr lgmres gcrotmk spilu onenormest spbandwidth is_sptriangular qz ordqz cossin LaplacianNd funm_multiply_krylov
  rsf2csf cdf2rdf dft
]]

-- Names in torch.linalg -> other names for them.
local others = {
  hilbert = 'hilb', invhilbert = 'invhilb', solveSylvester = 'sylvester', solveContinuousLyapunov = 'lyap', solveDiscreteLyapunov = 'dlyap',
  solveContinuousAre = 'icare', solveDiscreteAre = 'idare', hessenberg = 'hess', subspaceAngles = 'subspace', cg = 'pcg',
  orthogonalProcrustes = 'procrustes', qrUpdate = 'qrupdate', qrInsert = 'qrinsert', qrDelete = 'qrdelete', choleskyUpdate = 'cholupdate',
  matrixBalance = 'balance', solveTriangular = 'linsolve backsolve forwardsolve', randomizedSvd = 'svd_lowrank svdsketch pca_lowrank',
}

-- Expressions -> the names for which they stand.
local expressions = {
  ['torch.lu(a), which returns all three factors'] = 'lu_unpack',
  ['torch.linalg.splu(a)'] = 'SuperLU', ["torch.linalg.spsolve(a, b, { solver = 'umfpack' })"] = 'use_solver',
  ['torch.linalg.ic0(a)'] = 'ichol',
  ['torch.randn(k, a:size(1)) * a'] = 'clarkson_woodruff_transform',
  ["pcall(f), which returns an error's message"] = 'LinAlgError LinAlgWarning MatrixRankWarning',
  ['the table that torch.linalg.eigsh returns: converged, message'] = 'ArpackError ArpackNoConvergence',
}

local blas = 'torch calls BLAS and LAPACK by itself'

-- Names without an equivalent -> the reason.
local absent = {
  get_blas_funcs = blas, get_lapack_funcs = blas, find_best_blas_type = blas,
}

local function addEach(list, text, value)
  for name in text:gmatch '%S+' do list[name] = list[name] or value or 'torch.linalg.' .. name:gsub('_(%w)', string.upper) end
end

--- @tparam table names the table of trepl.names; its entries are not replaced
return function(names)
  addEach(names.ours, same)
  for here, list in pairs(others) do addEach(names.ours, list, 'torch.linalg.' .. here) end
  for here, list in pairs(expressions) do addEach(names.ours, list, here) end
  for name, why in pairs(absent) do names.absent[name] = names.absent[name] or why end
end
