--- Arnoldi's method: orthogonal vectors of a Krylov space, and the least-squares problem of GMRES over them. Numbers may be complex.
-- Sources: W. Arnoldi (1951); Y. Saad & M. Schultz (1986), "GMRES", SIAM J. Sci. Stat. Comput. 7.
-- @module torch.linalg.arnoldi
local torch = require 'torch'
local scalars = require 'torch.linalg.scalars'

local abs, conj = scalars.abs, scalars.conj

local arnoldi = {}

--- Subtracts from a vector its parts along others: twice, so that rounding leaves it orthogonal to them.
-- @tparam torch.Tensor w changed
-- @tparam {torch.Tensor,...} vectors orthonormal
-- @int count how many of them
-- @treturn {number,...} the parts: numbers or complex numbers
-- @treturn number the length of what is left
function arnoldi.orthogonalise(w, vectors, count)
  local parts = {}
  for _ = 1, 2 do
    for i = 1, count do
      local part = torch.vdot(vectors[i], w)
      parts[i] = (parts[i] or 0) + part
      w:add(-part, vectors[i])
    end
  end
  return parts, torch.norm(w)
end

local Residual = {}
Residual.__index = Residual

--- The problem min |size e1 - h y| with an upper Hessenberg matrix h that grows by columns, solved by Givens rotations.
-- @number size the norm of the residual at the start
function arnoldi.residual(size)
  return setmetatable({ count = 0, _columns = {}, _cosines = {}, _sines = {}, _right = { size } }, Residual)
end

--- Adds a column.
-- @tparam {number,...} column elements 1 .. j, changed
-- @number below element j + 1, not negative
-- @treturn ?number the least norm; nil if the column is zero or has NaN, and was not added
function Residual:add(column, below)
  local j, right = self.count + 1, self._right
  for i = 1, j - 1 do
    local c, s, upper, lower = self._cosines[i], self._sines[i], column[i], column[i + 1]
    column[i], column[i + 1] = conj(c) * upper + s * lower, c * lower - s * upper
  end
  local length = math.sqrt(abs(column[j]) ^ 2 + below ^ 2)
  if length == 0 or length ~= length then return nil end
  local c, s = column[j] / length, below / length
  column[j] = length
  right[j + 1], right[j] = -s * right[j], conj(c) * right[j]
  self._columns[j], self._cosines[j], self._sines[j], self.count = column, c, s, j
  return abs(right[j + 1])
end

--- Returns the y of the least norm.
function Residual:solve()
  local y, columns = {}, self._columns
  for i = self.count, 1, -1 do
    local rest = self._right[i]
    for k = i + 1, self.count do rest = rest - columns[k][i] * y[k] end
    y[i] = rest / columns[i][i]
  end
  return y
end

return arnoldi
