--- Whether functions in files are loaded if neither the file nor the call decides it: they are code of the file's author. `th --functions`
-- sets it.
-- @module torch.file.trust
return { functions = false }
