// Matching of arguments against the orders that an op accepts, and their conversion, with a list of arguments that is independent of any
// front end.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/arguments/convert.h"
#include "engine/core/counting.h"
#include "engine/core/generator.h"

using namespace mt;

namespace {

// An argument: the kinds that it may be, and its value as each of them.
struct Argument {
  uint16_t kinds = 0;  // 0: left out
  std::string name = {};
  double number = 0;
  std::vector<int64_t> sizes = {};
  std::string text = {};
  Tensor* tensor = nullptr;
  Generator* generator = nullptr;
};

Argument tensor() { return {.kinds = kind_tensor}; }
Argument number(double value = 2) { return {.kinds = number_kinds | kind_sizes, .number = value}; }
Argument text(const char* value = "a") { return {.kinds = kind_string | kind_dtype, .text = value}; }
Argument flag(bool on = true) { return {.kinds = kind_boolean, .number = on ? 1.0 : 0.0}; }
Argument list(std::vector<int64_t> sizes) { return {.kinds = kind_sizes, .sizes = std::move(sizes)}; }
Argument left_out() { return {}; }
Argument named(const char* name, Argument argument) {
  argument.name = name;
  return argument;
}

// An op that has only a signature and forms.
struct Declared {
  Decl decl;
  Op op;

  explicit Declared(const char* signature, const char* forms = "", Method method = Method::returns) {
    decl.name = "spec";
    decl.signature = Signature(std::string_view(signature));
    decl.forms = forms;
    decl.method = method;
    op.decl = &decl;
    op.forms = parse_forms(decl.signature, decl.name, forms, "");
  }
  Declared(const Declared&) = delete;
  Declared& operator=(const Declared&) = delete;
};

// A list of arguments. Those without a name come before those with one.
class Given {
 public:
  Given(const Declared& declared, std::vector<Argument> arguments, bool one_by_one = true)
      : signature_(declared.decl.signature), arguments_(std::move(arguments)), one_by_one_(one_by_one) {}

  int count() const {
    return static_cast<int>(std::ranges::count_if(arguments_, [](const Argument& a) { return a.name.empty(); }));
  }
  bool fits(int at, const Step& step) const { return ((*this)[at].kinds & step.kinds) != 0; }
  bool is_left_out(int at) const { return (*this)[at].kinds == 0; }
  bool is_size(int at) const { return one_by_one_ && ((*this)[at].kinds & kind_number) != 0; }
  int named(int target) const {
    if (target < 0) return 0;
    const auto found = std::ranges::find(arguments_, std::string(signature_.params[target].name), &Argument::name);
    return found == arguments_.end() ? 0 : static_cast<int>(found - arguments_.begin()) + 1;
  }
  int named_count() const {
    return static_cast<int>(std::ranges::count_if(arguments_, [](const Argument& a) { return !a.name.empty() && a.kinds != 0; }));
  }
  const Argument& operator[](int at) const { return arguments_[static_cast<size_t>(at - 1)]; }
  void append(std::string& shown, int at) const { mt::append(shown, concat("argument ", at)); }

 protected:
  const Signature& signature_;
  std::vector<Argument> arguments_;
  bool one_by_one_;
};

// The same list, with conversion for a caller that counts from 1 or from 0.
template <bool from_1> class Reader : public Given {
 public:
  static constexpr bool counts_from_1 = from_1;
  using Given::Given;

  static std::string_view op() { return "spec"; }
  uint16_t kinds(int at) const { return (*this)[at].kinds; }
  Tensor* tensor(int at, const Param&) const { return (*this)[at].tensor; }
  bool number(int at, Value& value) const {
    if (((*this)[at].kinds & kind_number) == 0) return false;
    value = Value((*this)[at].number);
    return true;
  }
  bool plain_number(int at, Value& value) const { return number(at, value); }
  Sizes sizes(int at, const Param&) const { return (*this)[at].sizes; }
  std::span<int64_t> writable(Sizes sizes) {
    copy_.assign(sizes.begin(), sizes.end());
    return copy_;
  }
  bool boolean(int at) const { return (*this)[at].number != 0; }
  std::string_view text(int at, const Param&) const { return (*this)[at].text; }
  static std::optional<DType> dtype(int, const Param&) { return std::nullopt; }
  static DType own_dtype(const Value&) { return DType::int16; }
  static void read_element_kind(Value& value, std::string_view text, DType own, const Param& p) {
    mt::read_element_kind(value, text, own, op(), p.name);
  }
  static std::span<Tensor* const> tensors(int, const Param&) { return {}; }
  Generator* generator(int at, const Param&) const { return (*this)[at].generator; }
  static std::string_view type_name(int) { return "thing"; }

 private:
  std::vector<int64_t> copy_;
};

// Returns the index of the argument for each parameter, by the first form that the list fits; an empty vector if it fits none.
std::vector<int> placed(const Declared& declared, std::vector<Argument> arguments, bool omitting = false) {
  const Given given(declared, std::move(arguments));
  Match m;
  const Form* form = find_form(declared.op, given, m, true);
  if (form == nullptr && omitting) form = find_form_omitting(declared.op, given, m);
  return form == nullptr ? std::vector<int>() : std::vector<int>(m.args, m.args + declared.decl.signature.count);
}

using Places = std::vector<int>;

// Converts an argument to the value of a signature's only parameter.
template <bool from_1> Value converted(const char* signature, Argument argument) {
  static std::vector<std::unique_ptr<Declared>> kept;  // texts of signatures outlive the values
  const Declared& declared = *kept.emplace_back(std::make_unique<Declared>(signature));
  static std::vector<std::unique_ptr<Reader<from_1>>> readers;
  Reader<from_1>& reader = *readers.emplace_back(std::make_unique<Reader<from_1>>(declared, std::vector{std::move(argument)}));
  Value value;
  convert(reader, declared.decl.signature.params[0], 1, value);
  return value;
}

std::vector<int64_t> sizes_of(const Value& value) { return {value.sizes, value.sizes + value.count}; }

}  // namespace

TEST_CASE("arguments go to the first form that they fit") {
  const Declared add("[res] x:tensor alpha:number=1 y:tensor|number", "x y|x alpha y");
  CHECK(placed(add, {tensor(), number()}) == Places{1, 0, 2});
  CHECK(placed(add, {tensor(), number(), tensor()}) == Places{1, 2, 3});
  CHECK(placed(add, {tensor(), number(), number()}) == Places{1, 2, 3});
  CHECK(placed(add, {tensor(), tensor(), tensor()}).empty());
  CHECK(placed(add, {number(), tensor()}).empty());
  CHECK(placed(add, {tensor()}).empty());
  CHECK(placed(add, {}).empty());
}

TEST_CASE("an optional argument is left out where the next one does not fit it, and where it says so") {
  const Declared sum("[res] x:tensor dim:dim? keep:boolean=false");
  CHECK(placed(sum, {tensor()}) == Places{1, 0, 0});
  CHECK(placed(sum, {tensor(), number()}) == Places{1, 2, 0});
  CHECK(placed(sum, {tensor(), flag()}) == Places{1, 0, 2});
  CHECK(placed(sum, {tensor(), left_out(), flag()}) == Places{1, 0, 3});
  CHECK(placed(sum, {tensor(), number(), left_out(), left_out()}) == Places{1, 2, 0});
  CHECK(placed(sum, {left_out(), number()}).empty());
  CHECK(placed(sum, {tensor(), text()}).empty());
}

TEST_CASE("numbers one by one are sizes together, where the caller writes them so") {
  const Declared zeros("[res] sizes:sizes dtype:dtype?");
  Match m;
  const std::vector<Argument> arguments = {number(), number(), number(), text()};
  CHECK(find_form(zeros.op, Given(zeros, arguments), m, true) != nullptr);
  CHECK(m.args[0] == 1);
  CHECK(m.last_of_sizes == 3);
  CHECK(m.args[1] == 4);
  CHECK(find_form(zeros.op, Given(zeros, arguments, false), m, true) == nullptr);
  CHECK(find_form(zeros.op, Given(zeros, {list({2, 3}), text()}, false), m, true) != nullptr);
  CHECK(m.last_of_sizes == 0);
  CHECK(m.args[1] == 2);
}

TEST_CASE("arguments by name are where their names are, and the others pass over them") {
  const Declared add("[res] x:tensor alpha:number=1 y:tensor|number", "x y|x alpha y");
  CHECK(placed(add, {named("y", tensor()), named("x", tensor())}) == Places{2, 0, 1});
  CHECK(placed(add, {tensor(), named("x", tensor())}) == Places{2, 0, 1});
  CHECK(placed(add, {tensor(), named("y", number()), named("alpha", number())}) == Places{1, 3, 2});
  CHECK(placed(add, {tensor(), tensor(), named("x", tensor())}).empty());
  CHECK(placed(add, {tensor(), named("y", text())}).empty());
  CHECK(placed(add, {tensor(), named("y", left_out())}).empty());
  CHECK(placed(add, {tensor(), named("y", tensor()), named("alpha", left_out())}) == Places{1, 0, 2});
  const Declared one("[res] x:tensor alpha:number=1 y:tensor?", "x y");  // alpha is in no form
  CHECK(placed(one, {tensor(), named("alpha", number())}).empty());
}

TEST_CASE("an optional argument in the middle is omitted where the rest fits then alone") {
  const Declared grad("[res] g:tensor x:tensor weight:tensor? mean:tensor std:tensor bias:tensor?");
  CHECK(placed(grad, {tensor(), tensor(), tensor(), tensor()}).empty());
  CHECK(placed(grad, {tensor(), tensor(), tensor(), tensor()}, true) == Places{1, 2, 0, 3, 4, 0});
  CHECK(placed(grad, {tensor(), tensor(), tensor(), tensor(), tensor()}, true) == Places{1, 2, 3, 4, 5, 0});
  CHECK(placed(grad, {tensor(), tensor(), tensor()}, true).empty());
}

// The reference is a search through all subsets of the parameters that contain the required ones.
TEST_CASE("a list fits a form exactly where parameters in order, all required ones among them, accept its arguments") {
  const char* const signatures[] = {"x:tensor a:tensor? b:number c:tensor|string d:number=1", "a:number? b:number? c:number d:tensor?",
                                    "a:tensor? b:tensor|number c:boolean=true d:number|string?", "a:string b:tensor? c:tensor? d:tensor"};
  const Argument kinds[] = {tensor(), {.kinds = number_kinds}, {.kinds = kind_string}, flag()};
  int fitting = 0;
  for (const char* signature : signatures) {
    const Declared declared(signature);
    const Signature& s = declared.decl.signature;
    for (int length = 0; length <= 4; ++length) {
      for (int code = 0; code < 1 << (2 * length); ++code) {
        std::vector<Argument> arguments;
        for (int i = 0; i < length; ++i) arguments.push_back(kinds[code >> (2 * i) & 3]);
        bool expected = false;
        for (uint32_t subset = 0; subset < 1u << s.count; ++subset) {
          if (std::popcount(subset) != length) continue;
          bool good = true;
          size_t next = 0;
          for (int p = 0; p < s.count; ++p) {
            if ((subset >> p & 1) != 0)
              good = good && s.params[p].takes(arguments[next++].kinds);
            else
              good = good && s.params[p].optional;
          }
          expected = expected || good;
        }
        fitting += expected ? 1 : 0;
        INFO(signature, ", ", length, " arguments, ", code);
        CHECK(!placed(declared, arguments, true).empty() == expected);
      }
    }
  }
  CHECK(fitting == 38);
}

TEST_CASE("a method in place has its tensor as result and as first argument") {
  const Declared add("[res] x:tensor y:tensor|number", "", Method::in_place);
  const auto fits = [&](bool is_method, std::vector<Argument> arguments, Match& m) {
    const std::vector<Pattern> patterns = patterns_of(add.op, is_method);
    const Given given(add, std::move(arguments));
    return std::ranges::any_of(patterns, [&](const Pattern& p) { return match(p, given, m); });
  };
  Match m;
  CHECK(fits(true, {tensor(), number()}, m));
  CHECK(m.results[0] == 1);
  CHECK(m.args[0] == 1);
  CHECK(m.args[1] == 2);
  CHECK(fits(true, {tensor(), tensor(), number()}, m));  // x:add(y, 2)
  CHECK(m.results[0] == 1);
  CHECK(m.args[0] == 2);
  CHECK(m.args[1] == 3);
  CHECK(fits(false, {tensor(), number()}, m));
  CHECK(m.results[0] == 0);
  CHECK(fits(false, {tensor(), tensor(), tensor()}, m));
  CHECK(m.results[0] == 1);
  CHECK(!fits(true, {number(), number()}, m));
}

TEST_CASE("further arguments are ignored by a method that says so, and an op that draws fills its first tensor") {
  Declared copy("[res] x:tensor y:tensor", "", Method::always_in_place);
  copy.decl.passes_over = true;
  Match m;
  const Given given(copy, {tensor(), tensor(), text()});
  CHECK(match(patterns_of(copy.op, true)[0], given, m));
  copy.decl.passes_over = false;
  CHECK(!match(patterns_of(copy.op, true)[0], given, m));
  const Declared draws("[res] generator:generator? p:tensor|number=0.5 dtype:dtype?", "", Method::returns);
  const Given filled(draws, {tensor()});
  CHECK(match(patterns_of(draws.op, false)[0], filled, m));
  CHECK(m.results[0] == 1);
  CHECK(m.args[1] == 0);
}

TEST_CASE("Lua counts from 1, C from 0; negative dimensions count from the end in both") {
  CHECK(converted<true>("dim:dim", number(2)).integer == 1);
  CHECK(converted<true>("dim:dim", number(-1)).integer == -1);
  CHECK(converted<false>("dim:dim", number(2)).integer == 2);
  CHECK(converted<false>("dim:dim", number(0)).integer == 0);
  CHECK(converted<true>("first:index", number(3)).integer == 2);
  CHECK(converted<true>("first:index", number(-1)).integer == -2);
  CHECK(converted<false>("first:index", number(-1)).integer == -1);
  CHECK(converted<true>("n:int", number(3)).integer == 3);
  CHECK(sizes_of(converted<true>("dims:dims", list({2, -1, 1}))) == std::vector<int64_t>{1, -1, 0});
  CHECK(sizes_of(converted<true>("at:indices", list({4, -2}))) == std::vector<int64_t>{3, -2});
  CHECK(sizes_of(converted<false>("dims:dims", list({2, -1, 0}))) == std::vector<int64_t>{2, -1, 0});
  CHECK(sizes_of(converted<true>("sizes:sizes", list({2, 0, 7}))) == std::vector<int64_t>{2, 0, 7});
  CHECK_THROWS_WITH_AS(converted<true>("dim:dim", number(0)), "spec: dim: 0, expected a dimension counted from 1", Error);
  CHECK_THROWS_WITH_AS(converted<true>("dims:dims", list({1, 0})), "spec: dims: 0, expected dimensions counted from 1", Error);
  CHECK_THROWS_WITH_AS(converted<true>("at:indices", list({0})), "spec: at: 0, expected positions counted from 1", Error);
  // Back from 0 to 1.
  const Signature counts("dim:dim first:index n:int");
  const auto back = [&](int i, int64_t value) { return counted_from_1(value, counts.params[i]); };
  CHECK(back(0, 1) == 2);
  CHECK(back(0, -1) == -1);
  CHECK(back(1, 2) == 3);
  CHECK(back(1, -2) == -1);
  CHECK(back(2, 2) == 2);
  CHECK(counted_from_1(std::numeric_limits<int64_t>::max()) == std::numeric_limits<int64_t>::max());
  CHECK(counted_from_1(1.0, counts.params[0]) == 2);
}

TEST_CASE("a whole number is an integer where one is expected, and a fraction is refused") {
  CHECK(converted<true>("n:int", number(7)).type == Value::Type::integer);
  CHECK(converted<true>("a:number", number(7)).type == Value::Type::number);
  CHECK(converted<true>("a:number|int", number(7.5)).number == 7.5);
  CHECK_THROWS_WITH_AS(converted<true>("n:int", number(2.5)), "spec: n: 2.5, expected a whole number", FractionError);
  CHECK_THROWS_AS(converted<false>("dim:dim", number(std::numeric_limits<double>::infinity())), FractionError);
  CHECK_THROWS_AS(converted<false>("n:int", number(std::numeric_limits<double>::quiet_NaN())), FractionError);
  CHECK_THROWS_AS(converted<false>("n:int", number(0x1p63)), FractionError);
}

TEST_CASE("an argument becomes the first of its kinds that the op accepts") {
  Tensor t = Tensor::empty(DType::int64, {2});
  const Argument longs{.kinds = kind_tensor | kind_sizes, .sizes = {2, 3}, .tensor = &t};
  CHECK(converted<true>("x:tensor|sizes", longs).tensor == &t);
  CHECK(sizes_of(converted<true>("x:sizes", longs)) == std::vector<int64_t>{2, 3});
  CHECK(converted<true>("on:boolean", flag(true)).boolean);
  CHECK(!converted<true>("on:boolean", flag(false)).boolean);
  const Value word = converted<true>("mode:string", text("valid"));
  CHECK(std::string_view(word.string, static_cast<size_t>(word.count)) == "valid");
  const Value kind = converted<true>("dtype:dtype", text("float32"));
  CHECK(kind.type == Value::Type::dtype);
  CHECK(kind.dtype == DType::float32);
  CHECK(!names_place(kind));
  const Value device = converted<true>("dtype:dtype", text("meta"));
  CHECK(device.dtype == DType::int16);  // the list's own
  CHECK(place_of(device, cpu_device) == meta_device);
  Generator generator(1);
  CHECK(converted<true>("g:generator", {.kinds = kind_generator, .generator = &generator}).generator == &generator);
  CHECK_THROWS_WITH_AS(converted<true>("x:tensor|number", text()), "spec: x: thing, expected tensor or number", Error);
  CHECK_THROWS_WITH_AS(converted<true>("g:generator", {.kinds = kind_generator}), "spec: g: thing, expected generator", Error);
}

TEST_CASE("what is left out has its default") {
  const Declared declared("a:number=2.5 b:boolean=true c:string=full d:dim=last e:index=first f:tensor?");
  Reader<true> none(declared, {});
  Match m;
  REQUIRE(find_form(declared.op, none, m, true) != nullptr);
  Value values[Signature::max_params];
  CHECK(!convert_usual(none, declared.decl.signature, m, values));
  CHECK(values[0].number == 2.5);
  CHECK(values[1].boolean);
  CHECK(std::string_view(values[2].string, static_cast<size_t>(values[2].count)) == "full");
  CHECK(values[3].as_int() == -1);
  CHECK(values[4].as_int() == 0);
  CHECK(!values[5].given());
  Reader<true> some(declared, {number(4), flag(false)});
  REQUIRE(find_form(declared.op, some, m, true) != nullptr);
  CHECK(convert_usual(some, declared.decl.signature, m, values));  // the boolean is left to convert()
  CHECK(values[0].number == 4);
  CHECK(!values[1].given());
}

TEST_CASE("messages show the arguments and each order that the op accepts") {
  const Declared add("[res] x:tensor alpha:number=1 y:tensor|number dims:dims?", "x y|x alpha y dims");
  CHECK(expected_forms(add.op) ==
        "(x: tensor, y: tensor or number) or (x: tensor, [alpha: number], y: tensor or number, [dims: dimensions])");
  CHECK_THROWS_WITH_AS(refuse_list(add.op, Given(add, {}), 2, expected_forms(add.op)),
                       "spec: arguments: (argument 1, argument 2), expected (x: tensor, y: tensor or number) or (x: tensor, [alpha: "
                       "number], y: tensor or number, [dims: dimensions])",
                       Error);
  const Declared filled("[res] lambda:number=1", "", Method::in_place);
  CHECK(expected_patterns(filled.op, patterns_of(filled.op, true)) == "x:spec([lambda: number])");
  CHECK(expected_patterns(filled.op, patterns_of(filled.op, false)) == "([lambda: number])");
}

TEST_CASE("each kind has a word of its own") {
  uint16_t all = 0;
  for (const KindNames& names : kind_names) {
    CHECK(Signature(std::string_view(concat("x:", names.word))).params[0].kinds == names.kinds);
    CHECK(kinds_shown(names.kinds) == names.shown);
    all |= names.kinds;
  }
  CHECK(all == (number_kinds | kind_tensor | kind_boolean | kind_string | kind_sizes | kind_tensors | kind_dtype | kind_generator |
                kind_dims | kind_indices));
  CHECK(kinds_shown(kind_tensor | kind_number) == "tensor or number");
}
