// Graphs and plans on their way between worktop._core and worktop._torch: a PyCapsule that owns a
// std::shared_ptr<const T>. Both modules are built from one tree, so that T is the same in both.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "errors.h"

namespace worktop::python {

inline constexpr const char* kGraphCapsule = "worktop.graph";  // std::shared_ptr<const graph::Graph>*
inline constexpr const char* kPlanCapsule = "worktop.plan";    // std::shared_ptr<const plan::Plan>*

template <class T>
nanobind::capsule to_capsule(std::shared_ptr<const T> item, const char* name) {
  using Owner = std::shared_ptr<const T>;
  return nanobind::capsule(new Owner(std::move(item)), name,
                           [](void* owner) noexcept { delete static_cast<Owner*>(owner); });
}

template <class T>
std::shared_ptr<const T> from_capsule(const nanobind::capsule& capsule, const char* name) {
  const char* found = capsule.name();
  if (found == nullptr || std::strcmp(found, name) != 0)
    refuse(std::string("this capsule is ") + (found == nullptr ? "nameless" : found) + ", not " + name,
           "capsule", "give what the capsule() of the same class returned");
  return *static_cast<const std::shared_ptr<const T>*>(capsule.data());
}

}  // namespace worktop::python
