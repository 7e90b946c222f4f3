--- A module of a table with a function `forward(self, ...)`.
-- Tensors of nn.Parameter and nn.Buffer and modules among the fields are members, as in a class that defines `forward`; later assignments
-- add to them. Copies keep the function, with its upvalues, and so do files, which `torch.load(name, mode, { functions = true })` reads.
-- @usage local net = nn.TableModule { forward = function(self, x) return torch.tanh(self.fc(x)) end, fc = nn.Linear(3, 2) }
-- @classmod nn.TableModule
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local TableModule, parent = torch.class('nn.TableModule', 'nn.Module')

-- Returns the names and values of the fields: first the pairs in the list part, in its order, then the others, by name.
local function entries(fields)
  local list, names = {}, {}
  for i, pair in ipairs(fields) do
    if type(pair) ~= 'table' or torch.typename(pair) or type(pair[1]) ~= 'string' then
      check.raise(('nn.TableModule: fields: entry %d: %s, expected a pair of a name and a value'):format(i, torch.type(pair)))
    end
    list[i] = pair
  end
  for name in pairs(fields) do
    if type(name) == 'string' and name ~= 'forward' then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do list[#list + 1] = { name, fields[name] } end
  return list
end

--- @tparam table fields a function `forward`, called with the module and its inputs, and any others; the order of members is that of
-- `{name, value}` pairs in the list part, then alphabetical
-- @raise if `forward` is missing, or the list part has something else than pairs
function TableModule:__init(fields)
  check.table('nn.TableModule', 'fields', fields)
  if type(fields.forward) ~= 'function' then
    check.raise(('nn.TableModule: forward: %s, expected a function'):format(torch.type(fields.forward)))
  end
  local list = entries(fields)
  parent.__init(self)
  for _, entry in ipairs(list) do self[entry[1]] = entry[2] end
  self._forward = fields.forward
end

function TableModule:forward(...) return self._forward(self, ...) end

TableModule.__givesWay = true      -- Torch7 lacks it

return TableModule
