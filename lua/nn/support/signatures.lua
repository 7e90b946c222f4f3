--- The declared arguments of functions (nn.support.signature), by the functions: lists of {name, kind, …}.
-- @module nn.support.signatures
return setmetatable({}, { __mode = 'k' })
