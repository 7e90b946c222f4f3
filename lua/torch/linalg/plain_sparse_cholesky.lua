--- Cholesky factors of sparse matrices in plain Lua, where CHOLMOD is missing: row by row, with the pattern of each row from the tree of
-- elimination. Sources: J. Liu (1990), "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11; T. Davis
-- (2006), "Direct Methods for Sparse Linear Systems", chapter 4.
-- @module torch.linalg.plain_sparse_cholesky
local torch, ffi = require 'torch', require 'ffi'
local minimumDegree = require 'torch.linalg.minimum_degree'

local function ints(n, value)
  local x = torch.IntTensor(math.max(n, 1)):fill(value)
  return ffi.cast('int32_t *', x:data()), x
end

-- The entries on and below the diagonal of the matrix in an order, by rows, counted from 0.
local function lowerTriangle(a, order)
  local n = a:size(1)
  local place = torch.LongTensor(n)
  place:indexCopy(1, order, torch.range(1, n):long())
  local row, column = place:index(1, a:_owners()), place:index(1, a:columns())
  local kept = column:le(row):nonzero():view(-1)
  local indices = torch.cat(row:index(1, kept):view(1, -1), column:index(1, kept):view(1, -1), 1)
  return torch.sparse.coo(indices, a:values():index(1, kept), { n, n }):csr()
end

-- Returns the parent of each row in the tree of elimination, -1 for roots.
local function treeOf(n, first, column)
  local parent, heldParent = ints(n, -1)
  local ancestor, heldAncestor = ints(n, -1)
  for k = 0, n - 1 do
    for e = tonumber(first[k]) - 1, tonumber(first[k + 1]) - 2 do
      local i = tonumber(column[e]) - 1
      while i >= 0 and i < k do
        local next = ancestor[i]
        ancestor[i] = k
        if next < 0 then parent[i] = k end
        i = next
      end
    end
  end
  return parent, { heldParent, heldAncestor }
end

-- Puts the columns of row k of the factor into a stack, each after those that change it. Returns the place of the first.
local function reach(k, n, first, column, parent, mark, stack, path)
  local top = n
  mark[k] = k
  for e = tonumber(first[k]) - 1, tonumber(first[k + 1]) - 2 do
    local i, length = tonumber(column[e]) - 1, 0
    while mark[i] ~= k do
      path[length], mark[i], length = i, k, length + 1
      i = parent[i]
    end
    while length > 0 do
      length, top = length - 1, top - 1
      stack[top] = path[length]
    end
  end
  return top
end

local plain = {}

--- Factors a symmetric positive definite matrix.
-- @tparam torch.SparseCSR a (n, n) of doubles, coalesced
-- @treturn ?torch.LongTensor order of rows and columns; nil if the matrix is not positive definite
-- @treturn torch.SparseCSR|int the factor's transpose, upper triangular, whose product with its transpose from the left is the matrix in
--   this order; or the row of a, from 1, whose pivot is not positive
function plain.factor(a)
  local n, order = a:size(1), minimumDegree.symmetric(a)
  local s = lowerTriangle(a, order)
  local first, column, value = s:rows():data(), s:columns():data(), s:values():data()
  local parent, heldTree = treeOf(n, first, column)
  local mark, heldMark = ints(n, -1)
  local stack, heldStack = ints(n, 0)
  local path, heldPath = ints(n, 0)
  local starts = torch.DoubleTensor(n + 1):zero()
  local begin = ffi.cast('double *', starts:data())
  for k = 0, n - 1 do
    for t = reach(k, n, first, column, parent, mark, stack, path), n - 1 do begin[stack[t]] = begin[stack[t]] + 1 end
    begin[k] = begin[k] + 1
  end
  local total = 0
  for k = 0, n do begin[k], total = total, total + begin[k] end
  if total >= 2 ^ 31 then error('a: a factor with 2^31 entries or more, which only CHOLMOD has', 0) end
  local rows, values, work = torch.IntTensor(math.max(1, total)), torch.DoubleTensor(math.max(1, total)), torch.DoubleTensor(n + 1):zero()
  local used = starts:clone()
  local at, row, out, x = ffi.cast('double *', used:data()), ffi.cast('int32_t *', rows:data()), ffi.cast('double *', values:data()),
    ffi.cast('double *', work:data())
  heldMark:fill(-1)
  for k = 0, n - 1 do
    local top = reach(k, n, first, column, parent, mark, stack, path)
    for e = tonumber(first[k]) - 1, tonumber(first[k + 1]) - 2 do x[tonumber(column[e]) - 1] = value[e] end
    local pivot = x[k]
    x[k] = 0
    for t = top, n - 1 do
      local j = stack[t]
      local own = x[j] / out[begin[j]]
      x[j] = 0
      for e = begin[j] + 1, at[j] - 1 do x[row[e]] = x[row[e]] - out[e] * own end
      pivot = pivot - own * own
      row[at[j]], out[at[j]], at[j] = k, own, at[j] + 1
    end
    if not (pivot > 0 and pivot < math.huge) then return nil, tonumber(order[k + 1]) end
    row[at[k]], out[at[k]], at[k] = k, math.sqrt(pivot), at[k] + 1
  end
  local upper = torch.SparseCSR._make(starts:long() + 1, rows:narrow(1, 1, total):long() + 1, values:narrow(1, 1, total), { n, n }, true)
  return order, upper, { heldTree, heldMark, heldStack, heldPath, work }        -- alive until here
end

return plain
