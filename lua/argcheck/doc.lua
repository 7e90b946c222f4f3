--- Collects the help of declarations while their files are loaded, as a page of documentation.
-- @module argcheck.doc
-- @usage local doc = require 'argcheck.doc'
-- doc.record()
-- require 'mypackage'
-- print(doc.stop())
local doc = { texts = nil }

--- Starts collecting.
function doc.record() doc.texts = {} end

--- Stops collecting.
-- @treturn string the collected text
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
