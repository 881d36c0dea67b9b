// The functions of oneDNN's C interface that are used here, and owners of what they make.
#pragma once

#include <dnnl.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "calibration/microbench/dynamic_library.hpp"

namespace corecast::calibration::microbench::onednn {

struct Api {
  // Name of a missing symbol, or empty.
  [[nodiscard]] std::string find(const DynamicLibrary& library);

  decltype(::dnnl_version)* version = nullptr;
  decltype(::dnnl_get_effective_cpu_isa)* get_effective_cpu_isa = nullptr;
  decltype(::dnnl_engine_create)* engine_create = nullptr;
  decltype(::dnnl_engine_destroy)* engine_destroy = nullptr;
  decltype(::dnnl_stream_create)* stream_create = nullptr;
  decltype(::dnnl_stream_wait)* stream_wait = nullptr;
  decltype(::dnnl_stream_destroy)* stream_destroy = nullptr;
  decltype(::dnnl_memory_desc_init_by_tag)* memory_desc_init_by_tag = nullptr;
  decltype(::dnnl_memory_create)* memory_create = nullptr;
  decltype(::dnnl_memory_destroy)* memory_destroy = nullptr;
  decltype(::dnnl_primitive_desc_create)* primitive_desc_create = nullptr;
  decltype(::dnnl_primitive_desc_destroy)* primitive_desc_destroy = nullptr;
  decltype(::dnnl_primitive_desc_query)* primitive_desc_query = nullptr;
  decltype(::dnnl_primitive_desc_query_md)* primitive_desc_query_md = nullptr;
  decltype(::dnnl_primitive_create)* primitive_create = nullptr;
  decltype(::dnnl_primitive_execute)* primitive_execute = nullptr;
  decltype(::dnnl_primitive_destroy)* primitive_destroy = nullptr;
  decltype(::dnnl_reorder_primitive_desc_create)* reorder_primitive_desc_create = nullptr;
  decltype(::dnnl_matmul_desc_init)* matmul_desc_init = nullptr;
  decltype(::dnnl_convolution_forward_desc_init)* convolution_forward_desc_init = nullptr;
  decltype(::dnnl_pooling_forward_desc_init)* pooling_forward_desc_init = nullptr;
  decltype(::dnnl_softmax_forward_desc_init)* softmax_forward_desc_init = nullptr;
  decltype(::dnnl_layer_normalization_forward_desc_init)* layer_normalization_forward_desc_init = nullptr;
  decltype(::dnnl_eltwise_forward_desc_init)* eltwise_forward_desc_init = nullptr;
  decltype(::dnnl_binary_desc_init)* binary_desc_init = nullptr;
};

using Engine = std::shared_ptr<dnnl_engine>;
using Stream = std::shared_ptr<dnnl_stream>;
using Memory = std::shared_ptr<dnnl_memory>;
using PrimitiveDesc = std::shared_ptr<dnnl_primitive_desc>;
using Primitive = std::shared_ptr<dnnl_primitive>;

// oneDNN declined; the text is its status in words.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
void require(dnnl_status_t status);  // throws Refusal

// Calls are synchronous. All throw Refusal.
class Session {
 public:
  explicit Session(const Api& api);

  [[nodiscard]] const Api& api() const { return api_; }
  [[nodiscard]] PrimitiveDesc describe(const void* operation) const;
  [[nodiscard]] Primitive create(const PrimitiveDesc& description) const;
  [[nodiscard]] std::string implementation(const PrimitiveDesc& description) const;
  // On the caller's buffer, or (null) on one of its own.
  [[nodiscard]] Memory memory(const dnnl_memory_desc_t& layout, void* buffer = nullptr) const;
  [[nodiscard]] dnnl_memory_desc_t layout(const std::vector<dnnl_dim_t>& sizes, dnnl_data_type_t type,
                                          dnnl_format_tag_t tag) const;
  void run(const Primitive& primitive, const std::vector<dnnl_exec_arg_t>& arguments) const;
  // Converts type and format.
  void copy(const dnnl_memory_desc_t& from_layout, const Memory& from, const dnnl_memory_desc_t& to_layout,
            const Memory& to) const;

 private:
  Api api_;
  Engine engine_;
  Stream stream_;
};

}  // namespace corecast::calibration::microbench::onednn
