// The syntax of graphs as text: a tree of statements and expressions, before names and ops have a meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace mt::syntax {

struct Node {
  enum class Type : uint8_t { number, text, boolean, none, name, call, list, binary };
  Type type = Type::none;
  bool negative = false;            // minus a name
  char sign = 0;                    // of a binary expression: + - * and / for //
  double number = 0;                // also of a boolean: 0 or 1
  std::optional<double> imaginary;  // of a complex number: 1+2i
  int result = 1;                   // of a call: f(x)[2]
  size_t at = 0;                    // where it begins in the text
  std::string text;                 // name, called op, or text
  std::vector<Node> parts;          // arguments, entries, or the two sides
  std::vector<std::string> names;   // of the last arguments, those by name
};

struct Declared {
  std::string name;
  uint16_t kinds = 0;  // 0: the text names none
  bool optional = false;
  std::optional<ValueType> type;
  std::vector<std::string> size_names = {};  // as in Graph::Input
  size_t at = 0;
};

struct Body;

struct Statement {
  enum class Type : uint8_t { constant, call, update, result };
  Type type = Type::call;
  std::vector<Declared> names;  // of results, or of a constant
  std::string target;           // of an update
  std::vector<Node> values;
  std::optional<ValueType> into;
  std::vector<std::string> writes;
  std::string origin;
  int32_t fusion = 0;        // statements of one block have the same number
  std::vector<Body> bodies;  // of a step of control flow
  size_t at = 0;
};

struct Tree {
  std::vector<Declared> inputs;
  std::vector<Statement> statements;
};

struct Body {
  std::string name;
  size_t at = 0;
  Tree graph;
};

// Whether a text can be the name of an input, a constant or a result: an identifier that has no other meaning.
bool is_name(std::string_view text);

// Where a text is, for messages: "function: argument: ...".
struct Source {
  std::string_view text, function, argument;
  // Raises an error: what the text has at a position, and what was expected.
  [[noreturn]] void refuse(size_t at, std::string_view expected) const;
  std::string line_of(size_t at) const;  // "line 2: ", or nothing in a text of one line
};

Tree parse(const Source& source);
Node parse_expression(const Source& source);

}  // namespace mt::syntax
