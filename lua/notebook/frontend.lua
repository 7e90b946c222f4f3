--- A replacement at a terminal for the kernel's native messages to a notebook's frontend: prints text.
-- moontorch-kernel puts a native module with this name into package.loaded, where Moontorch's files find it.
-- @module notebook.frontend
local frontend = {}

--- Shows a value.
-- @string _ 'display', 'update' of an earlier display, or 'result' of a cell
-- @tparam {[string]=string} data its texts, by MIME types; the kernel accepts further arguments: metadata, and the name for `update`
function frontend.show(_, data) io.write(data['text/plain'] or '', '\n') end

--- Clears the output; does nothing at a terminal. The kernel accepts an argument: whether to wait for new output.
function frontend.clear() end

--- Asks for a line. The kernel accepts a second argument: whether to hide the input.
-- @string prompt
-- @treturn ?string nil at the end of the input
-- @treturn ?string the reason for nil: 'refused' by the frontend, or 'interrupt'
function frontend.ask(prompt)
  io.write(prompt)
  io.flush()
  return (io.read())
end

return frontend
