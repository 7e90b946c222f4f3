-- Derivatives of recurrent cells.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules = require 'autograd.rules'

local function part(x, i, size) return torch.narrow(x, 2, (i - 1) * size + 1, size) end

local function add(a, b) return a and b and torch.add(a, b) or a or b end

-- y (1 - y), and 1 - y^2: slopes of sigmoid and tanh.
local function sigmoidSlope(y) return torch.cmul(y, torch.add(torch.mul(y, -1), 1)) end
local function tanhSlope(y) return torch.add(torch.mul(torch.square(y), -1), 1) end

-- gates = sigmoid or tanh of the parts of x: returns the gradient of x.
local function throughGates(gx, gGates, gates, size, tanhPart, count)
  if not gGates then return gx end
  local slopes = {}
  for i = 1, count do slopes[i] = (i == tanhPart and tanhSlope or sigmoidSlope)(part(gates, i, size)) end
  return add(gx, torch.cmul(gGates, torch.cat(slopes, 2)))
end

-- Returns the gradients of lstm_cell from differentiable ops, computed from x and c0 alone.
local function lstmAgain(gh, gc, gGates, x, c0)
  local size = c0:size(2)
  local i, f = torch.sigmoid(part(x, 1, size)), torch.sigmoid(part(x, 2, size))
  local candidate, o = torch.tanh(part(x, 3, size)), torch.sigmoid(part(x, 4, size))
  local t = torch.tanh(torch.add(torch.cmul(f, c0), torch.cmul(i, candidate)))
  local gCell = add(gh and torch.cmul(torch.cmul(gh, o), tanhSlope(t)), gc)
  local zero = torch.mul(c0, 0)
  gCell = gCell or zero
  local gx = torch.cat({
    torch.cmul(torch.cmul(gCell, candidate), sigmoidSlope(i)), torch.cmul(torch.cmul(gCell, c0), sigmoidSlope(f)),
    torch.cmul(torch.cmul(gCell, i), tanhSlope(candidate)), gh and torch.cmul(torch.cmul(gh, t), sigmoidSlope(o)) or zero,
  }, 2)
  if gGates then gx = throughGates(gx, gGates, torch.cat({ i, f, candidate, o }, 2), size, 3, 4) end
  return gx, torch.cmul(gCell, f)
end

rules.lstm_cell = rules.saving('x, c0, result[2], result[3]', function(g, x, c0, c, gates)
  if C.gradMode() then return lstmAgain(g[1], g[2], g[3], x, c0) end
  local gx, gc0
  if g[1] or g[2] then gx, gc0 = torch.lstm_cell_grad(g[1], g[2], gates, c0, c) end
  return throughGates(gx, g[3], gates, c0:size(2), 3, 4), gc0
end)

-- Does the same for gru_cell.
local function gruAgain(g, gGates, x, y, h0)
  local size = h0:size(2)
  local r = torch.sigmoid(torch.add(part(x, 1, size), part(y, 1, size)))
  local z = torch.sigmoid(torch.add(part(x, 2, size), part(y, 2, size)))
  local n = torch.tanh(torch.add(part(x, 3, size), torch.cmul(r, part(y, 3, size))))
  local gr, gz, gn = gGates and part(gGates, 1, size), gGates and part(gGates, 2, size), gGates and part(gGates, 3, size)
  if g then
    gz = add(gz, torch.cmul(g, torch.csub(h0, n)))
    gn = add(gn, torch.cmul(g, torch.add(torch.mul(z, -1), 1)))
  end
  local gnIn = torch.cmul(gn, tanhSlope(n))
  local grIn = torch.cmul(add(gr, torch.cmul(gnIn, part(y, 3, size))), sigmoidSlope(r))
  local gzIn = torch.cmul(gz, sigmoidSlope(z))
  return torch.cat({ grIn, gzIn, gnIn }, 2), torch.cat({ grIn, gzIn, torch.cmul(gnIn, r) }, 2), g and torch.cmul(g, z) or torch.mul(h0, 0)
end

rules.gru_cell = rules.saving('x, y, h0, result[2]', function(g, x, y, h0, gates)
  if C.gradMode() or g[2] then return gruAgain(g[1], g[2], x, y, h0) end
  return torch.gru_cell_grad(g[1], gates, y, h0)
end)

local reason = 'wherever the gradient is to be derived again, it is made of other ops'
rules.lstm_cell_grad, rules.gru_cell_grad = rules.none(reason), rules.none(reason)
