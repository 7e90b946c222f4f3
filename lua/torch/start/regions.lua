--- Modes during a call (noGrad, autocast, withDevice, ...), which belong to the calling coroutine.
-- When a coroutine yields inside such a region, the code that resumed it gets its former modes back; when the coroutine continues, its
-- modes are set again. For this, coroutine.resume and coroutine.wrap check the open regions: a comparison of two numbers if none was opened
-- meanwhile.
-- @module torch.start.regions
local coroutine, error, rawset, table, type, xpcall = coroutine, error, rawset, table, type, xpcall
local create, resume, wrap = coroutine.create, coroutine.resume, coroutine.wrap

local regions = {}

local rethrow      -- torch.start.rethrow, loaded with the first region
local open, count = {}, 0                             -- { set, value to restore }, the innermost last
local suspended = setmetatable({}, { __mode = 'k' })     -- coroutine -> its regions, the outermost first

--- Returns whether the running code is in a region of a mode.
-- @tparam function set as for `call`
-- @treturn bool
function regions.isOpen(set)
  for i = 1, count do
    if open[i].set == set then return true end
  end
  return false
end

-- Closes a region. Code may close regions out of order, for example with a coroutine.resume saved before torch was loaded; so the region is
-- searched.
local function close(region)
  for i = count, 1, -1 do
    if open[i] == region then
      table.remove(open, i)
      count = count - 1
      break
    end
  end
  region.set(region.value)
end

local function finish(region, good, ...)
  close(region)
  if not good then rethrow.raise((...)) end
  return ...
end

--- Calls f with a mode set, and returns its results. Restores the mode even if f raises an error.
-- @tparam function set sets the mode to a value, and returns the previous one
-- @param value
-- @tparam function f
-- @param ... its arguments
function regions.call(set, value, f, ...)
  rethrow = rethrow or require 'torch.start.rethrow'
  local region = { set = set, value = set(value) }
  count = count + 1
  open[count] = region
  return finish(region, xpcall(f, rethrow.remember, ...))
end

-- Suspends the open regions of a coroutine that yielded: restores the former modes, and saves the regions for its next resume.
local function suspend(key, first)
  local kept = {}
  for i = count, first, -1 do
    local region = open[i]
    region.value = region.set(region.value)
    kept[i - first + 1], open[i] = region, nil
  end
  count, suspended[key] = first - 1, kept
end

local function enterAgain(kept)
  for i = 1, #kept do
    local region = kept[i]
    region.value = region.set(region.value)
    count = count + 1
    open[count] = region
  end
end

local function after(key, before, ...)
  if count > before then suspend(key, before + 1) end
  return ...
end

local function enterKept(key)
  local kept = suspended[key]
  if kept then
    suspended[key] = nil
    enterAgain(kept)
  end
end

-- The global coroutine.resume.
rawset(coroutine, 'resume', function(co, ...)
  local before = count
  if co ~= nil and suspended[co] then enterKept(co) end
  return after(co, before, resume(co, ...))
end)

-- Adds the caller's line in front of an error in a function of coroutine.wrap, like Lua.
local function afterWrapped(co, before, good, ...)
  if count > before then suspend(co, before + 1) end
  if not good then error((...), 2) end
  return ...
end

-- The global coroutine.wrap.
rawset(coroutine, 'wrap', function(f)
  if type(f) ~= 'function' then return wrap(f) end      -- raises Lua's error
  local co = create(f)
  return function(...)
    local before = count
    if suspended[co] then enterKept(co) end
    return afterWrapped(co, before, resume(co, ...))
  end
end)

return regions
