--- Returns the name of a command line key in the parsed table: without its dashes.
-- @module torch.cmdline.strip
return function(key) return (key:gsub('^%-+', '')) end
