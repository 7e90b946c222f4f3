--- Names of NumPy and SciPy without an equivalent, and the reasons, for hints about names that no package has: adds to a table of reasons.
-- @module trepl.numpy_names

-- Pairs of a reason and the names.
local absent = {
  { "types have names: 'float', 'long', torch.float64; x:type() is that of x, torch.issubdtype knows 'floating', 'integer', ...", [[
    character clongdouble complexfloating flexible float128 floating generic inexact integer longdouble mintypecode number signedinteger
    sctypeDict ufunc unsignedinteger ]] },
  { 'tensors have numbers alone; tables and data.Frame have text, dates and records', [[
    busday_count busday_offset busdaycalendar bytes_ datetime64 datetime_as_string datetime_data is_busday isnat object_ recarray record
    str_ timedelta64 void fromregex ]] },
  { 'numbers are doubles in Lua, and errors of floats become NaN or infinity without a warning', [[
    errstate geterr geterrcall seterr seterrcall ]] },
  { 'there is nothing to set: ops have no buffers', 'getbufsize setbufsize' },
  { "torch.config() shows how it was built; ? name shows documentation", 'get_include info show_config show_runtime' },
  { 'loops of Lua are compiled: for i = 1, x:nElement() do ... end over x:data(), or x:apply(f)', 'flatiter nditer nested_iters' },
  { 'torch.fromBlob, torch.fromDLPack, the C interface and files share and bring memory', 'from_dlpack frombuffer' },
  { 'the order of memory is in the strides: x:contiguous() makes it by rows, x:t():contiguous():t() by columns', [[
    asfortranarray isfortran require ]] },
  { 'torch.Tensor{...} has any number of dimensions; * is the product of matrices', 'bmat' },
  { 'generators are torch.Generator(), of Mersenne Twister as in Torch7, or of Philox; torch.manualSeed seeds', [[
    BitGenerator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 SeedSequence default_rng ]] },
  { 'errors are messages, which pcall catches', 'LinAlgError LinAlgWarning MatrixRankWarning ArpackError ArpackNoConvergence' },
  { 'BLAS and LAPACK are called by the ops alone', 'find_best_blas_type get_blas_funcs get_lapack_funcs' },
  { 'torch has no such matrix function or decomposition; torch.solve, lstsq, svd, symeig, eig, qr, lu, cholesky and expm are there', [[
    bandwidth cdf2rdf cho_factor cho_solve cho_solve_banded cholesky_banded circulant clarkson_woodruff_transform companion
    convolution_matrix cossin dft diagsvd eig_banded eigh_tridiagonal eigvals_banded eigvalsh_tridiagonal expm_cond expm_frechet fiedler
    fiedler_companion fractional_matrix_power funm hadamard hankel helmert hessenberg hilbert invhilbert invpascal ishermitian issymmetric
    khatri_rao ldl leslie matmul_toeplitz matrix_balance ordqz orthogonal_procrustes pascal qr_delete qr_insert qr_multiply qr_update qz rq
    rsf2csf schur solve_banded solve_circulant solve_continuous_are solve_continuous_lyapunov solve_discrete_are solve_discrete_lyapunov
    solve_lyapunov solve_sylvester solve_toeplitz solveh_banded subspace_angles toeplitz matrix_transpose vecdot ]] },
  { 'complex numbers have two doubles at most here', 'complex256' },
  { 'torch has no such function', [[
    broadcast choice dirichlet get_state multivariate_normal random_integers sample set_state ]] },
}

--- Adds these names to reasons, where they have none.
-- @tparam {[string]=string} reasons by name
return function(reasons)
  for _, group in ipairs(absent) do
    for name in group[2]:gmatch '%S+' do reasons[name] = reasons[name] or group[1] end
  end
end
