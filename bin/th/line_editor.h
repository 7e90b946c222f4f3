// Reads lines from a terminal: with editing, history and completion by libedit if it was available at build time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace th {

struct Completion {
  std::string insert;                   // text to insert at the cursor
  std::vector<std::string> candidates;  // candidates to show, if any
};

/// Returns a completion for the text before the cursor. Must not throw.
using Completer = std::function<Completion(const std::string&)>;

enum class LineEnd { line, end_of_input, interrupt };

/// Reads a line into `line`, without its end. Without editing if standard input is no terminal.
LineEnd read_line(const std::string& prompt, std::string& line);

/// Whether there are pasted lines to read.
bool has_pasted();

/// Number of columns of the output's terminal; 0 if it is no terminal, or unknown.
int columns_of_terminal();

void add_history(const std::string& entry);

void set_completer(Completer completer);

}  // namespace th
