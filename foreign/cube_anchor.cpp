#include "foreign/cube_anchor.h"

#include <expat.h>

#include <map>
#include <memory>
#include <set>

#include "base/input_error.h"

namespace apmt {
namespace {

const std::set<std::string> kFloats = {"DOUBLE", "FLOAT", "MINDOUBLE", "MAXDOUBLE"};
const std::set<std::string> kLongIntegers = {"UINT64", "INT64", "INTEGER", "UNSIGNED INTEGER",
                                             "SIGNED INTEGER"};

class AnchorReader {
 public:
  AnchorReader(const std::string& xml, std::string file) : file_(std::move(file)) {
    parser_.reset(XML_ParserCreate(nullptr));
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<AnchorReader*>(self)->begin(name, attributes);
        },
        [](void* self, const char* name) { static_cast<AnchorReader*>(self)->end(name); });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* text, int size) {
      static_cast<AnchorReader*>(self)->text_.append(text, static_cast<std::size_t>(size));
    });
    if (XML_Parse(parser_.get(), xml.data(), static_cast<int>(xml.size()), 1) == XML_STATUS_ERROR)
      fail(XML_ErrorString(XML_GetErrorCode(parser_.get())));
    for (std::size_t i = 0; i < anchor_.paths.size(); ++i) {
      const auto found = regions_.find(callees_[i]);
      if (found == regions_.end())
        fail("a call path names region " + callees_[i] + ", which is not there");
      anchor_.paths[i].region = found->second;
    }
  }

  CubeAnchor take() { return std::move(anchor_); }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(
        file_ + ":anchor.xml:" + std::to_string(XML_GetCurrentLineNumber(parser_.get())), what);
  }

  using Attributes = std::map<std::string, std::string>;

  void begin(const std::string& name, const char** list) {
    Attributes attributes;
    for (; *list != nullptr; list += 2) attributes[list[0]] = list[1];
    text_.clear();
    if (name == "metric") {
      open_metrics_.push_back(anchor_.metrics.size());
      anchor_.metrics.push_back({.id = attributes["id"],
                                 .name = {},
                                 .type = {},
                                 .is_inclusive = attributes["type"] == "INCLUSIVE"});
    } else if (name == "region") {
      region_ = attributes["id"];
    } else if (name == "cnode") {
      CubePath path;
      if (!open_paths_.empty()) {
        path.parent = open_paths_.back();
        anchor_.paths[*path.parent].children.push_back(anchor_.paths.size());
      }
      open_paths_.push_back(anchor_.paths.size());
      anchor_.paths.push_back(std::move(path));
      callees_.push_back(attributes["calleeId"]);
    } else if (name == "locationgroup") {
      ++groups_;
      first_of_group_ = anchor_.locations.size();
      group_type_ = "process";
      in_location_ = false;
    } else if (name == "location") {
      in_location_ = true;
      anchor_.locations.push_back({groups_, false});
    }
  }

  void end(const std::string& name) {
    if (name == "metric" && !open_metrics_.empty()) {
      open_metrics_.pop_back();
    } else if (name == "uniq_name" && !open_metrics_.empty()) {
      anchor_.metrics[open_metrics_.back()].name = text_;
    } else if (name == "dtype" && !open_metrics_.empty()) {
      CubeMetric& metric = anchor_.metrics[open_metrics_.back()];
      metric.type = text_;
      metric.is_integer = kLongIntegers.count(text_) > 0;
      metric.bytes = metric.is_integer || kFloats.count(text_) > 0 ? sizeof(double) : 0;
    } else if (name == "name" && !region_.empty()) {
      regions_[region_] = text_;
    } else if (name == "region") {
      region_.clear();
    } else if (name == "cnode" && !open_paths_.empty()) {
      open_paths_.pop_back();
    } else if (name == "location") {
      in_location_ = false;
    } else if (name == "type" && groups_ > 0 && !in_location_) {
      group_type_ = text_;
    } else if (name == "locationgroup") {
      for (std::size_t l = first_of_group_; l < anchor_.locations.size(); ++l)
        anchor_.locations[l].is_of_process = group_type_ == "process";
    }
    text_.clear();
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::string file_;
  std::string text_;
  CubeAnchor anchor_;
  std::vector<std::size_t> open_metrics_;
  std::vector<std::size_t> open_paths_;
  std::vector<std::string> callees_;
  std::map<std::string, std::string> regions_;
  std::string region_;  // id of the region whose element is open
  std::size_t groups_ = 0;
  std::size_t first_of_group_ = 0;
  std::string group_type_;
  bool in_location_ = false;
};

}  // namespace

std::vector<std::size_t> CubeAnchor::order_of(const CubeMetric& metric) const {
  std::vector<std::size_t> order;
  for (std::size_t root = 0; root < paths.size(); ++root) {
    if (paths[root].parent) continue;
    std::vector<std::size_t> stack = {root};
    if (metric.is_inclusive) order.push_back(root);
    while (!stack.empty()) {
      const std::size_t path = stack.back();
      stack.pop_back();
      const std::vector<std::size_t>& children = paths[path].children;
      if (metric.is_inclusive)
        order.insert(order.end(), children.begin(), children.end());
      else
        order.push_back(path);
      stack.insert(stack.end(), children.rbegin(), children.rend());
    }
  }
  return order;
}

CubeAnchor read_cube_anchor(const std::string& xml, const std::string& file) {
  return AnchorReader(xml, file).take();
}

}  // namespace apmt
