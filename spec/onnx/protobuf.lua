-- Writes protocol buffers field by field, for files that no exporter would write.
local protobuf = {}

function protobuf.varint(n)
  local text = ''
  if n < 0 then      -- 64 bits in two's complement
    for _ = 1, 9 do
      text = text .. string.char(n % 128 + 128)
      n = math.floor(n / 128)
    end
    return text .. '\1'
  end
  repeat
    local low = n % 128
    n = math.floor(n / 128)
    text = text .. string.char(n > 0 and low + 128 or low)
  until n == 0
  return text
end

function protobuf.number(field, n) return protobuf.varint(field * 8) .. protobuf.varint(n) end
function protobuf.bytes(field, text) return protobuf.varint(field * 8 + 2) .. protobuf.varint(#text) .. text end

local number, bytes = protobuf.number, protobuf.bytes

-- ---- messages of onnx.proto

function protobuf.tensor(t)
  local text = ''
  for _, size in ipairs(t.sizes or {}) do text = text .. number(1, size) end
  text = text .. number(2, t.type or 1) .. bytes(8, t.name or '')
  if t.raw then text = text .. bytes(9, t.raw) end
  for key, value in pairs(t.place or {}) do text = text .. bytes(13, bytes(1, key) .. bytes(2, value)) end
  if t.place then text = text .. number(14, 1) end
  return text
end

-- A node { op, inputs, outputs, attributes = bytes, domain = }.
function protobuf.node(n)
  local text = ''
  for _, name in ipairs(n[2]) do text = text .. bytes(1, name) end
  for _, name in ipairs(n[3]) do text = text .. bytes(2, name) end
  text = text .. bytes(4, n[1])
  for _, attribute in ipairs(n.attributes or {}) do text = text .. bytes(5, attribute) end
  return text .. bytes(7, n.domain or '')
end

function protobuf.integer(name, value) return bytes(1, name) .. number(3, value) .. number(20, 2) end
function protobuf.integers(name, list)
  local text = bytes(1, name)
  for _, value in ipairs(list) do text = text .. number(8, value) end
  return text .. number(20, 7)
end
function protobuf.text(name, value) return bytes(1, name) .. bytes(4, value) .. number(20, 3) end
function protobuf.graphAttribute(name, graph) return bytes(1, name) .. bytes(6, graph) .. number(20, 5) end

-- The declaration of a tensor: a type of elements, and sizes: numbers, or names for unknown ones.
function protobuf.value(name, type, sizes)
  local shape = ''
  for _, size in ipairs(sizes or {}) do
    shape = shape .. bytes(1, _G.type(size) == 'number' and number(1, size) or bytes(2, size))
  end
  return bytes(1, name) .. bytes(2, bytes(1, number(1, type) .. (sizes and bytes(2, shape) or '')))
end

function protobuf.graph(g)
  local text = ''
  for _, node in ipairs(g.nodes or {}) do text = text .. bytes(1, protobuf.node(node)) end
  for _, tensor in ipairs(g.tensors or {}) do text = text .. bytes(5, protobuf.tensor(tensor)) end
  for _, value in ipairs(g.inputs or {}) do text = text .. bytes(11, value) end
  for _, value in ipairs(g.outputs or {}) do text = text .. bytes(12, value) end
  return text
end

-- A model { graph, version = of the operator set, functions = bytes }.
function protobuf.model(m)
  local text = number(1, 8) .. bytes(7, m[1])
  text = text .. bytes(8, bytes(1, '') .. number(2, m.version or 17))
  for _, f in ipairs(m.functions or {}) do text = text .. bytes(25, f) end
  return text
end

return protobuf
