// The door of the executor: the extension module worktop._torch.
#include <torch/csrc/autograd/python_variable.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "executor.h"
#include "hooks.h"
#include "meter.h"
#include "recorder.h"
#include "runtime/measure.h"

namespace py = pybind11;
using namespace worktop;
using namespace worktop::adapter;

namespace {

// A micro-step that is not the one that was captured.
struct ProgramChanged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void raise(const base::Error& error) {
  std::string text = error.what;
  if (!error.where.empty()) text += " (" + error.where + ")";
  if (!error.hint.empty()) text += "; " + error.hint;
  if (error.code == base::ErrorCode::illegal) throw ProgramChanged(text);
  throw std::runtime_error(text);
}

at::Tensor tensor_of(py::handle object) {
  if (!THPVariable_Check(object.ptr())) throw py::type_error("a torch.Tensor is expected");
  return THPVariable_Unpack(object.ptr());
}

std::vector<at::Tensor> tensors_of(const py::iterable& objects) {
  std::vector<at::Tensor> tensors;
  for (py::handle object : objects) tensors.push_back(tensor_of(object));
  return tensors;
}

// What crosses between the two extension modules: a capsule with a shared pointer in it.
template <class T>
py::capsule capsule_of(std::shared_ptr<const T> item, const char* name) {
  return py::capsule(new std::shared_ptr<const T>(std::move(item)), name, [](PyObject* capsule) {
    delete static_cast<std::shared_ptr<const T>*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
  });
}
template <class T>
std::shared_ptr<const T> from_capsule(const py::capsule& capsule, const char* name) {
  void* item = PyCapsule_GetPointer(capsule.ptr(), name);
  if (!item) throw py::error_already_set();
  return *static_cast<std::shared_ptr<const T>*>(item);
}

Mode mode_of(const std::string& name) {
  if (name == "keep") return Mode::keep;
  if (name == "capture") return Mode::capture;
  if (name == "planned") return Mode::planned;
  throw py::value_error("mode is keep, capture or planned");
}

const char* name_of(Mode mode) {
  return mode == Mode::keep ? "keep" : mode == Mode::capture ? "capture" : "planned";
}

std::unique_ptr<Executor> open_executor(std::optional<std::string> disk_directory,
                                        std::optional<std::int64_t> disk_bytes,
                                        std::optional<std::int64_t> host_bytes) {
  ExecutorOptions options;
  const auto limit = [](std::optional<std::int64_t> bytes) {
    return bytes ? base::Limit<base::Bytes>(base::Bytes{*bytes}) : std::nullopt;
  };
  if (disk_directory) options.store.disk = runtime::DiskOptions{*disk_directory, limit(disk_bytes)};
  if (host_bytes) options.store.host = runtime::HostOptions{limit(host_bytes)};
  auto executor = Executor::open(options);
  if (!executor) raise(executor.error());
  return *std::move(executor);
}

py::dict store_stats(const Executor& executor) {
  py::dict all;
  if (!executor.store()) return all;
  const runtime::StoreStats stats = executor.store()->stats();
  for (const runtime::LinkStats& link : stats.links) {
    if (link.copies == 0 && link.failed == 0) continue;
    py::dict one;
    one["copies"] = link.copies;
    one["bytes"] = link.bytes.count();
    one["busy_ns"] = link.busy.count();
    one["stalls"] = link.stalls;
    one["stall_ns"] = link.stall.count();
    one["failed"] = link.failed;
    all[py::str(std::string(machine::name_of(link.from)) + "->" + machine::name_of(link.to))] = one;
  }
  all["direct_io"] = stats.direct_io;
  all["disk_note"] = stats.disk_note;
  return all;
}

// The two links of a disk, as a machine file names their numbers.
py::dict measure_disk(const std::string& directory, std::int64_t bytes, std::int64_t value) {
  const runtime::MeasureOptions options{.bytes = base::Bytes{bytes}, .value = base::Bytes{value}};
  base::Result<std::array<machine::Link, 2>> links;
  bool direct_io = false;
  std::string note;
  {
    const py::gil_scoped_release free;
    links = [&]() -> base::Result<std::array<machine::Link, 2>> {
      WORKTOP_TRY(const auto store,
                  runtime::Store::open({.host = std::nullopt, .disk = runtime::DiskOptions{directory, {}}}));
      WORKTOP_TRY(const runtime::LinkSpeed speed, runtime::measure(*store, machine::Tier::disk, options));
      const runtime::StoreStats stats = store->stats();
      direct_io = stats.direct_io;
      note = stats.disk_note;
      return runtime::links_of(speed, {});
    }();
  }
  if (!links) raise(links.error());
  py::dict all;
  for (const machine::Link& link : *links) {
    py::dict one;
    one["bandwidth_bytes_per_s"] = link.bandwidth.per_second;
    one["both_ways_bytes_per_s"] = link.both_ways.per_second;
    one["latency_ns"] = link.latency.count();
    one["smallest_bytes"] = link.smallest.count();
    all[link.outward() ? "out" : "in"] = one;
  }
  all["direct_io"] = direct_io;
  all["note"] = note;
  return all;
}

py::list ops_of(const Record& record) {
  py::list ops;
  for (const Record::Op& op : record.ops) ops.append(op.facts->name);
  return ops;
}

void bind_meter(py::module_& m) {
  m.def("install_meter", [] { Meter::instance().install(); });
  m.def("uninstall_meter", [] { Meter::instance().uninstall(); });
  m.def("meter_installed", [] { return Meter::instance().installed(); });
  m.def("set_page_reuse", [](bool on) { Meter::instance().set_reuse(on); });
  m.def("live_bytes", [] { return Meter::instance().live_bytes(); });
  m.def("peak_bytes", [] { return Meter::instance().peak_bytes(); });
  m.def("cached_bytes", [] { return Meter::instance().cached_bytes(); });
  m.def("reset_peak", [] { Meter::instance().reset_peak(); });
  m.def("is_metered",
        [](py::handle tensor) { return Meter::id_of(tensor_of(tensor).storage().data_ptr()) != 0; });
}

void bind_record(py::module_& m) {
  py::class_<Record, std::shared_ptr<Record>>(m, "Record")
      .def_readonly("live_at_begin", &Record::live_at_begin)
      .def_readonly("peak_bytes", &Record::peak_bytes)
      .def_property_readonly("step_ns",
                             [](const Record& record) { return record.ended_ns - record.began_ns; })
      .def_property_readonly("mode", [](const Record& record) { return name_of(record.mode); })
      .def_property_readonly("ops", &ops_of)
      .def_property_readonly(
          "nodes",
          [](const Record& record) {
            py::list nodes;
            for (const auto& visit : record.visits)
              nodes.append(py::make_tuple(visit.node.number, visit.node.name, visit.reads));
            return nodes;
          })
      .def_property_readonly("events", [](const Record& record) { return record.log.size(); })
      .def_property_readonly("left_plan", [](const Record& record) { return record.counts.left_plan; })
      .def_property_readonly("packs", [](const Record& record) { return record.counts.packs; })
      .def_property_readonly("unpacks", [](const Record& record) { return record.counts.unpacks; })
      .def_property_readonly("replays", [](const Record& record) { return record.counts.replays; })
      .def_property_readonly("replay_ns", [](const Record& record) { return record.counts.replay_ns; })
      .def_property_readonly("unplanned", [](const Record& record) { return record.counts.unplanned; })
      .def_property_readonly("unseen_bytes", [](const Record& record) { return record.counts.unseen_bytes; });
  py::class_<Profiled, std::shared_ptr<Profiled>>(m, "Profiled")
      .def_property_readonly(
          "graph", [](const Profiled& profiled) { return capsule_of(profiled.graph, "worktop.graph"); })
      .def_readonly("durations_ns", &Profiled::durations_ns);
  m.def(
      "profile",
      [](const Record& capture, const Record& steady, std::int64_t foreign, std::int64_t weights,
         std::int64_t gradients, std::int64_t optimizer_states, const std::vector<std::string>& modules,
         const std::vector<std::string>& blocks, const std::string& name, std::int64_t tokens) {
        auto profiled = profile(capture, steady, {foreign, weights, gradients, optimizer_states}, modules,
                                blocks, name, tokens);
        if (!profiled) raise(profiled.error());
        return std::make_shared<Profiled>(*std::move(profiled));
      },
      py::arg("capture"), py::arg("steady"), py::kw_only(), py::arg("foreign") = 0, py::arg("weights") = 0,
      py::arg("gradients") = 0, py::arg("optimizer_states") = 0, py::arg("modules"), py::arg("blocks"),
      py::arg("name"), py::arg("tokens") = 0);
  py::class_<Program, std::shared_ptr<Program>>(m, "Program")
      .def(py::init(
               [](const Profiled& profiled, const py::capsule& plan, const std::vector<int>& lower_tiers) {
                 Program program{
                     profiled.layout, profiled.graph, from_capsule<plan::Plan>(plan, "worktop.plan"), {}};
                 if (program.plan->graph != profiled.graph->hash())
                   throw py::value_error("the plan is of another graph");
                 for (const int tier : lower_tiers)
                   program.lower_tier_of_link.push_back(static_cast<machine::Tier>(tier));
                 return std::make_shared<Program>(std::move(program));
               }),
           py::arg("profiled"), py::arg("plan"), py::arg("lower_tiers"));
}

void bind_executor(py::module_& m) {
  if (!add_hooks(m.ptr())) throw py::error_already_set();
  m.def("enter_module", &enter_module);
  m.def("stop_following", &stop_following);
  py::class_<Executor>(m, "Executor")
      .def(py::init(&open_executor), py::kw_only(), py::arg("disk_directory") = py::none(),
           py::arg("disk_bytes") = py::none(), py::arg("host_bytes") = py::none())
      .def(
          "begin",
          [](Executor& executor, const std::string& mode, std::shared_ptr<Program> program,
             const py::iterable& lasting,
             bool log) { executor.begin(mode_of(mode), std::move(program), tensors_of(lasting), log); },
          py::arg("mode"), py::arg("program").none(true), py::arg("lasting"), py::arg("log") = false)
      .def("end_forward", &Executor::end_forward)
      .def("end_step", &Executor::end_step)
      .def("finish", [](Executor& executor) { return std::make_shared<Record>(executor.finish()); })
      .def_property_readonly("running", &Executor::running)
      .def_property_readonly("store_stats", &store_stats);
  m.def("measure_disk", &measure_disk, py::arg("directory"), py::kw_only(), py::arg("bytes"),
        py::arg("value"),
        "Copies to a file in the directory and back. The rates of both directions, alone and both ways.");
}

}  // namespace

PYBIND11_MODULE(_torch, m) {
  m.doc() = "The PyTorch executor of Worktop.";
  m.attr("built_for") = WORKTOP_TORCH_VERSION;
  py::register_exception<ProgramChanged>(m, "ProgramChanged", PyExc_RuntimeError);
  bind_meter(m);
  bind_record(m);
  bind_executor(m);
}
