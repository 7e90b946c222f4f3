--- Frees the gradients of parameters, and restores them later.
-- @module optnet.gradients
local torch, storages = require 'torch', require 'optnet.storages'

local gradients = {}

local field = '__gradientLayout'

-- Contains only numbers, so that files and copies of the module can contain it.
local function layoutOf(tensor)
  local storage = tensor:storage()
  if not storage then return nil end
  return {
    storage = torch.pointer(storage), elements = storage:size(), offset = tensor:storageOffset(),
    sizes = tensor:size():totable(), strides = tensor:stride():totable(),
  }
end

--- Empties the gradients of all parameters; each module remembers their layout.
-- @tparam nn.Module net
function gradients.remove(net)
  local _, all = net:parameters()
  local isGradient = {}
  for _, gradient in ipairs(all or {}) do isGradient[torch.pointer(gradient)] = true end
  local modules, removed = net:listModules(), {}
  for _, module in ipairs(modules) do
    local layouts
    for name, value in pairs(module) do
      if torch.isTensor(value) and isGradient[torch.pointer(value)] then
        layouts = layouts or {}
        layouts[name] = layoutOf(value)
        removed[#removed + 1] = value
      end
    end
    rawset(module, field, layouts)
  end
  storages.empty(removed)
end

--- Allocates the gradients again, zero and shared as before.
-- @tparam nn.Module net
function gradients.restore(net)
  local made = {}
  for _, module in ipairs(net:listModules()) do
    for name, layout in pairs(rawget(module, field) or {}) do
      local tensor = module[name]
      made[layout.storage] = made[layout.storage] or tensor.new(layout.elements):zero():storage()
      torch.noGrad(tensor.set, tensor, made[layout.storage], layout.offset, torch.LongStorage(layout.sizes),
        torch.LongStorage(layout.strides))
    end
    rawset(module, field, nil)
  end
end

return gradients
