--- Modes that hold for the time of a call (noGrad, autocast, withDevice, ...), and belong to the coroutine that makes the call.
-- A coroutine that yields inside such a region leaves it to whoever resumes it as it was, and is in it again when it goes on. For this
-- coroutine.resume and coroutine.wrap look at the regions that are open: a comparison of two numbers, where none was opened in between.
-- @module torch.start.regions
local coroutine, error, rawset, table, type, xpcall = coroutine, error, rawset, table, type, xpcall
local create, resume, wrap = coroutine.create, coroutine.resume, coroutine.wrap

local regions = {}

local rethrow      -- torch.start.rethrow, read with the first region
local open, count = {}, 0                             -- { set, value to put back }, the innermost last
local suspended = setmetatable({}, { __mode = 'k' })     -- coroutine -> its regions, the outermost first

--- Whether a region of a mode is open in what runs.
-- @tparam function set as of `call`
-- @treturn bool
function regions.isOpen(set)
  for i = 1, count do
    if open[i].set == set then return true end
  end
  return false
end

-- A region that code closed out of order, as with a coroutine.resume that was kept from before torch was loaded, is found where it is.
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

--- Calls f with a mode set, and returns what it returns. The mode is put back when f raises, too.
-- @tparam function set sets the mode to a value, and returns the one before
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

-- The regions that a coroutine has opened and is in no longer: their modes are put back, and kept for it.
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

-- An error in a function of coroutine.wrap gets the line of its call in front, as Lua's own has it.
local function afterWrapped(co, before, good, ...)
  if count > before then suspend(co, before + 1) end
  if not good then error((...), 2) end
  return ...
end

-- The global coroutine.wrap.
rawset(coroutine, 'wrap', function(f)
  if type(f) ~= 'function' then return wrap(f) end      -- which says what is wrong
  local co = create(f)
  return function(...)
    local before = count
    if suspended[co] then enterKept(co) end
    return afterWrapped(co, before, resume(co, ...))
  end
end)

return regions
