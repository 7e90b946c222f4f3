#include "engine/graph/syntax.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace mt::syntax {
namespace {

constexpr int most_nested = 100;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), text_(source.text) { skip(); }

  Tree graph() {
    if (word() != "graph") source_.refuse(0, "graph(");
    Tree tree = inputs_and_statements();
    end();
    return tree;
  }

  Node whole_expression() {
    Node node = expression();
    end();
    return node;
  }

 private:
  Tree inputs_and_statements() {
    Tree tree;
    expect("(");
    while (!accept(")")) {
      if (!tree.inputs.empty()) expect(",");
      Declared input = declared();
      input.optional = accept("?");
      tree.inputs.push_back(std::move(input));
    }
    expect("{");
    int32_t fusion = 0;
    while (!accept("}")) {
      if (at_ >= text_.size()) source_.refuse(at_, "}");
      if (accept_fused())
        fused(tree, ++fusion);
      else
        tree.statements.push_back(statement());
    }
    return tree;
  }

  // Skips spaces and comments, and stores the text of the last comment.
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '-' && text_.substr(at_, 2) == "--") {
        size_t line_end = std::min(text_.find('\n', at_), text_.size());
        size_t first = at_ + 2;
        while (first < line_end && text_[first] == ' ') ++first;
        comment_ = text_.substr(first, line_end - first);
        at_ = line_end;
      } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool accept(std::string_view sign) {
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    skip();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) source_.refuse(at_, sign);
  }
  void end() {
    if (at_ < text_.size()) source_.refuse(at_, "the end");
  }
  bool is_at_name() const { return at_ < text_.size() && is_letter(text_[at_]); }
  std::string_view word() {
    if (!is_at_name()) source_.refuse(at_, "a name");
    const size_t first = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view name = text_.substr(first, at_ - first);
    skip();
    return name;
  }

  double number() {
    double value = 0;
    const char* const first = text_.data() + at_;
    const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc()) source_.refuse(at_, "a number");
    at_ += static_cast<size_t>(last - first);
    skip();
    return value;
  }

  double inf_or_nan(std::string_view name) const {
    return name == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }

  // After a number: the imaginary part of a complex one, which has a sign and an "i". Anything else stays.
  void imaginary_part(Node& node) {
    const size_t start = at_;
    const bool minus = start < text_.size() && text_[start] == '-';
    if (!minus && !(start < text_.size() && text_[start] == '+')) return;
    ++at_;
    const std::string_view rest = text_.substr(at_);
    double value = 0;
    if (rest.starts_with("inf") || rest.starts_with("nan")) {
      value = inf_or_nan(rest.substr(0, 3));
      at_ += 3;
    } else if (!rest.empty() && (is_digit(rest[0]) || rest[0] == '.')) {
      const auto [last, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (error == std::errc()) at_ += static_cast<size_t>(last - rest.data());
    }
    const bool ends =
        at_ < text_.size() && text_[at_] == 'i' && (at_ + 1 == text_.size() || !(is_letter(text_[at_ + 1]) || is_digit(text_[at_ + 1])));
    if (!ends || at_ == start + 1) {
      at_ = start;
      return;
    }
    ++at_;
    skip();
    node.imaginary = minus ? -value : value;
  }

  // name, name: kind|kind, or name: float32[2, 3]
  Declared declared() {
    Declared d;
    d.at = at_;
    d.name = word();
    if (!accept(":")) return d;
    do {
      const size_t at = at_;
      const std::string_view name = word();
      const auto* const kind = std::ranges::find(kind_names, name, &KindNames::word);
      if (kind != std::end(kind_names)) {
        d.kinds |= kind->kinds;
        continue;
      }
      const std::optional<DType> dtype = find_dtype(name);
      if (!dtype || d.kinds != 0) source_.refuse(at, "a kind of arguments or a dtype");
      d.type = ValueType{*dtype, sizes(&d.size_names)};
      d.kinds = kind_tensor;
      return d;
    } while (accept("|"));
    return d;
  }
  // [2, ?, 3]; with `names` also sizes that have one: [batch, 3].
  std::vector<int64_t> sizes(std::vector<std::string>* names = nullptr) {
    std::vector<int64_t> list;
    expect("[");
    while (!accept("]")) {
      if (!list.empty()) expect(",");
      if (list.size() == max_dims) source_.refuse(at_, "]");
      const size_t at = at_;
      if (accept("?")) {
        list.push_back(ValueType::unknown_size);
        continue;
      }
      if (names != nullptr && is_at_name()) {
        names->resize(list.size());
        names->emplace_back(word());
        list.push_back(ValueType::unknown_size);
        continue;
      }
      const double size = number();
      if (!(size >= 0 && size < 0x1p53 && size == std::floor(size))) source_.refuse(at, "a size");
      list.push_back(static_cast<int64_t>(size));
    }
    return list;
  }

  Statement statement() {
    Statement s;
    s.at = at_;
    const size_t start = at_;
    const std::string_view first = word();
    if (first == "return") {
      s.type = Statement::Type::result;
      do {
        s.values.push_back(expression());
      } while (accept(","));
      return s;
    }
    if (first == "constant" && is_at_name()) {
      s.type = Statement::Type::constant;
      s.names.push_back(declared());
      return s;
    }
    if (first == "update" && is_at_name()) {
      s.type = Statement::Type::update;
      s.target = word();
      expect("=");
      s.values.push_back(expression());
      return s;
    }
    at_ = start;
    if (!is_at_call()) {
      do {
        s.names.push_back(declared());
      } while (accept(","));
      expect("=");
    }
    comment_ = {};
    s.values.push_back(expression());
    if (accept("{")) {
      s.origin = comment_;
      bodies(s);
      return s;
    }
    const size_t after = at_;
    const std::string_view comment = comment_;
    const std::string_view next = is_at_name() ? word() : std::string_view();
    if (next == "writes") {
      do {
        s.writes.emplace_back(word());
      } while (accept(","));
    } else if (next == "into") {
      const size_t at = at_;
      const std::optional<DType> dtype = find_dtype(word());
      if (!dtype) source_.refuse(at, "a dtype");
      s.into = ValueType{*dtype, sizes()};
    } else {
      at_ = after;
      comment_ = comment;
    }
    s.origin = comment_;
    return s;
  }

  // name(inputs) { statements } ..., behind the bracket.
  void bodies(Statement& s) {
    if (++depth_ > most_nested) source_.refuse(at_, "bodies that are less nested");
    do {
      const size_t at = at_;
      const std::string_view name = word();
      s.bodies.push_back({std::string(name), at, inputs_and_statements()});
    } while (!accept("}"));
    --depth_;
  }

  bool accept_fused() {
    const size_t start = at_;
    if (is_at_name() && word() == "fused" && accept("{")) return true;
    at_ = start;
    return false;
  }

  // The statements of a block, behind its bracket.
  void fused(Tree& tree, int32_t number) {
    while (!accept("}")) {
      Statement s = statement();
      if (s.type != Statement::Type::call || !s.bodies.empty()) source_.refuse(s.at, "calls of ops");
      s.fusion = number;
      tree.statements.push_back(std::move(s));
    }
  }

  // Whether a call follows, not a name for its result.
  bool is_at_call() {
    const size_t start = at_;
    word();
    const bool is_call = at_ < text_.size() && text_[at_] == '(';
    at_ = start;
    return is_call;
  }

  Node expression() {
    if (++depth_ > most_nested) source_.refuse(at_, "expressions that are less nested");
    Node left = product();
    for (;;) {
      const size_t at = at_;
      const char sign = accept("+") ? '+' : accept("-") ? '-' : '\0';
      if (sign == '\0') break;
      left = binary(sign, std::move(left), product(), at);
    }
    --depth_;
    return left;
  }
  Node product() {
    Node left = factor();
    for (;;) {
      const size_t at = at_;
      const char sign = accept("*") ? '*' : accept("//") ? '/' : '\0';
      if (sign == '\0') return left;
      left = binary(sign, std::move(left), factor(), at);
    }
  }
  static Node binary(char sign, Node left, Node right, size_t at) {
    Node node;
    node.type = Node::Type::binary;
    node.sign = sign;
    node.at = at;
    node.parts.push_back(std::move(left));
    node.parts.push_back(std::move(right));
    return node;
  }

  Node factor() {
    const size_t at = at_;
    if (accept("-")) {
      if (++depth_ > most_nested) source_.refuse(at, "expressions that are less nested");
      Node node = factor();
      --depth_;
      if (node.type == Node::Type::number) {
        node.number = -node.number;
      } else if (node.type == Node::Type::name && !node.negative) {
        node.negative = true;
      } else {
        Node zero;
        zero.type = Node::Type::number;
        return binary('-', std::move(zero), std::move(node), at);
      }
      return node;
    }
    if (accept("(")) {
      Node node = expression();
      expect(")");
      return node;
    }
    return primary();
  }

  Node primary() {
    Node node;
    node.at = at_;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (is_digit(c) || c == '.') {
      node.type = Node::Type::number;
      node.number = number();
      imaginary_part(node);
    } else if (c == '\'') {
      node.type = Node::Type::text;
      node.text = quoted();
    } else if (accept("{")) {
      node.type = Node::Type::list;
      while (!accept("}")) {
        if (!node.parts.empty()) expect(",");
        node.parts.push_back(expression());
      }
    } else {
      named(node);
    }
    return node;
  }

  void named(Node& node) {
    node.text = word();
    if (accept("(")) return call(node);
    node.type = Node::Type::name;
    if (node.text == "none") node.type = Node::Type::none;
    if (node.text == "true" || node.text == "false") {
      node.type = Node::Type::boolean;
      node.number = node.text == "true" ? 1 : 0;
    }
    if (node.text == "inf" || node.text == "nan") {
      node.type = Node::Type::number;
      node.number = inf_or_nan(node.text);
      imaginary_part(node);
    }
  }

  void call(Node& node) {
    node.type = Node::Type::call;
    while (!accept(")")) {
      if (!node.parts.empty()) expect(",");
      const size_t start = at_;
      if (is_at_name()) {
        const std::string_view name = word();
        if (accept("="))
          node.names.emplace_back(name);
        else
          at_ = start;
      }
      if (at_ == start && !node.names.empty()) source_.refuse(at_, "arguments by name after the first one");
      node.parts.push_back(expression());
    }
    const size_t at = at_;
    if (!accept("[")) return;
    const double result = number();
    if (!(result >= 1 && result <= Signature::max_results && result == std::floor(result))) source_.refuse(at, "the number of a result");
    node.result = static_cast<int>(result);
    expect("]");
  }

  std::string quoted() {
    std::string text;
    for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        const char c = text_[at_];
        text += c == 'n' ? '\n' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
      } else {
        text += text_[at_];
      }
    }
    if (at_ >= text_.size()) source_.refuse(at_, "'");
    ++at_;
    skip();
    return text;
  }

  const Source& source_;
  std::string_view text_, comment_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_name(std::string_view text) {
  static constexpr std::string_view reserved[] = {"none", "true", "false", "inf", "nan"};
  const auto is_part = [](char c) { return c != '%' && (is_letter(c) || is_digit(c) || c == '.'); };
  return !text.empty() && is_part(text[0]) && is_letter(text[0]) && std::ranges::all_of(text, is_part) &&
         std::ranges::find(reserved, text) == std::end(reserved);
}

std::string Source::line_of(size_t at) const {
  if (text.find('\n') == std::string_view::npos) return {};
  return concat("line ", static_cast<int64_t>(std::ranges::count(text.substr(0, at), '\n') + 1), ": ");
}

void Source::refuse(size_t at, std::string_view expected) const {
  constexpr size_t most_shown = 40;
  const std::string_view rest = text.substr(std::min(at, text.size()));
  const std::string_view shown = rest.substr(0, std::min(rest.find('\n'), most_shown));
  fail(function, argument, line_of(at), shown.empty() ? std::string("the end") : concat("'", shown, "'"), ", expected ", expected);
}

Tree parse(const Source& source) { return Parser(source).graph(); }
Node parse_expression(const Source& source) { return Parser(source).whole_expression(); }

}  // namespace mt::syntax
