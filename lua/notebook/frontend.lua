--- What the kernel offers natively (messages to a notebook's frontend), at a terminal: text is printed.
-- moontorch-kernel puts its own module of this name into package.loaded, where Moontorch's files find it.
-- @module notebook.frontend
local frontend = {}

--- Shows a value.
-- @string _ 'display', 'update' of what was shown before, or 'result' of a cell
-- @tparam {[string]=string} data its texts, by MIME types; the kernel takes metadata behind it, and the name by which `update` finds it
function frontend.show(_, data) io.write(data['text/plain'] or '', '\n') end

--- Removes what was shown; what stands in a terminal stays there. The kernel takes an argument: whether not before there is something new.
function frontend.clear() end

--- Asks for a line. The kernel takes a second argument: whether what is typed stays hidden.
-- @string prompt
-- @treturn ?string nil at the input's end
-- @treturn ?string why there is none: 'refused' by the frontend, or 'interrupt'
function frontend.ask(prompt)
  io.write(prompt)
  io.flush()
  return (io.read())
end

return frontend
