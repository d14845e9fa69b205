#include "vgpu/decode/reading/forms.h"

#include <algorithm>
#include <map>

namespace cudalab::vgpu {

// decode_data.cpp
void decode_mov(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_cvta(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_nothing(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_fence(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_logic_of_three(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_set(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_memory.cpp
void decode_load(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_store(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_async.cpp
void decode_mbarrier(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_async_arrive(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_bulk_copy(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_tensor_copy(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_bulk_commit(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_bulk_wait(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_async_store(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_cluster_arrive(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_cluster_wait(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_map_address(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_rank_of_address(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_async_copy(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_async_commit(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_async_wait(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_is_space(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_cache_policy(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_memory.cpp
void decode_alloca(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_stack_save(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_stack_restore(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_atomic.cpp
void decode_atomic(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_texture.cpp
void decode_texture(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_texture_query(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_surface(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_control.cpp
void decode_shuffle(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_vote(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_match(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_redux(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_elect(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_active_mask(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_tap(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_matrices.cpp
void decode_wmma(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_wmma_multiply(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_video.cpp
void decode_video(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_matrices.cpp
void decode_mma(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_warpgroup(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_load_matrices(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_store_matrices(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_transpose_matrix(FunctionScope& scope, const ptx::Instruction& instruction);
// decode_control.cpp
void decode_branch(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_branch_table(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_return(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_exit(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_trap(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_warp_barrier(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_barrier(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_barrier_reduction(FunctionScope& scope, const ptx::Instruction& instruction);
void decode_call(FunctionScope& scope, const ptx::Instruction& instruction);

namespace {

// clang-format off
constexpr Form kForms[] = {
    // name                operands  decoded by
    {"mov",                  2,      decode_mov},
    {"lop3",                 {5, 6}, decode_logic_of_three},
    {"cvta",                 2,      decode_cvta},
    {"set",                  {3, 4}, decode_set},
    {"ld",                   2,      decode_load},
    {"ldu",                  2,      decode_load},
    {"st",                   2,      decode_store},
    {"isspacep",             2,      decode_is_space},
    {"createpolicy",         {1, 4}, decode_cache_policy},
    {"cp.async",             {3, 4}, decode_async_copy},
    {"cp.async.commit_group", 0,     decode_async_commit},
    {"cp.async.wait_group",  1,      decode_async_wait},
    {"cp.async.wait_all",    0,      decode_async_wait},
    {"cp.async.mbarrier",    1,      decode_async_arrive},
    {"mbarrier",             {1, 4}, decode_mbarrier},
    {"cp.async.bulk",        {3, 5}, decode_bulk_copy},
    {"cp.async.bulk.tensor", {2, 6}, decode_tensor_copy},
    {"cp.reduce.async.bulk.tensor", {2, 3}, decode_tensor_copy},
    {"wgmma",                {0, 12}, decode_warpgroup},
    {"cp.reduce.async",      {3, 4}, decode_bulk_copy},
    {"cp.async.bulk.commit_group", 0, decode_bulk_commit},
    {"cp.async.bulk.wait_group", 1,  decode_bulk_wait},
    {"cp.async.bulk.prefetch", 2,    decode_nothing},
    {"st.async",             3,      decode_async_store},
    {"red.async",            3,      decode_async_store},
    {"mapa",                 3,      decode_map_address},
    {"getctarank",           2,      decode_rank_of_address},
    {"alloca",               {2, 3}, decode_alloca},
    {"stacksave",            1,      decode_stack_save},
    {"stackrestore",         1,      decode_stack_restore},
    {"atom",                 {3, 4}, decode_atomic},
    {"red",                  2,      decode_atomic},
    {"tex",                  2,      decode_texture},
    {"tex.level",            3,      decode_texture},
    {"tex.grad",             4,      decode_texture},
    {"tld4",                 2,      decode_texture},
    {"txq",                  2,      decode_texture_query},
    {"suq",                  2,      decode_texture_query},
    {"suld",                 2,      decode_surface},
    {"sust",                 2,      decode_surface},
    {"vmad",                  4,      decode_video},
    {"vadd",                  {3, 4}, decode_video},
    {"vsub",                  {3, 4}, decode_video},
    {"vabsdiff",              {3, 4}, decode_video},
    {"vmin",                  {3, 4}, decode_video},
    {"vmax",                  {3, 4}, decode_video},
    {"vset",                  {3, 4}, decode_video},
    {"vshl",                  {3, 4}, decode_video},
    {"vshr",                  {3, 4}, decode_video},
    {"vadd2",                 4,      decode_video},
    {"vadd4",                 4,      decode_video},
    {"vsub2",                 4,      decode_video},
    {"vsub4",                 4,      decode_video},
    {"vavrg2",                4,      decode_video},
    {"vavrg4",                4,      decode_video},
    {"vabsdiff2",             4,      decode_video},
    {"vabsdiff4",             4,      decode_video},
    {"vmin2",                 4,      decode_video},
    {"vmin4",                 4,      decode_video},
    {"vmax2",                 4,      decode_video},
    {"vmax4",                 4,      decode_video},
    {"vset2",                 4,      decode_video},
    {"vset4",                 4,      decode_video},
    {"activemask",           1,      decode_active_mask},
    {"tap",                  {3, 4}, decode_tap},
    {"membar",               0,      decode_fence},
    {"fence",                {0, 2}, decode_fence},
    // Without effect in the virtual GPU.
    {"nanosleep",            1,      decode_nothing},
    {"prefetch",             1,      decode_nothing},
    {"prefetchu",            1,      decode_nothing},
    {"discard",              2,      decode_nothing},
    {"applypriority",        2,      decode_nothing},
    {"pmevent",              1,      decode_nothing},
    {"griddepcontrol",       0,      decode_nothing},
    {"setmaxnreg",           1,      decode_nothing},
    {"shfl",                 4,      decode_shuffle},
    {"shfl.sync",            5,      decode_shuffle},
    {"vote",                 {2, 3}, decode_vote},
    {"match",                3,      decode_match},
    {"redux",                3,      decode_redux},
    {"elect",                2,      decode_elect},
    {"wmma.load",            {2, 3}, decode_wmma},
    {"wmma.store",           {2, 3}, decode_wmma},
    {"wmma.mma",             4,      decode_wmma_multiply},
    {"mma",                  4,      decode_mma},
    {"ldmatrix",             2,      decode_load_matrices},
    {"stmatrix",             2,      decode_store_matrices},
    {"movmatrix",            2,      decode_transpose_matrix},
    {"bra",                  1,      decode_branch},
    {"brx",                  2,      decode_branch_table},
    {"ret",                  0,      decode_return},
    {"exit",                 0,      decode_exit},
    {"trap",                 0,      decode_trap},
    {"call",                 0,      decode_call},  // its lists are no operands
    {"bar.warp",             1,      decode_warp_barrier},
    {"barrier.cluster.arrive", 0,    decode_cluster_arrive},
    {"barrier.cluster.wait", 0,      decode_cluster_wait},
    {"bar.sync",             {1, 2}, decode_barrier},
    {"bar.cta.sync",         {1, 2}, decode_barrier},
    {"barrier.sync",         {1, 2}, decode_barrier},
    {"barrier.cta.sync",     {1, 2}, decode_barrier},
    {"bar.arrive",           2,      decode_barrier},
    {"bar.cta.arrive",       2,      decode_barrier},
    {"barrier.arrive",       2,      decode_barrier},
    {"barrier.cta.arrive",   2,      decode_barrier},
    {"bar.red",              {3, 4}, decode_barrier_reduction},
    {"bar.cta.red",          {3, 4}, decode_barrier_reduction},
    {"barrier.red",          {3, 4}, decode_barrier_reduction},
    {"barrier.cta.red",      {3, 4}, decode_barrier_reduction},
};
// clang-format on

constexpr std::size_t kMostParts = 5;  // of a form's name

std::map<std::string_view, const Form*> forms_by_name() {
  std::map<std::string_view, const Form*> forms;
  for (const Form& form : kForms) forms.emplace(form.name, &form);
  return forms;
}

}  // namespace

std::span<const Form> all_forms() { return kForms; }

const Form* find_form(const ptx::Instruction& instruction) {
  static const std::map<std::string_view, const Form*> forms = forms_by_name();
  const std::string_view opcode = instruction.opcode;
  const Form* longest = nullptr;
  std::size_t end = 0;
  for (std::size_t part = 0; part < std::min(kMostParts, instruction.parts.size()); ++part) {
    end += instruction.parts[part].text().size() + (part > 0);
    const auto found = forms.find(opcode.substr(0, end));
    if (found != forms.end()) longest = found->second;
  }
  return longest;
}

void check_operand_count(const ptx::Instruction& instruction, OperandCount count) {
  const std::size_t policies = has_cache_policy(instruction);
  const std::size_t operands = instruction.operands.size();
  if (operands < count.fewest + policies || operands > count.most + policies) wrong_operands(instruction);
}

bool is_branch(const ptx::Instruction& instruction) { return instruction.facts->flow == Flow::kToLabels; }

bool ends_basic_block(const ptx::Instruction& instruction) {
  const Flow flow = instruction.facts->flow;
  return flow == Flow::kOnTogether ? instruction.guard.has_value() : flow != Flow::kOn;
}

bool falls_through(const ptx::Instruction& instruction) {
  const Flow flow = instruction.facts->flow;
  return instruction.guard || (flow != Flow::kToLabels && flow != Flow::kNowhere);
}

}  // namespace cudalab::vgpu
