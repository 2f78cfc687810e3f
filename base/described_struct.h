// Tables that describe the members of a struct once: the name in JSON, when the member may be
// absent, and which rule its value must satisfy. base/json_fields.h uses the table to read, write
// and check the struct, and to list its fields for the docs.
//
//   constexpr auto fields_of(Of<HostInfo>) {
//     return std::tuple{field("name", &HostInfo::name),
//                       field("ranks", &HostInfo::ranks).at_least(0)};
//   }
//
// A member may be a string, a number, a bool, an enumeration with names_of(), a struct with
// fields_of(), a struct with only_member() (in JSON, this member stands for the struct), or an
// optional, vector or map of these. The rule of a container applies to each of its elements.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

namespace apmt {

/// A tag for a type, to overload `fields_of`, `names_of` and `only_member`.
template <class T>
struct Of {};

using Words = std::span<const char* const>;

/// The name of an enumeration's value.
template <class Enum>
constexpr const char* name_of(Enum value) {
  return names_of(Of<Enum>{})[static_cast<std::size_t>(value)];
}

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// The rule for a value, beyond its type. Numbers must be finite even without a rule.
struct Rule {
  double low = -kNoBound;
  double high = kNoBound;
  Words words = {};               // for a string: the allowed values; empty: any
  const char* content = nullptr;  // if set: the string must not be empty; this says what it holds
};

/// How a file shows that a member has no value. Readers treat all these forms alike.
enum class Absence {
  kNever,
  kOlderFiles,  // files of older versions lack the member, newer files always have it
  kNull,
  kOmitted,
};

template <class S, class M>
struct Field {
  const char* name;
  M S::*member;
  Rule rule = {};
  Absence absence = Absence::kNever;
  bool (*says_nothing)(const S&) = nullptr;
  void (*set_default)(S&) = nullptr;  // nullptr: an absent member keeps its initial value

  constexpr Field from_to(double low, double high) const {
    Field f = *this;
    f.rule.low = low;
    f.rule.high = high;
    return f;
  }
  constexpr Field at_least(double low) const { return from_to(low, kNoBound); }
  constexpr Field one_of(Words words) const {
    Field f = *this;
    f.rule.words = words;
    return f;
  }
  constexpr Field holds(const char* content) const {
    Field f = *this;
    f.rule.content = content;
    return f;
  }
  constexpr Field missing_in_older_files() const {
    Field f = *this;
    f.absence = Absence::kOlderFiles;
    return f;
  }
  constexpr Field null_when(bool (*nothing)(const S&)) const {
    Field f = *this;
    f.absence = Absence::kNull;
    f.says_nothing = nothing;
    return f;
  }
  constexpr Field omitted_when(bool (*nothing)(const S&), void (*absent)(S&) = nullptr) const {
    Field f = *this;
    f.absence = Absence::kOmitted;
    f.says_nothing = nothing;
    f.set_default = absent;
    return f;
  }
  constexpr bool is_absent(const S& s) const { return says_nothing != nullptr && says_nothing(s); }
};

template <class S, class M>
constexpr Field<S, M> field(const char* name, M S::*member) {
  return {name, member};
}

/// A member whose own members are written into the same JSON object.
template <class S, class M>
struct Embedded {
  M S::*member;
};
template <class S, class M>
constexpr Embedded<S, M> embedded(M S::*member) {
  return {member};
}

/// A value that is not a member: the table only writes it. check_derived_numbers() compares a
/// number with the one that follows from the members.
template <class S, class V>
struct Derived {
  const char* name;
  V (*value)(const S&);
};
template <class S, class V = double>
constexpr Derived<S, V> derived(const char* name, std::type_identity_t<V (*)(const S&)> value) {
  return {name, value};
}

}  // namespace apmt
