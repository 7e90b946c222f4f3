--- Writes Lua and torch objects in the t7 format.
-- Nesting uses an explicit stack, so that only memory limits the depth; only classes with a custom write recurse.
-- @module torch.file.object_writer
local check, class = require 'torch.check', require 'torch.class'
local ffiNumbers = require 'torch.file.ffi_numbers'
local handle = require 'torch.file.handle'
local imageLayout = require 'torch.file.image_layout'
local tags = require 'torch.file.tags'
local known = require 'torch.file.known_values'

local type, pairs, tostring = type, pairs, tostring
local deepestUnreferenced = 10000
local deepest = 200      -- nested objects of classes with a custom write

local writer = {}

--- Creates the state of a file between calls of writeObject.
function writer.newState()
  return {
    count = 0,          -- number of indices in use
    indices = {},       -- identity -> index
    kept = {},          -- keeps objects alive whose identity is a number
    variables = {},     -- id of an upvalue -> number in the file
    variableCount = 0,
    depth = 0,
  }
end

local function hookOf(x, name)
  local record = class.recordOf(x)
  return record and (class.find(record, '__' .. name, true) or class.find(record, name))
end

local function isLuaFunction(f) return debug.getinfo(f, 'S').what ~= 'C' end

--- Returns the tag of a value, or nil if it cannot be written.
function writer.tagOf(x)
  local kind = type(x)
  if kind == 'nil' then return tags.none end
  if kind == 'number' or kind == 'string' or kind == 'boolean' then return tags[kind] end
  if kind == 'function' then return isLuaFunction(x) and tags.closure or nil end
  local record = class.recordOf(x)
  if record then
    local restorable = rawget(record.metatable, '__factory') and (kind == 'table' or hookOf(x, 'write'))
    return restorable and tags.object or nil
  end
  if ffiNumbers.nameOf(x) then return tags.object end
  return kind == 'table' and tags.table or nil
end

local function identityOf(x)
  local record = type(x) == 'userdata' and class.recordOf(x)
  local pointer = record and class.find(record, '__pointer__')
  return pointer and pointer(x) or x
end

local function writeBytes(file, text)
  file:writeInt(#text)
  if #text > 0 then file:_writeText(text) end
end

-- Writes tag and index. Returns true if the object is new, so that its contents must follow.
local function writeIndex(file, tag, object)
  local state = file._written
  file:writeInt(tag)
  local identity = identityOf(object)
  local index = file._referenced and state.indices[identity]
  if index then
    file:writeInt(index)
    return false
  end
  state.count = state.count + 1
  if file._referenced then
    state.indices[identity] = state.count
    state.kept[#state.kept + 1] = object
  end
  file:writeInt(state.count)
  return true
end

-- Returns the writable fields of an instance; prints a warning about the others.
local function fieldsOf(object, path)
  local fields = {}
  for key, value in pairs(object) do
    if writer.tagOf(key) and writer.tagOf(value) then
      fields[key] = value
    else
      print(('$ Warning: cannot write object field <%s> of <%s> %s'):format(tostring(key), class.typename(object), path()))
    end
  end
  return fields
end

-- Returns the upvalues of a closure. A variable that several closures of a file share has the same id in all of them.
local function upvaluesOf(state, f)
  local upvalues = {}
  local i = 0
  while true do
    i = i + 1
    local name, value = debug.getupvalue(f, i)
    if not name then return upvalues end
    local id = debug.upvalueid(f, i)
    if not state.variables[id] then
      state.variableCount = state.variableCount + 1
      state.variables[id] = state.variableCount
    end
    state.namer = state.namer or known.namer(writer.tagOf)
    local knownAs = state.namer(value)
    if knownAs then value = nil end
    upvalues[i] = { name = name, id = state.variables[id], value = value, known = knownAs }
  end
end

local function writeClassHeader(file, object)
  writeBytes(file, 'V ' .. imageLayout.version(object))
  writeBytes(file, class.typename(object))
end

local function writeWithHook(file, object, hook)
  local state = file._written
  if state.depth > deepest then error(('writeObject: objects that write themselves are nested deeper than %d'):format(deepest), 0) end
  hook(object, handle.of(file))
end

-- Returns keys and values alternately.
local function itemsOf(t)
  local items, n = {}, 0
  for key, value in pairs(t) do
    items[n + 1], items[n + 2] = key, value
    n = n + 2
  end
  return { items = items, n = n, i = 0 }
end

-- Writes the part before an object's items. Returns the table to write next as an object, or the items to write; and whether that table is
-- a function's upvalues.
local function writeHead(file, object, original, path)
  local tag = writer.tagOf(object)
  if tag == tags.closure and file._withoutFunctions then tag = nil end
  if not tag then error(('Unwritable object <%s> at %s'):format(type(object), path()), 0) end
  if tag == tags.none then
    file:writeInt(tag)
  elseif tag == tags.number then
    file:writeInt(tag)
    file:writeDouble(object)
  elseif tag == tags.boolean then
    file:writeInt(tag)
    file:writeBool(object)
  elseif tag == tags.string then
    file:writeInt(tag)
    writeBytes(file, object)
  elseif not writeIndex(file, tag, original) then
    return nil
  elseif tag == tags.table then
    local frame = itemsOf(object)
    file:writeInt(frame.n / 2)
    return nil, frame
  elseif tag == tags.closure then
    writeBytes(file, string.dump(object))
    return upvaluesOf(file._written, object), nil, true
  elseif type(object) == 'cdata' then
    local name = ffiNumbers.nameOf(object)
    writeBytes(file, 'V 1')
    writeBytes(file, name)
    ffiNumbers.write(file, name, object)
  else
    writeClassHeader(file, object)
    local hook = hookOf(object, 'write')
    if not hook then return fieldsOf(object, path) end
    writeWithHook(file, object, hook)
  end
end

local function run(file, root, rootName, hook)
  local stack, top = {}, 0
  -- Returns the path to the current object: keys of tables, and names of upvalues.
  local function path()
    local names, named = { rootName }, false      -- the name of an upvalue is a field of its description
    for i = 1, top do
      local frame = stack[i]
      if frame.ofFunction then
        local upvalue = frame.items[frame.i + frame.i % 2]
        names[#names + 1] = tostring(type(upvalue) == 'table' and upvalue.name)
      elseif not named then
        names[#names + 1] = tostring(frame.items[frame.i - (frame.i + 1) % 2])
      end
      named = frame.ofFunction
    end
    return table.concat(names, '.')
  end

  local object, ofFunction = root, false
  while true do
    local mapped = object
    if hook then mapped = hook(object) end
    local follower, frame, upvaluesFollow = writeHead(file, mapped, mapped == nil and mapped or object, path)
    if frame then
      frame.ofFunction = ofFunction
      top = top + 1
      if top > deepestUnreferenced and not file._referenced then
        error(('writeObject: nested deeper than %d without references: objects that contain themselves need them'):format(top - 1), 0)
      end
      stack[top] = frame
    end
    ofFunction = upvaluesFollow
    if follower then
      object = follower
    else
      while top > 0 and stack[top].i == stack[top].n do
        stack[top] = nil
        top = top - 1
      end
      if top == 0 then return end
      frame = stack[top]
      frame.i = frame.i + 1
      object = frame.items[frame.i]
    end
  end
end

--- Writes one object.
-- @tparam torch.File file
-- @param object any writable value
-- @string[opt='<?>'] name its name in messages
-- @tparam[opt] function hook maps each object before it is written, even objects that classes write
function writer.write(file, object, name, hook)
  local state = file._written
  hook = hook and check.callable('writeObject', 'hook', hook) or state.hook
  name = name or '<?>'
  if state.depth > 0 then
    state.depth = state.depth + 1
    run(file, object, name, hook)
    state.depth = state.depth - 1
    return
  end
  state.depth, state.hook = 1, hook
  local good, err = pcall(run, file, object, name, hook)
  state.depth, state.hook, state.namer = 0, nil, nil
  if not good then error(err, 0) end
end

return writer
