--- Whether texts have the terminal's colours.
-- @module dok
local escapes = require 'sys.colors'

local colours = {}

local none = setmetatable({}, { __index = function() return '' end })
local isOn = true

--- Enables colours in texts, which is the default.
-- @function dok.usecolors
function colours.usecolors() isOn = true end

--- Disables colours in texts.
-- @function dok.dontusecolors
function colours.dontusecolors() isOn = false end

--- The escape sequences by name, empty if colours are disabled.
-- @treturn table
function colours.now() return isOn and escapes or none end

--- A text without escape sequences.
-- @string text
function colours.plain(text) return (text:gsub('\27%[[%d;]*m', '')) end

return colours
