#if __has_include(<dnnl.h>)
#include "calibration/microbench/onednn_plan.hpp"

namespace corecast::calibration::microbench::onednn {
namespace {

using Sizes = std::vector<dnnl_dim_t>;

// What is asked for; oneDNN fills in where the tag is `any`.
struct Wanted {
  int argument;
  Sizes sizes;
  dnnl_data_type_t type;
  dnnl_format_tag_t tag;
};

constexpr dnnl_format_tag_t kRowOrder[] = {
    dnnl_format_tag_undef, dnnl_a, dnnl_ab, dnnl_abc, dnnl_abcd, dnnl_abcde};

dnnl_data_type_t data_type(DataType type, bool is_unsigned = false) {
  switch (type) {
    case DataType::fp32:
      return dnnl_f32;
    case DataType::bf16:
      return dnnl_bf16;
    case DataType::int8:
      return is_unsigned ? dnnl_u8 : dnnl_s8;
    default:
      throw Refusal("oneDNN is not measured on this type");
  }
}

dnnl_memory_desc_t layout_of(const Session& session, const Wanted& wanted) {
  return session.layout(wanted.sizes, wanted.type, wanted.tag);
}

Tensor tensor(const Session& session, const PrimitiveDesc& primitive, const Wanted& wanted) {
  const dnnl_memory_desc_t* chosen =
      session.api().primitive_desc_query_md(primitive.get(), dnnl_query_exec_arg_md, wanted.argument);
  if (chosen == nullptr) throw Refusal("oneDNN does not say which layout it wants");
  return {wanted.argument, session.layout(wanted.sizes, dnnl_f32, kRowOrder[wanted.sizes.size()]), *chosen};
}

Plan plan_of(const Session& session, const void* operation, const std::vector<Wanted>& inputs,
             const Wanted& output) {
  Plan plan;
  plan.primitive = session.describe(operation);
  for (const Wanted& input : inputs) plan.inputs.push_back(tensor(session, plan.primitive, input));
  plan.output = tensor(session, plan.primitive, output);
  return plan;
}

Plan matmul(const Session& session, const Problem& problem) {
  const Product& p = problem.product;
  const auto sizes = [&](dnnl_dim_t rows, dnnl_dim_t columns) {
    return p.batch == 1 ? Sizes{rows, columns} : Sizes{p.batch, rows, columns};
  };
  const dnnl_format_tag_t rows = p.batch == 1 ? dnnl_ab : dnnl_abc;
  const dnnl_format_tag_t constant = p.batch == 1 ? dnnl_format_tag_any : dnnl_abc;
  const dnnl_data_type_t result = problem.type == DataType::int8 ? dnnl_s32 : data_type(problem.type);
  const Wanted a{DNNL_ARG_SRC, sizes(p.m, p.k), data_type(problem.type, true), rows};
  const Wanted b{DNNL_ARG_WEIGHTS, sizes(p.k, p.n), data_type(problem.type), constant};
  const Wanted c{DNNL_ARG_DST, sizes(p.m, p.n), result, rows};
  const auto la = layout_of(session, a), lb = layout_of(session, b), lc = layout_of(session, c);
  dnnl_matmul_desc_t operation{};
  require(session.api().matmul_desc_init(&operation, &la, &lb, nullptr, &lc));
  return plan_of(session, &operation, {a, b}, c);
}

Plan convolution(const Session& session, const Problem& problem) {
  const Window& w = problem.window;
  const dnnl_data_type_t type = data_type(problem.type);
  const dnnl_format_tag_t any = dnnl_format_tag_any;
  const Sizes filter = w.groups == 1
                           ? Sizes{w.outputs, w.channels, w.kernel, w.kernel}
                           : Sizes{w.groups, w.outputs / w.groups, w.channels / w.groups, w.kernel, w.kernel};
  const Wanted in{DNNL_ARG_SRC, {w.images, w.channels, w.height, w.width}, type, any};
  const Wanted weights{DNNL_ARG_WEIGHTS, filter, type, any};
  const Wanted out{DNNL_ARG_DST, {w.images, w.outputs, w.output_height(), w.output_width()}, type, any};
  const auto li = layout_of(session, in), lw = layout_of(session, weights), lo = layout_of(session, out);
  const dnnl_dims_t strides = {w.stride, w.stride}, padding = {w.padding, w.padding};
  dnnl_convolution_desc_t operation{};
  require(session.api().convolution_forward_desc_init(&operation, dnnl_forward_inference,
                                                      dnnl_convolution_direct, &li, &lw, nullptr, &lo,
                                                      strides, padding, padding));
  return plan_of(session, &operation, {in, weights}, out);
}

// What convolutions of this CPU leave behind: a pool takes the layout it finds.
dnnl_format_tag_t image_format(const Session& session) {
  const auto isa = static_cast<unsigned>(session.api().get_effective_cpu_isa());
  constexpr auto avx512 = static_cast<unsigned>(dnnl_cpu_isa_avx512_core);
  constexpr auto sse41 = static_cast<unsigned>(dnnl_cpu_isa_sse41);
  if ((isa & avx512) == avx512) return dnnl_aBcd16b;
  return (isa & sse41) == sse41 ? dnnl_aBcd8b : dnnl_acdb;
}

Plan pool(const Session& session, const Problem& problem) {
  const Window& w = problem.window;
  const dnnl_data_type_t type = data_type(problem.type);
  const dnnl_format_tag_t format = image_format(session);
  const Wanted in{DNNL_ARG_SRC, {w.images, w.channels, w.height, w.width}, type, format};
  const Wanted out{DNNL_ARG_DST, {w.images, w.outputs, w.output_height(), w.output_width()}, type, format};
  const auto li = layout_of(session, in), lo = layout_of(session, out);
  const dnnl_dims_t strides = {w.stride, w.stride}, window = {w.kernel, w.kernel};
  const dnnl_dims_t padding = {w.padding, w.padding};
  const auto algorithm = problem.function == Function::max_pool ? dnnl_pooling_max : dnnl_pooling_avg;
  dnnl_pooling_desc_t operation{};
  require(session.api().pooling_forward_desc_init(&operation, dnnl_forward_inference, algorithm, &li, &lo,
                                                  strides, window, padding, padding));
  return plan_of(session, &operation, {in}, out);
}

Plan rows(const Session& session, const Problem& problem) {
  const Sizes sizes{problem.product.m, problem.product.n};
  const Wanted in{DNNL_ARG_SRC, sizes, data_type(problem.type), dnnl_ab};
  const Wanted out{DNNL_ARG_DST, sizes, data_type(problem.type), dnnl_ab};
  const auto layout = layout_of(session, in);
  if (problem.function == Function::softmax) {
    dnnl_softmax_desc_t operation{};
    require(session.api().softmax_forward_desc_init(&operation, dnnl_forward_inference, &layout, 1));
    return plan_of(session, &operation, {in}, out);
  }
  const Wanted scale{DNNL_ARG_SCALE_SHIFT, {2, problem.product.n}, dnnl_f32, dnnl_ab};
  constexpr float epsilon = 1e-5F;
  dnnl_layer_normalization_desc_t operation{};
  require(session.api().layer_normalization_forward_desc_init(&operation, dnnl_forward_inference, &layout,
                                                              nullptr, epsilon, dnnl_use_scaleshift));
  return plan_of(session, &operation, {in, scale}, out);
}

Plan elements(const Session& session, const Problem& problem) {
  const Sizes sizes{problem.product.m};
  const dnnl_data_type_t type = data_type(problem.type);
  const Wanted first{DNNL_ARG_SRC, sizes, type, dnnl_a};
  const Wanted out{DNNL_ARG_DST, sizes, type, dnnl_a};
  const auto layout = layout_of(session, first);
  if (problem.function == Function::relu) {
    dnnl_eltwise_desc_t operation{};
    require(session.api().eltwise_forward_desc_init(&operation, dnnl_forward_inference, dnnl_eltwise_relu,
                                                    &layout, 0.0F, 0.0F));
    return plan_of(session, &operation, {first}, out);
  }
  const Wanted second{DNNL_ARG_SRC_1, sizes, type, dnnl_a};
  dnnl_binary_desc_t operation{};
  require(session.api().binary_desc_init(&operation, dnnl_binary_add, &layout, &layout, &layout));
  return plan_of(session, &operation, {first, second}, out);
}

}  // namespace

Plan plan(const Session& session, const Problem& problem) {
  switch (problem.function) {
    case Function::matmul:
      return matmul(session, problem);
    case Function::convolution:
      return convolution(session, problem);
    case Function::max_pool:
    case Function::average_pool:
      return pool(session, problem);
    case Function::softmax:
    case Function::layer_normalization:
      return rows(session, problem);
    case Function::relu:
    case Function::add:
      return elements(session, problem);
  }
  throw Refusal("unknown function");
}

}  // namespace corecast::calibration::microbench::onednn
#endif
