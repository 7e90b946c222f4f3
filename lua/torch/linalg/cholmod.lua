--- Cholesky factors of sparse matrices by CHOLMOD, a library of SuiteSparse (LGPL, its supernodal part GPL), opened at the first use.
-- Source: Y. Chen, T. Davis, W. Hager & S. Rajamanickam (2008), "Algorithm 887: CHOLMOD", ACM Trans. Math. Softw. 35.
-- @module torch.linalg.cholmod
local torch, ffi = require 'torch', require 'ffi'
local library, single = require 'torch.library', require 'torch.linalg.single_thread'

-- The fields of cholmod_factor after Perm, and all of cholmod_common, differ between versions: the library makes and reads them.
ffi.cdef [[
typedef struct { size_t nrow, ncol, nzmax; void *p, *i, *nz, *x, *z; int stype, itype, xtype, dtype, sorted, packed; } mt_cholmod_sparse;
typedef struct { size_t nrow, ncol, nzmax, d; void *x, *z; int xtype, dtype; } mt_cholmod_dense;
typedef struct { size_t n, minor; int64_t *Perm; } mt_cholmod_factor;
int cholmod_l_start(void *);
int cholmod_l_finish(void *);
mt_cholmod_factor *cholmod_l_analyze(mt_cholmod_sparse *, void *);
int cholmod_l_factorize(mt_cholmod_sparse *, mt_cholmod_factor *, void *);
mt_cholmod_dense *cholmod_l_solve(int, mt_cholmod_factor *, mt_cholmod_dense *, void *);
mt_cholmod_factor *cholmod_l_copy_factor(mt_cholmod_factor *, void *);
int cholmod_l_change_factor(int, int, int, int, int, mt_cholmod_factor *, void *);
mt_cholmod_sparse *cholmod_l_factor_to_sparse(mt_cholmod_factor *, void *);
int cholmod_l_free_factor(mt_cholmod_factor **, void *);
int cholmod_l_free_sparse(mt_cholmod_sparse **, void *);
int cholmod_l_free_dense(mt_cholmod_dense **, void *);
typedef struct { void *malloc, *calloc, *realloc, *free, *printf; } mt_suitesparse_config;
extern mt_suitesparse_config SuiteSparse_config;
void SuiteSparse_config_printf_func_set(void *);
]]

local cholmod = {}

local int64, real, complex, isDouble = 2, 1, 2, 0
local wholeSystem, diagonalSystem = 0, 6

local opened, common

-- Keeps SuiteSparse from printing warnings: by a function since version 6, by a variable before.
local function silence(own)
  if not pcall(function() own.SuiteSparse_config_printf_func_set(nil) end) then
    pcall(function() own.SuiteSparse_config.printf = nil end)
  end
end

local function lib(who)
  if opened then return opened end
  single.prepare()
  local own = library.system('cholmod', who, "the option solver = 'plain' solves without it")
  silence(own)
  -- The common object has 2.7 KB in version 3 and less than twice as much in version 5; its end is that of the Lua state.
  common = ffi.gc(ffi.new 'char[65536]', own.cholmod_l_finish)
  own.cholmod_l_start(common)
  opened = own
  return opened
end

--- Whether the system has the library.
function cholmod.isPresent() return (pcall(lib, 'cholmod')) end

local Factors = {}
Factors.__index = Factors

local function failed(who, what) error(('%s: a: CHOLMOD: %s failed, as if memory were lacking'):format(who, what), 0) end

-- Calls a free function for an object that CHOLMOD made.
local function released(name, object)
  local type = name:match '_(%a+)$'
  local holder = ffi.new(('mt_cholmod_%s *[1]'):format(type), object)
  opened[name](holder, common)
end

--- Factors a matrix. The compressed rows of its lower triangle are the compressed columns of an upper one.
-- @string who for messages
-- @tparam torch.SparseCSR a (n, n) of doubles or complex doubles, coalesced; its lower triangle is read, whose diagonal is real
-- @treturn ?table factors; nil if a is not positive definite
-- @treturn ?int then the row, from 1, of the pivot that is not positive
function cholmod.factor(who, a)
  local own = lib(who)
  local lower = torch.sparse.tril(a):csr():coalesce()
  local n = lower:size(1)
  local rows, columns, values = lower:rows() - 1, lower:columns() - 1, torch.conj(lower:values()):contiguous()
  local kind = values:isComplex() and complex or real
  local s = ffi.new 'mt_cholmod_sparse'
  s.nrow, s.ncol, s.nzmax, s.p, s.i, s.x = n, n, lower:nnz(), rows:data(), columns:data(), values:data()
  s.stype, s.itype, s.xtype, s.dtype, s.sorted, s.packed = 1, int64, kind, isDouble, 1, 1
  local factor = single.call(own.cholmod_l_analyze, s, common)
  if factor == nil then failed(who, 'the analysis') end
  factor = ffi.gc(factor, function(object) released('cholmod_l_free_factor', object) end)
  if single.call(own.cholmod_l_factorize, s, factor, common) == 0 then failed(who, 'the factorisation') end
  local self = setmetatable({ who = who, n = n, kind = kind, factor = factor, held = { rows, columns, values } }, Factors)
  if tonumber(factor.minor) < n then return nil, tonumber(factor.Perm[factor.minor]) + 1 end
  -- For small matrices it factors l d l' and accepts negative elements of d.
  local inverse = n > 0 and self:solved(diagonalSystem, values.new(1, n):fill(1))
  local worst = n > 0 and torch.le(torch.real(inverse), 0):view(-1):nonzero()
  if worst and worst:nElement() > 0 then return nil, tonumber(factor.Perm[worst[1][1] - 1]) + 1 end
  return self
end

--- Solves one of the factors' systems for rows of right-hand sides.
-- @int system a number of CHOLMOD's
-- @tparam torch.Tensor b (k, n), contiguous, of the matrix's type
-- @treturn torch.Tensor (k, n)
function Factors:solved(system, b)
  local k, n = b:size(1), b:size(2)
  local side = ffi.new 'mt_cholmod_dense'
  side.nrow, side.ncol, side.nzmax, side.d, side.x, side.xtype, side.dtype = n, k, n * k, n, b:data(), self.kind, isDouble
  local x = single.call(opened.cholmod_l_solve, system, self.factor, side, common)
  if x == nil then failed(self.who, 'the solution') end
  local result = b:clone()
  ffi.copy(result:data(), x.x, 8 * self.kind * n * k)
  released('cholmod_l_free_dense', x)
  return result
end

--- Solves for rows of right-hand sides; the transpose of a Hermitian matrix is its conjugate.
function Factors:solve(b, transposed)
  if b:nElement() == 0 then return b:clone() end
  if transposed and self.kind == complex then return torch.conj(self:solved(wholeSystem, torch.conj(b):contiguous())) end
  return self:solved(wholeSystem, b)
end

--- Returns the factors, as of `torch.linalg.plain_sparse_lu`, and `cholesky`, the lower factor.
function Factors:parts()
  local copy = opened.cholmod_l_copy_factor(self.factor, common)
  if copy == nil then failed(self.who, 'a copy of the factors') end
  local order = torch.LongTensor(self.n)
  for i = 0, self.n - 1 do order[i + 1] = copy.Perm[i] + 1 end
  local done = opened.cholmod_l_change_factor(self.kind, 1, 0, 1, 1, copy, common)
  local s = done ~= 0 and opened.cholmod_l_factor_to_sparse(copy, common) or nil
  released('cholmod_l_free_factor', copy)
  if s == nil then failed(self.who, 'a conversion of the factors') end
  local first = ffi.cast('int64_t *', s.p)
  local count = tonumber(first[self.n])
  local rows, columns, values = torch.LongTensor(self.n + 1), torch.LongTensor(count), self.held[3].new(count)
  ffi.copy(rows:data(), first, 8 * (self.n + 1))
  ffi.copy(columns:data(), s.i, 8 * count)
  ffi.copy(values:data(), s.x, 8 * self.kind * count)
  released('cholmod_l_free_sparse', s)
  -- Compressed columns of the lower factor: compressed rows of the upper one.
  return self.asLU(order, torch.SparseCSR._make(rows + 1, columns + 1, torch.conj(values), { self.n, self.n }):coalesce())
end

return cholmod
