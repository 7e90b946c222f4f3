--- Random matrices with orthonormal rows or columns.
-- @module nninit.orthonormal
local torch = require 'torch'

--- Draws a matrix with orthonormal rows, or with orthonormal columns if there are more rows than columns; all such matrices are equally
-- likely. Source: Mezzadri (2007), "How to generate random matrices from the classical compact groups", Notices of the AMS 54, 5.
-- @int rows
-- @int columns
-- @treturn torch.DoubleTensor rows x columns
return function(rows, columns)
  local more, fewer = math.max(rows, columns), math.min(rows, columns)
  local q, r = torch.qr(torch.DoubleTensor(more, fewer):normal())
  q:cmul(torch.sign(torch.diag(r)):view(1, fewer):expandAs(q))
  return rows < columns and q:t() or q
end
