--- How values are shown, by MIME types: what a frontend chooses from.
-- @module notebook.mime
local base64 = require 'torch.file.base64'
local pretty = require 'trepl.pretty'

local mime = {}

local Given = {}      -- the class of values that are shown by given texts

--- A value that is shown by given texts.
-- @tparam {[string]=string} data
-- @treturn table
function mime.given(data) return setmetatable({ data = data }, Given) end

function Given:__mime() return self.data end

function Given:__tostring() return self.data['text/plain'] or next(self.data) end

Given.__index = Given

-- The texts that a value's class gives, where it has a method for that.
local function ofClass(value)
  local class = type(value) ~= 'string' and debug.getmetatable(value)
  local method = type(class) == 'table' and class.__mime
  if type(method) == 'function' then return method(value) end
end

local magic = { ['image/png'] = '^\137PNG', ['image/jpeg'] = '^\255\216' }      -- how files begin

-- The text of what a class gives: pictures as their bytes, or in base64 already.
local function textOf(name, content)
  return magic[name] and content:find(magic[name]) and base64(content) or content
end

-- The table of a tensor of one or two dimensions.
local function ofTensor(value)
  local torch = package.loaded.torch
  if type(value) ~= 'userdata' or not torch or not torch.isTensor(value) then return nil end
  local good, html = pcall(require 'notebook.tables', value)      -- one that has no elements to show, as on meta, has its text
  return good and html and { ['text/html'] = html } or nil
end

--- The texts of a value by MIME types, a plain one among them.
-- @param value anything
-- @treturn ?{[string]=string} nil where nothing is to be shown, as of what display gives
-- @treturn table what frontends are told beside, by MIME types: `width` and `height` of pictures
function mime.bundle(value)
  local data, own, metadata = {}, ofClass(value)
  if own and next(own) == nil then return nil, {} end
  for name, content in pairs(own or ofTensor(value) or {}) do data[name] = textOf(name, content) end
  if not data['text/plain'] then data['text/plain'] = tostring(pretty.text(value)):gsub('\n+$', '') end
  return data, metadata or {}
end

return mime
