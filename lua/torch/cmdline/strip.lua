--- The name that a key of the command line has in the parsed table: without its dashes.
-- @module torch.cmdline.strip
return function(key) return (key:gsub('^%-+', '')) end
