// Tests the grammar of --arg and --print, and the initial contents of buffers.
#include "lab/any_kernel/argument_spec.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/temporary_folder_testing.h"
#include "lab/any_kernel/kernel_file.h"
#include "messages/core.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

using testing::AllOf;

template <class T>
std::vector<T> values(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// The mistake reported for an argument; the message around it names the whole argument.
Message mistake_in(std::string_view spec) {
  const Message message = refused([&] { parse_argument(spec); });
  EXPECT_THAT(message, IsMessage("at_place", {{"place", fmt::format("--arg {}", spec)}}));
  const Argument* what = message.argument("what");
  return what && what->as<Message>() ? *what->as<Message>() : Message();
}

void expect_mistake(std::string_view spec, std::string_view id, ExpectedArguments arguments = {}) {
  EXPECT_THAT(mistake_in(spec), IsMessage(std::string(id), std::move(arguments)));
}

TEST(ArgumentSpec, Buffers) {
  const ArgumentSpec plain = parse_argument("buf:f64:1000");
  EXPECT_EQ(plain.kind, ArgumentKind::kBuffer);
  EXPECT_EQ(plain.type, ScalarType::kF64);
  EXPECT_EQ(plain.count, 1000u);
  EXPECT_EQ(plain.bytes(), 8000u);
  EXPECT_EQ(plain.fill, Fill::kUnwritten);
  EXPECT_EQ(parse_argument("buf:u8:4:zero").fill, Fill::kZero);
  EXPECT_EQ(parse_argument("buf:u8:4:iota").fill, Fill::kIota);
  EXPECT_EQ(parse_argument("buf:u8:4:random").seed, 1u);
  EXPECT_EQ(parse_argument("buf:u8:4:random:77").seed, 77u);
  EXPECT_EQ(parse_argument("buf:u8:4:file=/a:b/c").file, "/a:b/c");
}

TEST(ArgumentSpec, Values) {
  EXPECT_EQ(values<std::int32_t>(parse_argument("i32:-5").value), std::vector<std::int32_t>{-5});
  EXPECT_EQ(values<std::uint64_t>(parse_argument("u64:0xffffffffffffffff").value),
            std::vector<std::uint64_t>{~0ull});
  EXPECT_EQ(values<float>(parse_argument("f32:1,2.5,-3e2,1.5f").value),
            (std::vector<float>{1, 2.5f, -300, 1.5f}));
  EXPECT_EQ(values<std::uint16_t>(parse_argument("f16:1").value), std::vector<std::uint16_t>{0x3c00});
  EXPECT_EQ(values<std::uint16_t>(parse_argument("bf16:-2").value), std::vector<std::uint16_t>{0xc000});
  EXPECT_EQ(parse_argument("f32:1").kind, ArgumentKind::kValue);
}

TEST(ArgumentSpec, StructuresLieAsTheCompilerLaysThemOut) {
  const ArgumentSpec spec = parse_argument("{buf:f32:8:iota,i8:1,i32:2,f64:3,u8:1,2,3}");
  EXPECT_EQ(spec.kind, ArgumentKind::kStruct);
  EXPECT_EQ(offsets_of_parts(spec), (std::vector<std::size_t>{0, 8, 12, 16, 24, 32}));
  EXPECT_EQ(size_in_kernel(spec), 32u);
  EXPECT_EQ(alignment_in_kernel(spec), 8u);
  EXPECT_EQ(values<std::uint8_t>(spec.parts[4].value), (std::vector<std::uint8_t>{1, 2, 3}));
}

TEST(ArgumentSpec, StructuresHoldStructuresPaddingAndEqualParts) {
  const ArgumentSpec spec = parse_argument("{{u8:1,u16:2},3*u8:9,pad:5,[2*buf:i32:4,{u8:1}]}");
  EXPECT_EQ(offsets_of_parts(spec), (std::vector<std::size_t>{0, 4, 5, 6, 7, 16, 24}));
  const ArgumentSpec& pointers = spec.parts.back();
  EXPECT_EQ(pointers.kind, ArgumentKind::kPointers);
  EXPECT_EQ(offsets_of_parts(pointers), (std::vector<std::size_t>{0, 8, 16, 24}));
}

TEST(ArgumentSpec, TexturesAndSurfaces) {
  const ArgumentSpec image = parse_argument("tex:u8x4:32x16:random:7:linear:normalized:wrap:as-float");
  EXPECT_EQ(image.kind, ArgumentKind::kTexture);
  EXPECT_EQ(image.shape.format.channels, 4);
  EXPECT_EQ(image.shape.width, 32u);
  EXPECT_EQ(image.shape.height, 16u);
  EXPECT_EQ(image.count, 32u * 16 * 4);
  EXPECT_EQ(image.seed, 7u);
  EXPECT_EQ(image.sampling.filter, FilterMode::kLinear);
  EXPECT_EQ(image.sampling.address[1], AddressMode::kWrap);
  EXPECT_EQ(image.sampling.read, ReadMode::kNormalizedFloat);
  EXPECT_TRUE(image.sampling.normalized_coordinates);
  EXPECT_FALSE(parse_argument("tex:f32:64:iota").is_array);
  EXPECT_TRUE(parse_argument("tex:f32:64:iota:linear").is_array);
  EXPECT_TRUE(parse_argument("surf:f32:4x4x4").shape.has_surface);
}

TEST(ArgumentSpec, Symbols) {
  const auto [name, spec] = parse_symbol("physics::mass=f32:1,2");
  EXPECT_EQ(name, "physics::mass");
  EXPECT_EQ(spec.count, 2u);
  EXPECT_EQ(refused([] { parse_symbol("mass=f32:x"); }),
            msg::at_place("--symbol mass=f32:x", msg::argument_value_wrong("x", "f32")));
  EXPECT_EQ(refused([] { parse_symbol("mass"); }), msg::symbol_malformed("mass"));
}

TEST(ArgumentSpec, MistakesInPartsAreNamed) {
  expect_mistake("{f32:1", "argument_not_closed", {{"bracket", "}"}});
  expect_mistake("{}", "argument_not_closed", {{"bracket", "}"}});
  expect_mistake("[f32:1}", "argument_not_closed", {{"bracket", "]"}});
  expect_mistake("[0*f32:1]", "argument_parts_wrong", {{"count", 0}});
  expect_mistake("[99999*f32:1]", "argument_parts_wrong", {{"count", 99999}});
  expect_mistake("{f32:1]}", "argument_closes_too_much");
  expect_mistake(std::string(20, '{') + "f32:1" + std::string(20, '}'), "argument_nested_too_deep");
  expect_mistake("tex:f32x3:4", "argument_channels_wrong", {{"text", "f32x3"}});
  expect_mistake("tex:f32:4x4x4x4", "argument_too_many_sides");
  expect_mistake("tex:f32:4:blue", "argument_reading_unknown", {{"text", "blue"}});
}

TEST(ArgumentSpec, MistakesNameThePart) {
  expect_mistake("buf:f33:4", "argument_type_unknown", {{"text", "f33"}});
  const Message unknown_type = mistake_in("f33:4");
  EXPECT_THAT(unknown_type, IsMessage("argument_type_unknown", {{"text", "f33"}}));
  EXPECT_THAT(shown_in_english(*unknown_type.argument("types")), testing::StartsWith("u8 i8 u16"));
  expect_mistake("", "argument_type_unknown", {{"text", ""}});
  expect_mistake("buf:f32", "argument_count_wrong", {{"text", ""}});
  expect_mistake("buf:f32:0", "argument_count_wrong", {{"text", "0"}});
  expect_mistake("buf:f32:99999999999999999999", "argument_count_wrong");
  expect_mistake("buf:f32:18446744073709551615", "argument_count_wrong");
  expect_mistake("buf:f32:4:ones", "argument_fill_unknown", {{"text", "ones"}});
  expect_mistake("buf:f32:4:zero:1", "argument_seed_wrong", {{"text", "1"}});
  expect_mistake("buf:f32:4:random:x", "argument_seed_wrong", {{"text", "x"}});
  expect_mistake("u8:256", "argument_value_wrong", {{"text", "256"}, {"type", "u8"}});
  expect_mistake("u32:-1", "argument_value_wrong", {{"text", "-1"}, {"type", "u32"}});
  expect_mistake("i32:1.5", "argument_value_wrong", {{"text", "1.5"}, {"type", "i32"}});
  expect_mistake("f32:", "argument_value_wrong", {{"text", ""}, {"type", "f32"}});
  expect_mistake("f32:1,,2", "argument_value_wrong", {{"text", ""}, {"type", "f32"}});
}

TEST(ArgumentSpec, Fills) {
  EXPECT_TRUE(initial_bytes(parse_argument("buf:f32:4"), "1").empty());
  EXPECT_EQ(values<float>(initial_bytes(parse_argument("buf:f32:3:zero"), "1")),
            (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(values<double>(initial_bytes(parse_argument("buf:f64:3:iota"), "1")),
            (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(values<std::uint16_t>(initial_bytes(parse_argument("buf:f16:3:iota"), "1")),
            (std::vector<std::uint16_t>{0, 0x3c00, 0x4000}));
  EXPECT_EQ(values<std::uint8_t>(initial_bytes(parse_argument("buf:u8:258:iota"), "1"))[257], 1);
}

TEST(ArgumentSpec, RandomNumbersDependOnSeedAndPosition) {
  const auto fill = [](const char* spec, std::size_t position) {
    return initial_bytes(parse_argument(spec), std::to_string(position));
  };
  EXPECT_EQ(fill("buf:f32:64:random", 1), fill("buf:f32:64:random:1", 1));
  EXPECT_NE(fill("buf:f32:64:random", 1), fill("buf:f32:64:random", 2));
  EXPECT_NE(fill("buf:f32:64:random", 1), fill("buf:f32:64:random:2", 1));
  for (const float value : values<float>(fill("buf:f32:64:random", 1)))
    EXPECT_TRUE(value >= -1 && value < 1) << value;
}

TEST(ArgumentSpec, FilesAreBytesOrText) {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path().string() + "/";
  std::ofstream(folder + "numbers.csv") << "1, 2.5\n-3;4\r\n";
  std::ofstream(folder + "numbers.bin", std::ios::binary) << "abcd";
  const auto fill = [&](const std::string& spec) { return initial_bytes(parse_argument(spec), "1"); };
  EXPECT_EQ(values<float>(fill("buf:f32:4:file=" + folder + "numbers.csv")),
            (std::vector<float>{1, 2.5f, -3, 4}));
  EXPECT_EQ(values<char>(fill("buf:u8:4:file=" + folder + "numbers.bin")),
            (std::vector<char>{'a', 'b', 'c', 'd'}));
  EXPECT_THAT(
      refused([&] { fill("buf:u8:5:file=" + folder + "numbers.bin"); }),
      IsMessage("argument_file_wrong_size", {{"bytes", 4}, {"count", 4}, {"type", "u8"}, {"expected", 5}}));
  EXPECT_THAT(refused([&] { fill("buf:i32:4:file=" + folder + "numbers.csv"); }),
              IsMessage("word_of_wrong_type", {{"word", "2.5"}, {"type", "i32"}}));
  EXPECT_THAT(refused([&] { fill("buf:u8:5:file=/nonexistent"); }),
              IsMessage("error_file_not_readable", {{"file", "/nonexistent"}}));
}

TEST(PrintRange, HasDefaults) {
  EXPECT_EQ(parse_print_range("y").argument, "y");
  EXPECT_EQ(parse_print_range("y").count, 16u);
  EXPECT_EQ(parse_print_range("y:8").first, 8u);
  EXPECT_EQ(parse_print_range("y:8:2").count, 2u);
  for (const char* wrong : {"", "y:1:0", "y:1:2:3"})
    EXPECT_EQ(refused([&] { parse_print_range(wrong); }), msg::print_malformed(wrong));
  EXPECT_EQ(refused([] { parse_print_range("y:a"); }), msg::print_number_wrong("y:a", "a"));
  EXPECT_EQ(refused([] { parse_print_range("y:-1"); }), msg::print_number_wrong("y:-1", "-1"));
}

TEST(Scalars, TextReadsBack) {
  for (const ScalarTypeInfo& row : kScalarTypes) {
    const Bytes bytes = random_bytes(row.type, 100, 5);
    EXPECT_EQ(bytes.size(), 100 * row.bytes);
    EXPECT_EQ(scalars_from_text(row.type, text_of_scalars(row.type, bytes), "x"), bytes) << row.name;
  }
  EXPECT_EQ(text_of_scalars(ScalarType::kI8, Bytes{std::byte{0xff}, std::byte{2}}), "-1\n2\n");
}

// ---- what a kernel takes -----------------------------------------------------------------------------

device::Kernel kernel_with(std::vector<device::KernelParameter> parameters) {
  device::Kernel kernel;
  kernel.name = "k";
  kernel.parameters = std::move(parameters);
  return kernel;
}

Message misfit(const std::vector<std::string>& specs) {
  const device::Kernel kernel = kernel_with({{8, "u64", true}, {4, "f32", false}, {12, "b8", false}});
  std::vector<ArgumentSpec> arguments;
  for (const std::string& spec : specs) arguments.push_back(parse_argument(spec));
  return refused([&] { require_fit(kernel, parameter_texts(kernel, nullptr), arguments); });
}

TEST(KernelSignature, ArgumentsFitOrTheListIsShown) {
  EXPECT_TRUE(misfit({"buf:f32:4", "f32:1", "f32:1,2,3"}).empty());
  EXPECT_TRUE(misfit({"u64:0", "f32:1", "u8:1,2,3,4,5,6,7,8,9,10,11,12"}).empty());  // a null pointer; bytes
  EXPECT_THAT(misfit({"buf:f32:4"}),
              IsMessage("arguments_wrong_count", {{"kernel", "k"},
                                                  {"count", 3},
                                                  {"given", 1},
                                                  {"signature",
                                                   "k(8 bytes (a pointer), 4 bytes (f32), "
                                                   "12 bytes (b8))"}}));
  EXPECT_THAT(misfit({"i32:4", "f32:1", "f32:1,2,3"}),
              AllOf(IsMessage("argument_does_not_fit", {{"argument", "i32:4"}}),
                    MentionsMessage("misfit_size", {{"what", msg::given_bytes(4)}, {"bytes", 8}})));
  EXPECT_THAT(misfit({"buf:f32:4", "buf:f32:4", "f32:1,2,3"}),
              AllOf(IsMessage("argument_does_not_fit", {{"argument", "buf:f32:4"}}),
                    MentionsMessage("given_buffer")));
  EXPECT_THAT(misfit({"buf:f32:4", "i32:1", "f32:1,2,3"}), MentionsMessage("misfit_not_floating"));
  EXPECT_THAT(misfit({"f64:1", "f32:1", "f32:1,2,3"}), MentionsMessage("misfit_floating"));
}

TEST(KernelSignature, ExamplesSuitTheTypes) {
  compile::KernelDeclaration declaration;
  declaration.name = "mm";
  declaration.template_parameters = "class T, int N, bool B = false";
  declaration.parameters = {{"const float* __restrict__ x", "x"}, {"unsigned int *y", "y"}, {"double", ""},
                            {"std::size_t n = 4", "n"},           {"float4 v", "v"},        {"T* t", "t"}};
  EXPECT_EQ(example_arguments(declaration),
            "--arg buf:f32:1024:random --arg buf:u32:1024:zero --arg f64:1 --arg u64:1024 --arg TYPE:VALUE "
            "--arg buf:f32:1024:zero");
  EXPECT_EQ(example_instance(declaration), "mm<float,16,true>");
  EXPECT_EQ(argument_names(3, &declaration), (std::vector<std::string>{"x", "y", "arg3"}));
}

}  // namespace
}  // namespace cudalab::lab
