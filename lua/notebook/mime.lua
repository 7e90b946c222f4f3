--- How values are shown, by MIME types: what a frontend chooses from.
-- @module notebook.mime
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
  return type(method) == 'function' and method(value) or nil
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
function mime.bundle(value)
  local data, own = {}, ofClass(value)
  if own and next(own) == nil then return nil end
  for name, text in pairs(own or ofTensor(value) or {}) do data[name] = text end
  if not data['text/plain'] then data['text/plain'] = tostring(pretty.text(value)):gsub('\n+$', '') end
  return data
end

return mime
