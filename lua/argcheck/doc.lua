--- Collects the texts of declarations while they are read, as a page of documentation.
-- @module argcheck.doc
-- @usage local doc = require 'argcheck.doc'
-- doc.record()
-- require 'mypackage'
-- print(doc.stop())
local doc = { texts = nil }

--- Begins to collect.
function doc.record() doc.texts = {} end

--- Ends it.
-- @treturn string what was collected
function doc.stop()
  local texts = doc.texts or {}
  doc.texts = nil
  return table.concat(texts, '\n')
end

return setmetatable(doc, {
  __call = function(_, text)
    if doc.texts then doc.texts[#doc.texts + 1] = tostring(text) end
  end,
})
