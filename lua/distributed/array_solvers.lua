--- Linear equations and decompositions of arrays over ranks, by ScaLAPACK: with the names and arguments of torch's functions. Matrices go
-- to a grid of ranks and back; a rank needs memory for its share of them. On one rank LAPACK computes.
-- @module distributed.array
local torch = require 'torch'
local meta, scalapack, Matrix = require 'distributed.array', require 'distributed.scalapack', require 'distributed.block_cyclic'
local operation, tensors = require 'distributed.operation', require 'distributed.tensors'

local Array, refuse = meta._class, meta._refuse

local function words(x) return ('a %s of %s'):format(x:type():sub(7), table.concat(x:size():totable(), ' x ')) end

-- Checks a matrix of floats.
local function matrix(name, argument, x, isSquare)
  if not meta._isArray(x) then refuse(name, ('%s: %s, expected an array'):format(argument, torch.type(x))) end
  if x:dim() ~= 2 or not scalapack.serves(x:type()) or isSquare and x:size(1) ~= x:size(2) then
    refuse(name, ('%s: %s, expected a %smatrix of Float or Double'):format(argument, words(x), isSquare and 'square ' or ''))
  end
  if x._rows == 0 or x._shard:size(2) == 0 then refuse(name, ('%s: %s, expected elements'):format(argument, words(x))) end
  return x
end

-- Checks right sides; returns them as a matrix, and whether they are a vector.
local function rightSides(name, b, a)
  if b:dim() > 2 or b:type() ~= a:type() or b._rows ~= a._rows or b._group ~= a._group then
    refuse(name, ('b: %s, expected a %s of %d rows, on the same ranks'):format(words(b), a:type():sub(7), a._rows))
  end
  if b:dim() == 2 then return matrix(name, 'b', b), false end
  return meta._wrap(b._shard:contiguous():view(-1, 1), b._counts, b._group), true
end

local function triangle(name, uplo)
  uplo = uplo == nil and 'U' or uplo
  if uplo ~= 'U' and uplo ~= 'L' then refuse(name, ("uplo: %s, expected 'U' or 'L'"):format(tostring(uplo))) end
  return uplo
end

local function where(name) return operation.where('array: ' .. name) end

-- Calls f with a function that calls ScaLAPACK; returns its results. On one rank calls `alone`.
local function computed(name, like, alone, f, ...)
  if like._group:size() == 1 then return alone(...) end
  local call = ('array: %s, %s'):format(name, words(like))
  scalapack.need(where(name:match '%a+'), like._group, call)
  return f(function(g) return scalapack.call(call, like:type(), like._group, g) end, ...)
end

local function toMatrix(array) return Matrix.new(array._group, array._rows, array._shard:size(2), array._shard):fill(array) end

local function asVector(result, isVector)
  return isVector and meta._wrap(result._shard:view(-1), result._counts, result._group) or result
end

-- Returns an array of this process's tensor, the only one of its group.
local function whole(like, x) return meta._wrap(x, { x:size(1) }, like._group) end

--- Returns X of A X = B, by an LU decomposition with pivots (pdgesv), as torch.gesv does. B, of one or two dimensions, is this array.
-- @tparam Array a (n, n)
-- @treturn Array X, with the sizes and shards of B
-- @raise on all ranks, if A is singular, or ScaLAPACK is missing
function Array:gesv(a)
  matrix('gesv', 'a', a, true)
  local b, isVector = rightSides('gesv', self, a)
  local n = a._rows
  return asVector(computed('gesv', a, function() return whole(a, (torch.gesv(b._shard, a._shard))) end, function(run)
    local left, right = toMatrix(a), toMatrix(b)
    local pivots = torch.IntTensor(left.height + 64)
    local info = run(function(call) return call('gesv', n, right.columns, left, pivots, right) end)
    if info > 0 then refuse('gesv', ('a: U(%d,%d) is zero, expected a matrix that can be inverted'):format(info, info)) end
    return right:array(b._counts)
  end), isVector)
end

--- Returns the Cholesky factor of this matrix (pdpotrf), as torch.potrf does: U with A = U' U, or L with A = L L'.
-- @string[opt='U'] uplo 'U' or 'L': the triangle of A that is read, and that of the result
-- @treturn Array with the shards of this one, with zeros in the other triangle
-- @raise on all ranks, if A is not positive definite, or ScaLAPACK is missing
function Array:potrf(uplo)
  matrix('potrf', 'self', self, true)
  uplo = triangle('potrf', uplo)
  return computed('potrf ' .. uplo, self, function() return whole(self, torch.potrf(self._shard, uplo)) end, function(run)
    local a = toMatrix(self)
    local info = run(function(call) return call('potrf', uplo, self._rows, a) end)
    if info > 0 then refuse('potrf', ('self: the leading minor of order %d is not positive definite'):format(info)) end
    local result = a:array(self._counts)
    if result._shard:size(1) == 0 then return result end
    return meta._wrap((uplo == 'U' and torch.triu or torch.tril)(result._shard, result._before), result._counts, result._group)
  end)
end

--- Returns X of A X = B, with the Cholesky factor of A (pdpotrs), as torch.potrs does. B, of one or two dimensions, is this array.
-- @tparam Array factor of potrf
-- @string[opt='U'] uplo that of the factor
-- @treturn Array X, with the sizes and shards of B
function Array:potrs(factor, uplo)
  matrix('potrs', 'factor', factor, true)
  local b, isVector = rightSides('potrs', self, factor)
  uplo = triangle('potrs', uplo)
  return asVector(computed('potrs ' .. uplo, factor, function() return whole(factor, torch.potrs(b._shard, factor._shard, uplo)) end,
    function(run)
      local a, right = toMatrix(factor), toMatrix(b)
      run(function(call) return call('potrs', uplo, a.rows, right.columns, a, right) end)
      return right:array(b._counts)
    end), isVector)
end

-- Calls a function twice: for the size of its room of floats, then with that room, and some more.
local function withRoom(like, more, f)
  local room = like.new(1)
  f(room, -1)
  local count = math.max(1, math.ceil(room[1] * (1 + 2 ^ -20))) + more      -- a number in float32
  return f(like.new(count), count)
end

--- Returns X with the least |A X - B| (pdgels, a QR decomposition), or, if A has fewer rows than columns, the shortest X with A X = B: as
-- torch.gels does. A has full rank. B, of one or two dimensions, is this array.
-- @tparam Array a (m, n)
-- @treturn Array X, of n rows, whose numbers on the ranks differ by at most 1
-- @raise on all ranks, if ScaLAPACK is missing
function Array:gels(a)
  matrix('gels', 'a', a)
  local b, isVector = rightSides('gels', self, a)
  local m, n = a._rows, a._shard:size(2)
  return asVector(computed('gels', a, function() return whole(a, (torch.gels(b._shard, a._shard))) end, function(run)
    local left, right = toMatrix(a), Matrix.new(a._group, math.max(m, n), b._shard:size(2), a._shard)
    local part = Matrix.new(a._group, m, right.columns, a._shard):fill(b)      -- the first rows have the same places
    if part.width > 0 and part.height > 0 then right.view:narrow(1, 1, part.height):copy(part.view) end
    run(function(call)
      return withRoom(a._shard, 0, function(room, count) return call('gels', 'N', m, n, right.columns, left, right, room, count) end)
    end)
    return right:array(meta._even(n, a._group:size()))
  end), isVector)
end

--- Returns the eigenvalues of this symmetric matrix in ascending order, and its eigenvectors (pdsyevd, divide and conquer), as torch.symeig
-- does.
-- @string[opt='N'] jobz 'V' with the vectors, which are computed in any case
-- @string[opt='U'] uplo 'U' or 'L': the triangle that is read
-- @treturn torch.Tensor the values, the same on all ranks
-- @treturn ?Array the vectors, one in each column, with the shards of this array
-- @raise on all ranks, if ScaLAPACK is missing
function Array:symeig(jobz, uplo)
  matrix('symeig', 'self', self, true)
  jobz, uplo = jobz == nil and 'N' or jobz, triangle('symeig', uplo)
  if jobz ~= 'N' and jobz ~= 'V' then refuse('symeig', ("jobz: %s, expected 'N' or 'V'"):format(tostring(jobz))) end
  local values, vectors = computed(('symeig %s %s'):format(jobz, uplo), self, function()
    local found, columns = torch.symeig(self._shard, 'V', uplo)
    return found, whole(self, columns)
  end, function(run)
    local n = self._rows
    local a, z = toMatrix(self), Matrix.new(self._group, n, n, self._shard)
    local found, integers = self._shard.new(n), torch.IntTensor(1)
    -- pdsyevd asks for less than the functions inside need: pdormtr, pdlasrt, and its own description.
    local more = 10 * n + 3 * a.height * a.width + a.block * (a.height + a.width + 3 * a.block)
    local info = run(function(call)
      return withRoom(self._shard, more, function(room, count)
        if count > 0 then integers:resize(math.max(1, integers[1])) end
        return call('syevd', 'V', uplo, n, a, found, z, room, count, integers, count > 0 and integers:nElement() or -1)
      end)
    end)
    if info > 0 then refuse('symeig', ('self: %d eigenvalues did not converge, expected a matrix without NaN'):format(info)) end
    -- Of a matrix of one block, ScaLAPACK has the values on the first rank alone.
    tensors.broadcast(found, self._group.ranks[1], { group = self._group })
    return found, z:array(self._counts)
  end)
  if jobz == 'N' then return values end
  return values, vectors
end

return Array
