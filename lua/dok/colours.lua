--- Whether texts have the terminal's colours.
-- @module dok
local escapes = require 'sys.colors'

local colours = {}

local none = setmetatable({}, { __index = function() return '' end })
local isOn = true

--- Texts have colours from here on, as they do from the start.
-- @function dok.usecolors
function colours.usecolors() isOn = true end

--- Texts have no colours from here on.
-- @function dok.dontusecolors
function colours.dontusecolors() isOn = false end

--- The escape sequences by name, empty where there are no colours.
-- @treturn table
function colours.now() return isOn and escapes or none end

--- A text without escape sequences.
-- @string text
function colours.plain(text) return (text:gsub('\27%[[%d;]*m', '')) end

return colours
