--- Representations of values by MIME types, from which a frontend chooses.
-- @module notebook.mime
local base64 = require 'torch.file.base64'
local pretty = require 'trepl.pretty'

local mime = {}

local Given = {}      -- the class of values with given representations

--- A value with given representations.
-- @tparam {[string]=string} data
-- @treturn table
function mime.given(data) return setmetatable({ data = data }, Given) end

function Given:__mime() return self.data end

function Given:__tostring() return self.data['text/plain'] or next(self.data) end

Given.__index = Given

-- The representations from a value's class, if it has a method for them.
local function ofClass(value)
  local class = type(value) ~= 'string' and debug.getmetatable(value)
  local method = type(class) == 'table' and class.__mime
  if type(method) == 'function' then return method(value) end
end

local magic = { ['image/png'] = '^\137PNG', ['image/jpeg'] = '^\255\216' }      -- the first bytes of files

-- The text of a class's representation: encodes pictures, unless they are already in base64.
local function textOf(name, content)
  return magic[name] and content:find(magic[name]) and base64(content) or content
end

-- The table of a tensor of one or two dimensions.
local function ofTensor(value)
  local torch = package.loaded.torch
  if type(value) ~= 'userdata' or not torch or not torch.isTensor(value) then return nil end
  local good, html = pcall(require 'notebook.tables', value)      -- a tensor without elements to show, as on meta, is shown as text
  return good and html and { ['text/html'] = html } or nil
end

--- The texts of a value by MIME types, including a plain one.
-- @param value anything
-- @treturn ?{[string]=string} nil if there is nothing to show, as for results of display
-- @treturn table metadata for frontends, by MIME types: `width` and `height` of pictures
function mime.bundle(value)
  local data, own, metadata = {}, ofClass(value)
  if own and next(own) == nil then return nil, {} end
  for name, content in pairs(own or ofTensor(value) or {}) do data[name] = textOf(name, content) end
  if not data['text/plain'] then data['text/plain'] = tostring(pretty.text(value)):gsub('\n+$', '') end
  return data, metadata or {}
end

return mime
