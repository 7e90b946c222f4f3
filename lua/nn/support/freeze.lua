--- Freezing of parameters by their names in `stateDict`.
-- A frozen parameter is not tracked, and has no gradient in its module's field, so that Torch7's protocol leaves it out. The field
-- `_frozen` of the module has what unfreezing restores: by field, the gradient, and whether the parameter was tracked.
-- @module nn.support.freeze
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local state, gradientName = require 'nn.support.state', require 'nn.support.gradient_name'

local freeze = {}

-- Returns Lua's pattern for a name with * and ?.
local function patternOf(glob)
  return '^' .. glob:gsub('[%^%$%(%)%%%.%[%]%+%-]', '%%%0'):gsub('%*', '.*'):gsub('%?', '.') .. '$'
end

local function fits(name, glob)
  local pattern = patternOf(glob)
  if name:find(pattern) then return true end
  local path = name
  repeat      -- a module's path stands for all in it
    path = path:match '^(.*)%.[^.]*$'
    if path and path:find(pattern) then return true end
  until not path
  return false
end

local function listOf(entries)
  local names = {}
  for i = 1, math.min(#entries, 6) do names[i] = entries[i].name end
  return table.concat(names, ', ') .. (#entries > 6 and ', ...' or '')
end

-- Returns the parameters of the names, and those that are the same tensors under other names.
local function chosen(where, module, globs)
  local parameters, wanted, list = {}, {}, {}
  for _, entry in ipairs((state.entries(module))) do
    if not entry.isBuffer then parameters[#parameters + 1] = entry end
  end
  if #globs == 0 then globs = { '*' } end
  for _, glob in ipairs(globs) do
    local found = glob == '*'
    check.text(where, 'pattern', glob)
    for _, entry in ipairs(parameters) do
      if fits(entry.name, glob) then wanted[entry.source], found = true, true end
    end
    if not found then
      check.raise(('%s: pattern: %q, expected a name of a parameter or module, possibly with * and ?: %s'):format(where, glob,
        #parameters > 0 and listOf(parameters) or 'there are no parameters'))
    end
  end
  for _, entry in ipairs(parameters) do
    if wanted[entry.source] then list[#list + 1] = entry end
  end
  return list
end

local function isListed(module, parameter)
  for _, other in ipairs(module:parameters() or {}) do
    if rawequal(other, parameter) then return true end
  end
  return false
end

-- Takes the gradient of a parameter out of its module; nil if the module returns the parameter regardless.
local function take(entry)
  local module, field = entry.module, gradientName[entry.field]
  local gradient = module[field]
  module[field] = nil
  if not isListed(module, entry.source) then return gradient or false end
  module[field] = gradient
end

--- Freezes parameters.
-- @tparam nn.Module module
-- @tparam {string,...} globs none: all
function freeze.freeze(module, globs)
  local where, done = torch.type(module) .. ': freeze', {}
  for _, entry in ipairs(chosen(where, module, globs)) do
    local owner = entry.module
    if not (rawget(owner, '_frozen') and owner._frozen[entry.field]) then
      local gradient = take(entry)
      if gradient == nil then
        for _, earlier in ipairs(done) do earlier[1][gradientName[earlier[2]]] = earlier[3] or nil end
        check.raise(('%s: %s: a parameter of a %s, expected one of a class that can do without its gradient'):format(where, entry.name,
          torch.type(owner)))
      end
      done[#done + 1] = { owner, entry.field, gradient, C.tracked(entry.source), entry.source }
    end
  end
  for _, taken in ipairs(done) do
    local owner, field, gradient, isTracked, parameter = unpack(taken)
    if not rawget(owner, '_frozen') then rawset(owner, '_frozen', {}) end
    owner._frozen[field] = { gradient = gradient, tracked = isTracked }
    if gradient then gradient:zero() end
    if C.tracked(parameter) then parameter:requiresGrad(false) end
  end
end

-- The gradient of a parameter that another tensor may have replaced since.
local function gradientFor(parameter, gradient)
  if gradient and gradient:isSameSizeAs(parameter) and gradient:type() == parameter:type() then return gradient:zero() end
  return torch.zerosLike(C.detach(parameter))
end

--- Undoes `freeze`.
-- @tparam nn.Module module
-- @tparam {string,...} globs none: all
function freeze.unfreeze(module, globs)
  for _, entry in ipairs(chosen(torch.type(module) .. ': unfreeze', module, globs)) do
    local owner, field = entry.module, entry.field
    local frozen = rawget(owner, '_frozen')
    local former = frozen and frozen[field]
    if former then
      owner[gradientName[field]] = gradientFor(entry.source, former.gradient)
      if former.tracked then entry.source:requiresGrad() end
      frozen[field] = nil
      if next(frozen) == nil then rawset(owner, '_frozen', nil) end
    end
  end
end

--- Returns the number of elements of all parameters, and of those that are not frozen; tensors in the same memory count once.
-- @tparam nn.Module module
-- @treturn int
-- @treturn int
function freeze.count(module)
  local all, free, met = 0, 0, {}
  for _, entry in ipairs((state.entries(module))) do
    local x = entry.source
    local key = x:nElement() > 0 and ('%d:%d:%d'):format(torch.pointer(x:storage()), x:storageOffset(), x:nElement())
    if not entry.isBuffer and key and not met[key] then
      met[key] = true
      all = all + x:nElement()
      if not (rawget(entry.module, '_frozen') and entry.module._frozen[entry.field]) then free = free + x:nElement() end
    end
  end
  return all, free
end

return freeze
