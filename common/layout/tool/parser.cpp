#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>

#include "expression.hpp"

namespace layout::tool {
namespace {

constexpr int kMaxNesting = 32;
constexpr std::size_t kMaxText = 4096;

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Value whole() {
    if (text_.size() > kMaxText) fail("the expression is longer than 4096 characters");
    Value value = expression().value;
    if (peek() != '\0') fail("expected 'o' or the end of the expression");
    return value;
  }

 private:
  // Guards against running out of stack on nesting that no layout needs.
  struct Nesting {
    explicit Nesting(Parser& parser) : depth(parser.depth_) {
      if (++depth > kMaxNesting) parser.fail("nested deeper than 32 levels");
    }
    ~Nesting() { --depth; }
    int& depth;
  };

  [[noreturn]] void fail(const std::string& message) { refuse_at(at_ + 1, message); }

  // The next character that is not white space; '\0' at the end.
  char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (accept(wanted)) return;
    fail(std::string("expected '") + wanted + "', found " + found());
  }
  std::string found() {
    const unsigned char c = static_cast<unsigned char>(peek());
    if (at_ == text_.size()) return "the end";
    return std::isprint(c) ? std::string("'") + static_cast<char>(c) + "'"
                           : "an unprintable character";
  }

  static bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }
  static bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)); }
  static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  // CuTe prints constants as _4.
  static bool starts_integer(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) || c == '_';
  }

  std::string name() {
    std::string result;
    while (at_ < text_.size() && in_name(text_[at_])) result += text_[at_++];
    return result;
  }

  Int integer() {
    if (peek() == '_') ++at_;
    const char* const end = text_.data() + text_.size();
    std::uint64_t value = 0;  // no sign is taken
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::invalid_argument) fail("expected an integer, found " + found());
    if (error != std::errc{} || value > kMaxInt) fail("the integer exceeds 2^48");
    at_ = static_cast<std::size_t>(rest - text_.data());
    return static_cast<Int>(value);
  }

  IntTuple tuple() {
    const Nesting guard(*this);
    if (!accept('(')) return IntTuple(integer());
    IntTuple result = IntTuple::empty();
    do {
      result.push(tuple());
    } while (accept(','));
    expect(')');
    return result;
  }

  // term o term o term, from the right: A o (B o C).
  Argument expression() {
    const Nesting guard(*this);
    std::vector<Argument> terms{term()};
    while (accept_operator()) terms.push_back(term());
    while (terms.size() > 1) {
      const Argument right = terms.back();
      terms.pop_back();
      terms.back().value = compose_values(terms.back(), right);
    }
    return terms.front();
  }

  bool accept_operator() {
    if (peek() != 'o' || (at_ + 1 < text_.size() && in_name(text_[at_ + 1]))) return false;
    ++at_;
    return true;
  }

  Argument term() {
    const char next = peek();
    const std::size_t column = at_ + 1;
    if (next == '<') return {tile(), column};
    if (next == '(' && groups()) {
      const Nesting guard(*this);
      expect('(');
      Argument inner = expression();
      expect(')');
      return inner;
    }
    if (next == '(' || starts_integer(next)) return {layout_or_tuple(), column};
    if (!starts_name(next)) fail("expected a layout, a function, 'Sw<' or '<', found " + found());
    const std::string called = name();
    if (called == "Sw" || called == "Swizzle") return {swizzle(), column};
    return {call(called, column), column};
  }

  // Whether the parenthesis here opens an expression rather than a tuple of integers.
  bool groups() const {
    int open = 0;
    bool only_parentheses = true;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == ':' || c == '<' || (only_parentheses && starts_name(c))) return true;
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (open == 0) break;
      only_parentheses = only_parentheses && (c == '(' || is_space(c));
    }
    return false;
  }

  Value layout_or_tuple() {
    const IntTuple shape = tuple();
    if (!accept(':')) return shape;
    peek();
    const std::size_t column = at_ + 1;
    const IntTuple stride = tuple();
    if (!congruent(shape, stride)) {
      refuse_at(column, "the stride " + to_string(stride) + " is not nested as the shape " +
                            to_string(shape));
    }
    return Layout(shape, stride);
  }

  Value swizzle() {
    expect('<');
    int parameters[3];
    for (int i = 0; i < 3; ++i) {
      if (i > 0) expect(',');
      const Int value = (peek(), integer());
      if (value > std::numeric_limits<int>::max()) fail("the parameter of a swizzle is too large");
      parameters[i] = static_cast<int>(value);
    }
    expect('>');
    return Swizzle(parameters[0], parameters[1], parameters[2]);
  }

  Value tile() {
    expect('<');
    Tile result;
    do {
      result.push(as_layout(expression()));
    } while (accept(','));
    expect('>');
    return result;
  }

  Value call(const std::string& called, std::size_t column) {
    const auto function = std::find_if(functions().begin(), functions().end(),
                                       [&](const Function& known) { return called == known.name; });
    if (function == functions().end()) {
      refuse_at(column, "there is no function '" + called + "'");
    }
    std::vector<Argument> arguments;
    if (accept('(') && !accept(')')) {
      do {
        arguments.push_back(expression());
      } while (accept(','));
      expect(')');
    }
    // "A,B[,C]": two arguments or three
    const std::string_view most_of = function->parameters,
                           least_of(most_of.substr(0, most_of.find('[')));
    const auto count = [](std::string_view parameters) {
      const auto commas = std::count(parameters.begin(), parameters.end(), ',');
      return parameters.empty() ? 0 : static_cast<std::size_t>(commas) + 1;
    };
    const std::size_t most = count(most_of), least = count(least_of);
    if (arguments.size() < least || arguments.size() > most) {
      refuse_at(column, called + " is called as " + called + "(" + function->parameters +
                            "), here with " + std::to_string(arguments.size()) + " arguments");
    }
    return function->call(arguments);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Value evaluate(const std::string& text) {
  return Parser(text).whole();
}

}  // namespace layout::tool
