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
  { 'complex numbers have two doubles at most here', 'complex256' },
}

--- Adds these names to reasons, where they have none.
-- @tparam {[string]=string} reasons by name
return function(reasons)
  for _, group in ipairs(absent) do
    for name in group[2]:gmatch '%S+' do reasons[name] = reasons[name] or group[1] end
  end
end
