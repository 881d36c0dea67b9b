#if __has_include(<dnnl.h>)
#include "calibration/microbench/onednn_api.hpp"

#include <fmt/format.h>

namespace corecast::calibration::microbench::onednn {
namespace {

class Finder {
 public:
  explicit Finder(const DynamicLibrary& library) : library_(library) {}
  template <typename Pointer>
  Finder& operator()(const char* symbol, Pointer& function) {
    if (!library_.find(symbol, function) && missing_.empty()) missing_ = symbol;
    return *this;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  const DynamicLibrary& library_;
  std::string missing_;
};

std::string words(dnnl_status_t status) {
  switch (status) {
    case dnnl_success:
      return "success";
    case dnnl_out_of_memory:
      return "oneDNN: out of memory";
    case dnnl_invalid_arguments:
      return "oneDNN: invalid arguments";
    case dnnl_unimplemented:
      return "oneDNN has no implementation of it on this CPU";
    default:
      return fmt::format("oneDNN: status {}", static_cast<int>(status));
  }
}

}  // namespace

std::string Api::find(const DynamicLibrary& library) {
  Finder finder(library);
  finder("dnnl_version", version)("dnnl_get_effective_cpu_isa", get_effective_cpu_isa);
  finder("dnnl_engine_create", engine_create)("dnnl_engine_destroy", engine_destroy);
  finder("dnnl_stream_create", stream_create)("dnnl_stream_wait", stream_wait);
  finder("dnnl_stream_destroy", stream_destroy)("dnnl_memory_desc_init_by_tag", memory_desc_init_by_tag);
  finder("dnnl_memory_create", memory_create)("dnnl_memory_destroy", memory_destroy);
  finder("dnnl_primitive_desc_create", primitive_desc_create);
  finder("dnnl_primitive_desc_destroy", primitive_desc_destroy);
  finder("dnnl_primitive_desc_query", primitive_desc_query);
  finder("dnnl_primitive_desc_query_md", primitive_desc_query_md);
  finder("dnnl_primitive_create", primitive_create)("dnnl_primitive_execute", primitive_execute);
  finder("dnnl_primitive_destroy", primitive_destroy);
  finder("dnnl_reorder_primitive_desc_create", reorder_primitive_desc_create);
  finder("dnnl_matmul_desc_init", matmul_desc_init);
  finder("dnnl_convolution_forward_desc_init", convolution_forward_desc_init);
  finder("dnnl_pooling_forward_desc_init", pooling_forward_desc_init);
  finder("dnnl_softmax_forward_desc_init", softmax_forward_desc_init);
  finder("dnnl_layer_normalization_forward_desc_init", layer_normalization_forward_desc_init);
  finder("dnnl_eltwise_forward_desc_init", eltwise_forward_desc_init);
  finder("dnnl_binary_desc_init", binary_desc_init);
  return finder.missing();
}

void require(dnnl_status_t status) {
  if (status != dnnl_success) throw Refusal(words(status));
}

Session::Session(const Api& api) : api_(api) {
  dnnl_engine_t engine = nullptr;
  require(api_.engine_create(&engine, dnnl_cpu, 0));
  engine_ = Engine(engine, api_.engine_destroy);
  dnnl_stream_t stream = nullptr;
  require(api_.stream_create(&stream, engine, dnnl_stream_default_flags));
  stream_ = Stream(stream, api_.stream_destroy);
}

PrimitiveDesc Session::describe(const void* operation) const {
  dnnl_primitive_desc_t description = nullptr;
  require(api_.primitive_desc_create(&description, operation, nullptr, engine_.get(), nullptr));
  return {description, api_.primitive_desc_destroy};
}

Primitive Session::create(const PrimitiveDesc& description) const {
  dnnl_primitive_t primitive = nullptr;
  require(api_.primitive_create(&primitive, description.get()));
  return {primitive, api_.primitive_destroy};
}

std::string Session::implementation(const PrimitiveDesc& description) const {
  const char* text = nullptr;
  require(
      api_.primitive_desc_query(description.get(), dnnl_query_impl_info_str, 0, static_cast<void*>(&text)));
  return text != nullptr ? text : "";
}

Memory Session::memory(const dnnl_memory_desc_t& layout, void* buffer) const {
  dnnl_memory_t memory = nullptr;
  void* const handle = buffer != nullptr ? buffer : DNNL_MEMORY_ALLOCATE;
  require(api_.memory_create(&memory, &layout, engine_.get(), handle));
  return {memory, api_.memory_destroy};
}

dnnl_memory_desc_t Session::layout(const std::vector<dnnl_dim_t>& sizes, dnnl_data_type_t type,
                                   dnnl_format_tag_t tag) const {
  dnnl_memory_desc_t layout{};
  require(api_.memory_desc_init_by_tag(&layout, static_cast<int>(sizes.size()), sizes.data(), type, tag));
  return layout;
}

void Session::run(const Primitive& primitive, const std::vector<dnnl_exec_arg_t>& arguments) const {
  require(api_.primitive_execute(primitive.get(), stream_.get(), static_cast<int>(arguments.size()),
                                 arguments.data()));
  require(api_.stream_wait(stream_.get()));
}

void Session::copy(const dnnl_memory_desc_t& from_layout, const Memory& from,
                   const dnnl_memory_desc_t& to_layout, const Memory& to) const {
  dnnl_primitive_desc_t description = nullptr;
  require(api_.reorder_primitive_desc_create(&description, &from_layout, engine_.get(), &to_layout,
                                             engine_.get(), nullptr));
  const PrimitiveDesc owner(description, api_.primitive_desc_destroy);
  run(create(owner), {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}});
}

}  // namespace corecast::calibration::microbench::onednn
#endif
