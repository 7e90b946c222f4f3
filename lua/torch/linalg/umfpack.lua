--- LU factors of sparse matrices by UMFPACK, a library of SuiteSparse (GPL), opened at the first use.
-- Source: T. Davis (2004), "Algorithm 832: UMFPACK V4.3", ACM Trans. Math. Softw. 30.
-- @module torch.linalg.umfpack
local torch, ffi = require 'torch', require 'ffi'
local library, single = require 'torch.library', require 'torch.linalg.single_thread'

-- `dl`: doubles, and positions of 64 bits; `zl`: complex numbers, whose parts alternate if the second array is NULL.
ffi.cdef [[
int umfpack_dl_symbolic(int64_t, int64_t, const int64_t *, const int64_t *, const double *, void **, const double *, double *);
int umfpack_dl_numeric(const int64_t *, const int64_t *, const double *, void *, void **, const double *, double *);
int umfpack_dl_solve(int64_t, const int64_t *, const int64_t *, const double *, double *, const double *, void *, const double *, double *);
int umfpack_dl_get_lunz(int64_t *, int64_t *, int64_t *, int64_t *, int64_t *, void *);
int umfpack_dl_get_numeric(int64_t *, int64_t *, double *, int64_t *, int64_t *, double *, int64_t *, int64_t *, double *, int64_t *,
  double *, void *);
void umfpack_dl_free_symbolic(void **);
void umfpack_dl_free_numeric(void **);
void umfpack_dl_defaults(double *);
int umfpack_zl_symbolic(int64_t, int64_t, const int64_t *, const int64_t *, const double *, const double *, void **, const double *,
  double *);
int umfpack_zl_numeric(const int64_t *, const int64_t *, const double *, const double *, void *, void **, const double *, double *);
int umfpack_zl_solve(int64_t, const int64_t *, const int64_t *, const double *, const double *, double *, double *, const double *,
  const double *, void *, const double *, double *);
int umfpack_zl_get_lunz(int64_t *, int64_t *, int64_t *, int64_t *, int64_t *, void *);
int umfpack_zl_get_numeric(int64_t *, int64_t *, double *, double *, int64_t *, int64_t *, double *, double *, int64_t *, int64_t *,
  double *, double *, int64_t *, double *, void *);
void umfpack_zl_free_symbolic(void **);
void umfpack_zl_free_numeric(void **);
void umfpack_zl_defaults(double *);
]]

local umfpack = {}

local opened
local function lib(who)
  if opened then return opened end
  single.prepare()
  opened = library.system('umfpack', who, "the option solver = 'plain' solves without it")
  return opened
end

--- Whether the system has the library.
function umfpack.isPresent() return (pcall(lib, 'umfpack')) end

-- Places in the arrays of controls; statuses; kinds of systems.
local printLevel, scaling, irSteps = 0, 16, 7
local singular, outOfMemory = 1, -1
local plainSystem, transposedSystem = 0, 2

local function pointer(x) return x and ffi.cast('int64_t *', x:data()) end
local function numbers(x) return x and ffi.cast('double *', x:data()) end

-- Returns a function that calls `umfpack_dl_...` or `umfpack_zl_...`: pointers in a table become those of the real and imaginary parts.
local function callerOf(who, isComplex)
  local own = lib(who)
  return function(name, ...)
    local given, passed, count = { ... }, {}, 0
    for i = 1, select('#', ...) do
      local value, isNumbers = given[i], type(given[i]) == 'table'
      count = count + 1
      passed[count] = isNumbers and value[1] or not isNumbers and value or nil
      if isNumbers and isComplex then count = count + 1 end
    end
    return single.call(own[(isComplex and 'umfpack_zl_' or 'umfpack_dl_') .. name], unpack(passed, 1, count))
  end
end

local Factors = {}
Factors.__index = Factors

local function refuse(who, status)
  error(('%s: a: UMFPACK: %s'):format(who, status == outOfMemory and 'out of memory' or 'status ' .. tonumber(status)), 0)
end

--- Factors a matrix. Its compressed rows are the compressed columns of its transpose, which UMFPACK factors.
-- @string who for messages
-- @tparam torch.SparseCSR a (n, n) of doubles or complex doubles, coalesced
-- @treturn ?table factors; nil if a is singular
function umfpack.factor(who, a)
  local isComplex = a:type() == 'torch.ComplexDoubleTensor'
  local self = setmetatable({ who = who, n = a:size(1), isComplex = isComplex, call = callerOf(who, isComplex) }, Factors)
  self.rows, self.columns, self.values = a:rows() - 1, a:columns() - 1, a:values():contiguous()
  self.control = ffi.new 'double[20]'
  self.call('defaults', self.control)
  self.control[printLevel], self.control[scaling], self.control[irSteps] = 0, 0, 2
  local symbolic, numeric = ffi.new 'void *[1]', ffi.new 'void *[1]'
  local status = self.call('symbolic', self.n, self.n, pointer(self.rows), pointer(self.columns), { numbers(self.values) }, symbolic,
    self.control, nil)
  if status == 0 then
    status = self.call('numeric', pointer(self.rows), pointer(self.columns), { numbers(self.values) }, symbolic[0], numeric, self.control,
      nil)
  end
  self.call('free_symbolic', symbolic)
  if numeric[0] ~= nil then
    local free = opened[isComplex and 'umfpack_zl_free_numeric' or 'umfpack_dl_free_numeric']
    self.numeric = ffi.gc(numeric, free)
  end
  if status == singular then return nil end
  if status ~= 0 then refuse(who, status) end
  return self
end

--- Solves for the columns of b.
-- @tparam torch.Tensor b (k, n), contiguous, of the matrix's type: each row is a right-hand side
-- @tparam boolean transposed
-- @treturn torch.Tensor (k, n)
function Factors:solve(b, transposed)
  local x = b:clone():zero()
  for i = 1, b:size(1) do
    local status = self.call('solve', transposed and plainSystem or transposedSystem, pointer(self.rows), pointer(self.columns),
      { numbers(self.values) }, { numbers(x[i]) }, { numbers(b[i]) }, self.numeric[0], self.control, nil)
    if status ~= 0 then refuse(self.who, status) end
  end
  return x
end

--- Returns the factors: rowOrder, columnOrder, lower, upper as of `torch.linalg.plain_sparse_lu`.
function Factors:parts()
  local counts, n = ffi.new 'int64_t[5]', self.n
  local status = self.call('get_lunz', counts, counts + 1, counts + 2, counts + 3, counts + 4, self.numeric[0])
  if status ~= 0 then refuse(self.who, status) end
  local function entries(count)
    count = tonumber(count)
    return { rows = torch.LongTensor(n + 1), columns = torch.LongTensor(count), values = self.values.new(count) }
  end
  local left, right = entries(counts[0]), entries(counts[1])
  local rowOrder, columnOrder, recip = torch.LongTensor(n), torch.LongTensor(n), ffi.new 'int64_t[1]'
  -- The factors of the transpose: `left` by rows, `right` by columns, which are the rows of its transpose.
  status = self.call('get_numeric', pointer(left.rows), pointer(left.columns), { numbers(left.values) }, pointer(right.rows),
    pointer(right.columns), { numbers(right.values) }, pointer(columnOrder), pointer(rowOrder), {}, recip, nil, self.numeric[0])
  if status ~= 0 then refuse(self.who, status) end
  local function matrix(of, isSorted)
    return torch.SparseCSR._make(of.rows + 1, of.columns + 1, of.values, { n, n }, isSorted)
  end
  return { rowOrder = rowOrder + 1, columnOrder = columnOrder + 1, lower = matrix(right), upper = torch.sparse.triu(matrix(left):t(), 1) }
end

return umfpack
