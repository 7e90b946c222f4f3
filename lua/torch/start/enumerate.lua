--- The global pairs: it traverses all fields of torch, nn, optim and other packages of `torch.start.lazy_loader`, and of the classes of
-- tensors, although these fields are loaded on demand.
-- A program that wraps each module or method finds them with pairs, as in Torch7, because pairs first loads the rest. Any other table uses
-- `__pairs` of its metatable, as in Lua 5.2, or Lua's own pairs, 15 ns slower. `next`, and a pairs saved before torch was loaded, show only
-- the fields used so far.
-- @module torch.start.enumerate
local debug, error, ipairs, next, pcall, rawget, tostring = debug, error, ipairs, next, pcall, rawget, tostring
local plain, getmetatable = pairs, debug.getmetatable

local owners = {}     -- package or metatable of a class -> the table whose metatable has `__names`, the fields that it loads

local function read(t, name) return t[name] end

-- Returns what pairs traverses for t: the package itself, or a class's methods with those of the shared table.
local function whole(t, owner)
  for _, name in ipairs(debug.getmetatable(owner).__names()) do
    local good, problem = pcall(read, owner, name)
    -- A part may need a package that is not installed, as autograd.nnwrapper needs nn: pairs shows the others. LuaJIT marks the first part
    -- that could not be loaded, and raises an error for the next part that needs it.
    problem = good and '' or tostring(problem)
    if not good and not problem:find "module '[%w_.]+' not found" and not problem:find 'previous error loading' then error(problem, 0) end
  end
  local held = debug.getmetatable(owner).__held
  if t == owner and not (held and next(held)) then return t end
  local all = {}
  for _, layer in ipairs { held or {}, owner, t } do
    for name, value in next, layer do all[name] = value end
  end
  return all
end

require 'torch.modules'.replace('pairs', function(t)
  local owner = owners[t]
  if owner then return plain(whole(t, owner)) end
  local metatable = getmetatable(t)
  local iterate = metatable and rawget(metatable, '__pairs')
  if iterate then return iterate(t) end
  return plain(t)
end)

--- Makes pairs traverse all fields of a package, or of a class of tensors.
-- @tparam table t the package, or the class's metatable
-- @tparam[opt=t] table owner the table with `__names` in its metatable: the package, or the methods that several classes share
return function(t, owner) owners[t] = owner or t end
