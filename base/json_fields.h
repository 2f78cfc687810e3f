// Reads and writes structs as JSON, checks them and lists their fields, all from the tables of
// base/described_struct.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/checked_json.h"
#include "base/described_struct.h"

namespace apmt {

/// The path to a value in the file: its name or index, linked to the path of the value that
/// contains it; the first one's name is the text of its whole path. The text is built only when a
/// message needs it.
struct Place {
  const Place* above = nullptr;
  const char* name = "";  // nullptr: an array element, named by `index`
  std::size_t index = 0;
  std::string text() const;
};

/// `kept`: whether the value obeys its rule. If not, throws an InputError with file and place.
void require(bool kept, const std::string& file, const std::string& place,
             const std::string& expected);

/// One line in the list of fields for the docs.
struct FieldLine {
  std::string path;  // "kernels[].counters.<name>.samples[]"
  std::string type;
  std::string unit;  // derived from the name
  std::string rule;
  std::string absence;
};

namespace by_table {

template <class T>
concept Described = requires {
  fields_of(Of<T>{});
};
template <class T>
concept HasOneMember = requires {
  only_member(Of<T>{});
};
template <class T>
concept Named = std::is_enum_v<T>;

template <class>
inline constexpr bool kOptional = false;
template <class T>
inline constexpr bool kOptional<std::optional<T>> = true;
template <class>
inline constexpr bool kVector = false;
template <class T>
inline constexpr bool kVector<std::vector<T>> = true;
template <class>
inline constexpr bool kMap = false;
template <class T>
inline constexpr bool kMap<std::map<std::string, T>> = true;

std::size_t index_of(const JsonAt& json, Words words);
std::int64_t whole_number(const JsonAt& json, bool is_signed, std::size_t bytes);
void check_number(double value, const Rule& rule, bool whole, const std::string& file,
                  const Place& place);
void check_derived(const JsonAt& found, double follows);
void check_text(const std::string& value, const Rule& rule, const std::string& file,
                const Place& place);
FieldLine line(const std::string& path, const char* type, const Rule& rule, Absence absence);

template <class T>
void read(const JsonAt& json, T& value);
template <class T>
Json write(const T& value);
template <class T>
void check(const T& value, const Rule& rule, const std::string& file, const Place& place);
template <class T>
void list(const std::string& path, const Rule& rule, Absence absence,
          std::vector<FieldLine>* lines);

/// Calls `visit` with each entry of the table that describes S.
template <class S, class Visit>
void for_each_field(const Visit& visit) {
  std::apply([&](const auto&... entry) { (visit(entry), ...); }, fields_of(Of<S>{}));
}

// One overload for each kind of table entry (Field, Embedded, Derived). Only these overloads
// distinguish the kinds.

template <class S, class M>
void read_entry(const JsonAt& json, const Field<S, M>& f, S& s) {
  if (f.absence == Absence::kNever && !kOptional<M>) return read(json.at(f.name), s.*f.member);
  if (const auto found = json.find(f.name))
    read(*found, s.*f.member);
  else if (f.set_default)
    f.set_default(s);
}
template <class S, class M>
void read_entry(const JsonAt& json, const Embedded<S, M>& e, S& s) {
  read(json, s.*e.member);
}
template <class S, class V>
void read_entry(const JsonAt&, const Derived<S, V>&, S&) {}

template <class S, class M>
void write_entry(const S& s, const Field<S, M>& f, Json& json) {
  if (!f.is_absent(s))
    json[f.name] = write(s.*f.member);
  else if (f.absence == Absence::kNull)
    json[f.name] = nullptr;
}
template <class S, class M>
void write_entry(const S& s, const Embedded<S, M>& e, Json& json) {
  json.update(write(s.*e.member));
}
template <class S, class V>
void write_entry(const S& s, const Derived<S, V>& d, Json& json) {
  json[d.name] = d.value(s);
}

template <class S, class M>
void check_entry(const S& s, const Field<S, M>& f, const std::string& file, const Place& place) {
  if (!f.is_absent(s)) check(s.*f.member, f.rule, file, {&place, f.name});
}
template <class S, class M>
void check_entry(const S& s, const Embedded<S, M>& e, const std::string& file, const Place& place) {
  check(s.*e.member, Rule{}, file, place);
}
template <class S, class V>
void check_entry(const S&, const Derived<S, V>&, const std::string&, const Place&) {}

template <class S, class Entry>
void check_derived_entry(const JsonAt&, const S&, const Entry&) {}
template <class S>
void check_derived_entry(const JsonAt& json, const S& s, const Derived<S, double>& d) {
  if (const auto found = json.find(d.name)) check_derived(*found, d.value(s));
}

template <class S, class M>
void list_entry(const std::string& path, const Field<S, M>& f, std::vector<FieldLine>* lines) {
  list<M>(path + f.name, f.rule, f.absence, lines);
}
template <class S, class M>
void list_entry(const std::string& path, const Embedded<S, M>&, std::vector<FieldLine>* lines) {
  for_each_field<M>([&](const auto& entry) { list_entry(path, entry, lines); });
}
template <class S, class V>
void list_entry(const std::string& path, const Derived<S, V>& d, std::vector<FieldLine>* lines) {
  lines->push_back(line(path + d.name, std::is_arithmetic_v<V> ? "derived number" : "derived text",
                        {}, Absence::kNever));
}

// ---- read(), write(), check() and list() for every C++ type -------------------------------------

template <class T>
void read(const JsonAt& json, T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = json.string();
  } else if constexpr (std::is_same_v<T, bool>) {
    value = json.boolean();
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(index_of(json, names_of(Of<T>{})));
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(whole_number(json, std::is_signed_v<T>, sizeof(T)));
  } else if constexpr (std::is_floating_point_v<T>) {
    value = json.number();
  } else if constexpr (kOptional<T>) {
    read(json, value.emplace());
  } else if constexpr (kVector<T>) {
    json.for_each([&](const JsonAt& at) {
      typename T::value_type element{};
      read(at, element);
      value.push_back(std::move(element));
    });
  } else if constexpr (kMap<T>) {
    json.for_each_member([&](const std::string& name, const JsonAt& at) { read(at, value[name]); });
  } else if constexpr (HasOneMember<T>) {
    read(json, value.*only_member(Of<T>{}));
  } else {
    for_each_field<T>([&](const auto& entry) { read_entry(json, entry, value); });
    // For what a table cannot say, a struct may have such a function.
    if constexpr (requires { finish_reading(json, value); }) finish_reading(json, value);
  }
}

template <class T>
Json write(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return name_of(value);
  } else if constexpr (kOptional<T>) {
    return value ? write(*value) : Json();
  } else if constexpr (kVector<T>) {
    Json json = Json::array();
    for (const auto& element : value) json.push_back(write<typename T::value_type>(element));
    return json;
  } else if constexpr (kMap<T>) {
    Json json = Json::object();
    for (const auto& [name, element] : value) json[name] = write(element);
    return json;
  } else if constexpr (HasOneMember<T>) {
    return write(value.*only_member(Of<T>{}));
  } else if constexpr (Described<T>) {
    Json json = Json::object();
    for_each_field<T>([&](const auto& entry) { write_entry(value, entry, json); });
    return json;
  } else {
    return value;
  }
}

template <class T>
void check(const T& value, const Rule& rule, const std::string& file, const Place& place) {
  if constexpr (std::is_same_v<T, std::string>) {
    check_text(value, rule, file, place);
  } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
    // Every value of these types is valid.
  } else if constexpr (std::is_arithmetic_v<T>) {
    check_number(static_cast<double>(value), rule, std::is_integral_v<T>, file, place);
  } else if constexpr (kOptional<T>) {
    if (value) check(*value, rule, file, place);
  } else if constexpr (kVector<T>) {
    std::size_t i = 0;
    for (const auto& element : value)
      check<typename T::value_type>(element, rule, file, {&place, nullptr, i++});
  } else if constexpr (kMap<T>) {
    for (const auto& [name, element] : value) check(element, rule, file, {&place, name.c_str()});
  } else if constexpr (HasOneMember<T>) {
    check(value.*only_member(Of<T>{}), rule, file, place);
  } else {
    for_each_field<T>([&](const auto& entry) { check_entry(value, entry, file, place); });
  }
}

template <class T>
void list(const std::string& path, const Rule& rule, Absence absence,
          std::vector<FieldLine>* lines) {
  const auto add = [&](const char* type, const Rule& of) {
    lines->push_back(line(path, type, of, absence));
  };
  if constexpr (std::is_same_v<T, std::string>) {
    add("text", rule);
  } else if constexpr (std::is_same_v<T, bool>) {
    add("true or false", rule);
  } else if constexpr (std::is_enum_v<T>) {
    add("text", {.words = names_of(Of<T>{})});
  } else if constexpr (std::is_arithmetic_v<T>) {
    Rule of = rule;
    if (std::is_unsigned_v<T> && of.low < 0) of.low = 0;
    add(std::is_integral_v<T> ? "whole number" : "number", of);
  } else if constexpr (kOptional<T>) {
    list<typename T::value_type>(path, rule,
                                 absence == Absence::kOmitted ? absence : Absence::kNull, lines);
  } else if constexpr (kVector<T>) {
    list<typename T::value_type>(path + "[]", rule, absence, lines);
  } else if constexpr (kMap<T>) {
    list<typename T::mapped_type>(path + ".<name>", rule, absence, lines);
  } else if constexpr (HasOneMember<T>) {
    list<std::remove_cvref_t<decltype(std::declval<T>().*only_member(Of<T>{}))>>(path, rule,
                                                                                 absence, lines);
  } else {
    if (absence != Absence::kNever) add("object", {});
    const std::string inside = path.empty() ? path : path + ".";
    for_each_field<T>([&](const auto& entry) { list_entry(inside, entry, lines); });
  }
}

}  // namespace by_table

template <class S>
S struct_from(const JsonAt& json) {
  S s;
  by_table::read(json, s);
  return s;
}

/// Reads a struct and checks its values: throws InputError for the first that breaks its rule.
template <class S>
S checked_struct_from(const JsonAt& json) {
  S s = struct_from<S>(json);
  by_table::check(s, Rule{}, json.file(), {.name = json.place().c_str()});
  return s;
}

template <class S>
Json struct_to_json(const S& s) {
  return by_table::write(s);
}

/// Throws InputError for the first value that breaks its field's rule.
template <class S>
void check_struct(const S& s, const std::string& file) {
  by_table::check(s, Rule{}, file, Place{});
}

/// Throws InputError if a derived number of the JSON, which is there for people only, is not the
/// one that follows from `s`. Only the members of `s` itself are compared.
template <class S>
void check_derived_numbers(const JsonAt& json, const S& s) {
  by_table::for_each_field<S>(
      [&](const auto& entry) { by_table::check_derived_entry(json, s, entry); });
}

template <class S>
std::vector<FieldLine> fields_in_json() {
  std::vector<FieldLine> lines;
  by_table::list<S>("", Rule{}, Absence::kNever, &lines);
  return lines;
}

}  // namespace apmt
