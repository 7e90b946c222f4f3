--- The int at the start of each object of a t7 file: the kind of the object.
-- @module torch.file.tags
return {
  none = 0,              -- nil
  number = 1,            -- double
  string = 2,            -- int length, bytes
  table = 3,             -- index; if new: int count, pairs of objects
  object = 4,            -- index; if new: version, class name, contents
  boolean = 5,           -- int
  oldFunction = 6,       -- int length, bytecode, array of upvalues
  legacyFunction = 7,    -- index; if new: as 6
  closure = 8,           -- index; if new: int length, bytecode, array of {name=, id=, value=}
}
