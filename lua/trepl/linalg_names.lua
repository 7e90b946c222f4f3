--- Names of linear algebra from NumPy, SciPy, PyTorch, MATLAB and R, for hints: adds to trepl.names.
-- @module trepl.linalg_names

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
  for name in text:gmatch '%S+' do list[name] = list[name] or value end
end

--- @tparam table names the table of trepl.names; its entries are not replaced
return function(names)
  for here, list in pairs(others) do addEach(names.ours, list, 'torch.linalg.' .. here) end
  for here, list in pairs(expressions) do addEach(names.ours, list, here) end
  for name, why in pairs(absent) do names.absent[name] = names.absent[name] or why end
end
