--- Whether functions in files are loaded where neither the file nor the call says so: they are code of whoever wrote the file.
-- `th --functions` sets it.
-- @module torch.file.trust
return { functions = false }
