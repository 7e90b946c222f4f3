-- Recurrent cells by their equations, in plain Lua float64. A tensor is { sizes = {...}, data = {...} }, row-major.
local reference = {}

local function sigmoid(x) return 1 / (1 + math.exp(-x)) end
local function like(sizes) return { sizes = { sizes[1], sizes[2] }, data = {} } end

-- Calls fn(k, at) for each element k of the state, at(i) being the place of its element in part i of the gates.
local function eachUnit(state, parts, fn)
  local size = state.sizes[2]
  for k = 1, #state.data do
    local row, j = math.floor((k - 1) / size), (k - 1) % size + 1
    fn(k, function(i) return (row * parts + i - 1) * size + j end)
  end
end

function reference.lstm_cell(x, c0)
  local h, c, gates = like(c0.sizes), like(c0.sizes), like(x.sizes)
  eachUnit(c0, 4, function(k, at)
    local v, to = x.data, gates.data
    to[at(1)], to[at(2)], to[at(3)], to[at(4)] = sigmoid(v[at(1)]), sigmoid(v[at(2)]), math.tanh(v[at(3)]), sigmoid(v[at(4)])
    c.data[k] = to[at(2)] * c0.data[k] + to[at(1)] * to[at(3)]
    h.data[k] = to[at(4)] * math.tanh(c.data[k])
  end)
  return h, c, gates
end

function reference.lstm_cell_grad(gh, gc, gates, c0, c)
  local gx, gc0 = like(gates.sizes), like(c0.sizes)
  eachUnit(c0, 4, function(k, at)
    local i, f, g, o = gates.data[at(1)], gates.data[at(2)], gates.data[at(3)], gates.data[at(4)]
    local t = math.tanh(c.data[k])
    local cell = gc.data[k] + gh.data[k] * o * (1 - t * t)
    gx.data[at(1)], gx.data[at(2)] = cell * g * i * (1 - i), cell * c0.data[k] * f * (1 - f)
    gx.data[at(3)], gx.data[at(4)] = cell * i * (1 - g * g), gh.data[k] * t * o * (1 - o)
    gc0.data[k] = cell * f
  end)
  return gx, gc0
end

function reference.gru_cell(x, y, h0)
  local h, gates = like(h0.sizes), like(x.sizes)
  eachUnit(h0, 3, function(k, at)
    local r, z = sigmoid(x.data[at(1)] + y.data[at(1)]), sigmoid(x.data[at(2)] + y.data[at(2)])
    local n = math.tanh(x.data[at(3)] + r * y.data[at(3)])
    gates.data[at(1)], gates.data[at(2)], gates.data[at(3)] = r, z, n
    h.data[k] = (1 - z) * n + z * h0.data[k]
  end)
  return h, gates
end

function reference.gru_cell_grad(g, gates, y, h0)
  local gx, gy, gh0 = like(gates.sizes), like(gates.sizes), like(h0.sizes)
  eachUnit(h0, 3, function(k, at)
    local r, z, n = gates.data[at(1)], gates.data[at(2)], gates.data[at(3)]
    local gn = g.data[k] * (1 - z) * (1 - n * n)
    gx.data[at(1)], gx.data[at(2)], gx.data[at(3)] = gn * y.data[at(3)] * r * (1 - r), g.data[k] * (h0.data[k] - n) * z * (1 - z), gn
    gy.data[at(1)], gy.data[at(2)], gy.data[at(3)] = gx.data[at(1)], gx.data[at(2)], gn * r
    gh0.data[k] = g.data[k] * z
  end)
  return gx, gy, gh0
end

return reference
