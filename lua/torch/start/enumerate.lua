--- The global pairs, which goes through all of torch, nn, optim and other packages of `torch.start.lazy_loader`, and the classes of
-- tensors, though their fields are read on demand.
-- A program that wraps each module or method finds them by pairs, as in Torch7: so the rest is read first. Any other table goes on
-- to the `__pairs` of its metatable, as in Lua 5.2, or to Lua's own pairs, 15 ns later. `next`, and a pairs kept from before torch was
-- loaded, show what was used so far.
-- @module torch.start.enumerate
local debug, error, ipairs, next, pcall, rawget, tostring = debug, error, ipairs, next, pcall, rawget, tostring
local plain, getmetatable = pairs, debug.getmetatable

local owners = {}     -- package or metatable of a class -> the table whose metatable has `__names`, the fields it reads

local function read(t, name) return t[name] end

-- What pairs goes through in place of t: the package itself, or a class's methods with those of the table that several share.
local function whole(t, owner)
  for _, name in ipairs(debug.getmetatable(owner).__names()) do
    local good, problem = pcall(read, owner, name)
    -- A part may need a package that is not installed, as autograd.nnwrapper needs nn: pairs shows the others. LuaJIT marks the first
    -- part that could not be read, and says so to the next one that needs it.
    problem = good and '' or tostring(problem)
    if not good and not problem:find "module '[%w_.]+' not found" and not problem:find 'previous error loading' then error(problem, 0) end
  end
  if t == owner then return t end
  local all = {}
  for _, layer in ipairs { owner, t } do
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

--- Makes pairs go through all of a package, or of a class of tensors.
-- @tparam table t the package, or the class's metatable
-- @tparam[opt=t] table owner what has `__names` in its metatable: the package, or the methods that several classes share
return function(t, owner) owners[t] = owner or t end
