// Probes of asynchronous instructions (mbarriers, bulk copies, stores counted by an mbarrier) and of
// clusters.
#pragma once

#include <random>

#include "vgpu/probes/probe_testing.h"

namespace cudalab::vgpu::probes {

// Thread i of block b has word 64 b + i of `in` in %r10 and the address of its word of `out` in %rd10; `tile`
// holds the block's words.
inline const std::string kAsyncPrologue =
    ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\nmov.u32 %r1, tile;\nmov.u32 %r2, bar;\n"
    "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 64, %r0;\nmad.wide.u32 %rd9, %r4, 4, %rd1;\nmad.wide.u32 "
    "%rd10, %r4, 4, %rd2;\nld.global.u32 %r10, [%rd9];\nmad.lo.u32 %r5, %r0, 4, %r1;\nst.shared.u32 [%r5], "
    "%r10;\n"
    "setp.eq.u32 %p1, %r0, 0;\nmad.wide.u32 %rd11, %r3, 256, %rd1;\nmad.wide.u32 %rd12, %r3, 256, %rd2;\n"
    "mov.u32 %r6, %cluster_ctarank;\nxor.b32 %r7, %r6, 1;\nmapa.shared::cluster.u32 %r8, %r1, %r7;\n"
    "mapa.shared::cluster.u32 %r9, %r2, %r7;\nmad.lo.u32 %r11, %r0, 4, %r8;\n";
inline const std::string kInitOne = "@%p1 mbarrier.init.shared.b64 [%r2], 1;\n";
inline const std::string kClusterSync =
    "fence.proxy.async;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
inline const std::string kAwait =
    "AWAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r2], 0;\n@!%p2 bra AWAIT;\n";
inline const std::string kOutTile = "ld.shared.u32 %r20, [%r5];\nst.global.u32 [%rd10], %r20;\n";

inline const std::string kExpect = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r2], ";

// Four blocks in clusters of two, 64 threads each.
inline Probe async_probe(const std::string& name, const std::string& body, bool floats = false) {
  Probe probe{.name = name,
              .ptx = module_of(kAsyncPrologue + body, ".explicitcluster\n.reqnctapercluster 2, 1, 1\n"),
              .inputs = {},
              .results = 256,
              .blocks = 4,
              .threads = 64};
  std::mt19937 random(9);
  for (int i = 0; i < 256; ++i)
    probe.inputs.push_back(floats ? 0x3c00'4000u + 0x10u * static_cast<unsigned>(i) : random());
  return probe;
}

inline std::vector<Probe> bulk_copy_probes() {
  std::vector<Probe> probes;
  probes.push_back(async_probe(
      "cp.async.bulk.shared::cluster.global",
      kInitOne + kExpect + "256;\n" + kClusterSync +
          "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 256, "
          "[%r2];\n" +
          kAwait + kOutTile));
  probes.push_back(async_probe(
      "cp.async.bulk.shared::cluster.shared::cta",
      kInitOne + kExpect + "128;\n" + kClusterSync +
          "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8], [%r1+128], "
          "128, "
          "[%r9];\n" +
          kAwait + kClusterSync + kOutTile));
  probes.push_back(async_probe(
      "cp.async.bulk.global.shared::cta",
      kClusterSync + "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd12], [%r1], 256;\n@%p1 "
                     "cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"));
  return probes;
}

inline std::vector<Probe> bulk_reduction_probes() {
  std::vector<Probe> probes;
  for (const char* operation :
       {"add.u32", "add.s32",       "add.u64", "min.u32", "max.u32",        "min.s32",  "max.s32", "and.b32",
        "or.b32",  "xor.b32",       "inc.u32", "dec.u32", "min.u64",        "max.s64",  "and.b64", "add.f32",
        "add.f64", "add.noftz.f16", "min.f16", "max.f16", "add.noftz.bf16", "min.bf16", "max.bf16"}) {
    const bool floats = std::string(operation).find(".f") != std::string::npos ||
                        std::string(operation).find(".bf") != std::string::npos;
    probes.push_back(async_probe(
        fmt::format("cp.reduce.async.bulk.global.shared::cta.{}", operation),
        "xor.b32 %r12, %r4, 77;\nmad.wide.u32 %rd13, %r12, 4, %rd1;\nld.global.u32 %r13, "
        "[%rd13];\nst.global.u32 [%rd10], "
        "%r13;\nfence.proxy.async;\n" +
            kClusterSync +
            fmt::format(
                "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [%rd12], [%r1], 256;\n@%p1 "
                "cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n",
                operation),
        floats));
  }
  for (const char* operation : {"add.u32", "add.s32", "add.u64", "min.u32", "max.s32", "and.b32", "or.b32",
                                "xor.b32", "inc.u32", "dec.u32"})
    probes.push_back(async_probe(
        fmt::format("cp.reduce.async.bulk.shared::cluster.shared::cta.{}", operation),
        kInitOne + kExpect + "128;\n" + kClusterSync +
            fmt::format(
                "@%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{} "
                "[%r8], "
                "[%r1+128], 128, [%r9];\n",
                operation) +
            kAwait + kClusterSync + kOutTile));
  return probes;
}

inline std::vector<Probe> async_store_probes() {
  std::vector<Probe> probes;
  probes.push_back(async_probe(
      "st.async",
      kInitOne + kExpect + "512;\n" + kClusterSync +
          "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r11], %r10, [%r9];\n"
          "setp.lt.u32 %p3, %r0, 16;\nmad.lo.u32 %r12, %r0, 16, %r8;\n"
          "@%p3 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 [%r12+256], {%r10, %r0, %r3, "
          "%r10}, "
          "[%r9];\n" +
          kAwait + kClusterSync +
          "ld.shared.u32 %r20, [%r5];\nld.shared.u32 %r21, [%r5+256];\nadd.u32 %r20, %r20, %r21;\n"
          "st.global.u32 [%rd10], %r20;\n"));
  for (const char* operation : {"add.u32", "min.s32", "max.u32", "and.b32", "xor.b32", "inc.u32", "dec.u32"})
    probes.push_back(async_probe(
        fmt::format("red.async.{}", operation),
        kInitOne + kExpect + "256;\n" + kClusterSync +
            fmt::format("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{} [%r11], "
                        "%r0, [%r9];\n",
                        operation) +
            kAwait + kClusterSync + kOutTile));
  return probes;
}

inline std::vector<Probe> cluster_probes() {
  std::vector<Probe> probes;
  probes.push_back(async_probe(
      "distributed shared memory",
      kClusterSync +
          "ld.shared::cluster.u32 %r20, [%r11];\natom.shared::cluster.add.u32 %r21, [%r11], 3;\ncvt.u64.u32 "
          "%rd5, "
          "%r11;\ncvta.shared::cluster.u64 %rd5, %rd5;\nld.u32 %r22, [%rd5];\nred.add.u32 [%rd5], 5;\n" +
          kClusterSync +
          "ld.shared.u32 %r23, [%r5];\nxor.b32 %r20, %r20, %r21;\nadd.u32 %r20, %r20, %r22;\nadd.u32 %r20, "
          "%r20, "
          "%r23;\nst.global.u32 [%rd10], %r20;\n"));
  probes.push_back(async_probe(
      "ranks and special registers",
      "getctarank.shared::cluster.u32 %r20, %r8;\ngetctarank.shared::cluster.u32 %r21, %r1;\ncvt.u64.u32 "
      "%rd5, "
      "%r8;\ncvta.shared::cluster.u64 %rd5, %rd5;\nisspacep.shared::cta %p3, %rd5;\nisspacep.shared::cluster "
      "%p4, "
      "%rd5;\nmapa.u64 %rd6, %rd5, 0;\ngetctarank.u64 %r22, %rd6;\nselp.u32 %r23, 1, 0, %p3;\nselp.u32 %r24, "
      "1, 0, "
      "%p4;\nmov.u32 %r25, %clusterid.x;\nmov.u32 %r26, %nclusterid.x;\nmov.u32 %r27, "
      "%cluster_ctaid.x;\nmov.u32 %r28, "
      "%cluster_nctaid.x;\nmov.u32 %r29, %cluster_nctarank;\nmov.pred %p5, %is_explicit_cluster;\nselp.u32 "
      "%r30, 1, 0, "
      "%p5;\nmad.lo.u32 %r20, %r20, 8, %r21;\nmad.lo.u32 %r20, %r20, 8, %r22;\nmad.lo.u32 %r20, %r20, 8, "
      "%r23;\nmad.lo.u32 "
      "%r20, %r20, 8, %r24;\nmad.lo.u32 %r20, %r20, 8, %r25;\nmad.lo.u32 %r20, %r20, 8, %r26;\nmad.lo.u32 "
      "%r20, %r20, 8, "
      "%r27;\nmad.lo.u32 %r20, %r20, 8, %r28;\nmad.lo.u32 %r20, %r20, 4, %r29;\nmad.lo.u32 %r20, %r20, 4, "
      "%r30;\nst.global.u32 [%rd10], %r20;\n" +
          kClusterSync));
  return probes;
}

inline std::vector<Probe> mbarrier_probes() {
  std::vector<Probe> probes;
  probes.push_back(async_probe(
      "mbarrier states",
      "@!%p1 bra END;\nmbarrier.init.shared.b64 [%r2], 4;\nmbarrier.arrive.shared.b64 %rd3, "
      "[%r2];\nmbarrier.pending_count.b64 "
      "%r20, %rd3;\nmbarrier.arrive.shared.b64 %rd4, [%r2], 2;\nmbarrier.pending_count.b64 %r21, "
      "%rd4;\nmbarrier.test_wait.shared"
      ".b64 %p3, [%r2], %rd3;\nselp.u32 %r22, 1, 0, %p3;\nmbarrier.arrive_drop.shared.b64 %rd5, "
      "[%r2];\nmbarrier.pending_count.b64 "
      "%r23, %rd5;\nmbarrier.test_wait.shared.b64 %p3, [%r2], %rd3;\nselp.u32 %r24, 1, 0, "
      "%p3;\nmbarrier.test_wait.parity.shared.b64 "
      "%p3, [%r2], 0;\nselp.u32 %r25, 1, 0, %p3;\nmbarrier.test_wait.parity.shared.b64 %p3, [%r2], "
      "1;\nselp.u32 %r26, 1, 0, "
      "%p3;\nmbarrier.arrive.shared.b64 %rd6, [%r2];\nmbarrier.pending_count.b64 %r27, "
      "%rd6;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 "
      "[%r2], 64;\nmbarrier.arrive.shared.b64 %rd7, [%r2], 2;\nmbarrier.test_wait.shared.b64 %p3, [%r2], "
      "%rd7;\nselp.u32 %r28, 1, 0, "
      "%p3;\nmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r2], 64;\nmbarrier.test_wait.shared.b64 %p3, "
      "[%r2], %rd7;\nselp.u32 "
      "%r29, 1, 0, %p3;\nst.global.v4.u32 [%rd12], {%r20, %r21, %r22, %r23};\nst.global.v4.u32 [%rd12+16], "
      "{%r24, %r25, %r26, "
      "%r27};\nst.global.v2.u32 [%rd12+32], {%r28, %r29};\nEND:\n"));
  probes.push_back(async_probe(
      "cp.async.mbarrier.arrive",
      "@%p1 mbarrier.init.shared.b64 [%r2], 128;\n" + kClusterSync +
          "cp.async.ca.shared.global [%r5+256], [%rd9], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 "
          "[%r2];\ncp.async.mbarrier.arrive.shared.b64 [%r2];\nmbarrier.arrive.shared.b64 %rd3, [%r2];\n" +
          kAwait + "xor.b32 %r5, %r5, 128;\nld.shared.u32 %r20, [%r5+256];\nst.global.u32 [%rd10], %r20;\n"));
  probes.push_back(async_probe(
      "vote.ballot.sync.b32",
      "setp.gt.s32 %p3, %r10, 0;\nvote.ballot.sync.b32 %r20, %p3, -1;\nst.global.u32 [%rd10], %r20;\n"));
  return probes;
}

}  // namespace cudalab::vgpu::probes
