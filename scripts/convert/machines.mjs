// What was known of each machine before its measurements: data/machines where the CPU is there, else a datasheet below.
import fs from "node:fs";
import { InputError } from "../measure/errors.mjs";

const CATALOGUE = new URL("../../data/machines/", import.meta.url);
const SCHEMA = "corecast.machine/1";

/**
 * The catalogue's machine without what was measured or fitted: such a value may come from the very figures that are to
 * be fitted, and would then count twice. Aliases stay behind, they belong to the catalogue.
 */
export function known(name) {
  const { aliases, ...machine } = JSON.parse(fs.readFileSync(new URL(`${name}.json`, CATALOGUE), "utf8"));
  const isKnown = ([, value]) => !["measured", "fitted"].includes(value.origin);
  for (const section of ["memory", "link", "caches"]) {
    const kept = Object.entries(machine[section] ?? {}).filter(isKnown);
    if (kept.length) machine[section] = Object.fromEntries(kept);
    else delete machine[section];
  }
  return machine;
}

/** The same system under another name, with some of its datasheet different. */
export function variant(machine, suffix, description, datasheet) {
  return { ...machine, name: `${machine.name}-${suffix}`, description: `${machine.description}; ${description}`,
    datasheet: { ...machine.datasheet, ...datasheet } };
}

const prior = (value, relativeError, from) => ({ value, relative_error: relativeError, origin: "prior", from });

// Cores with 256-bit AVX and no fused multiply-add: a multiplication and an addition per cycle, two 16-byte loads. They
// are entered as avx2, the nearest width the schema names.
const avxOnly = (base_ghz) => ({
  peak: {
    fp64: { scalar: 2, avx2: 8 },
    fp32: { scalar: 2, avx2: 16 },
  },
  caches: {
    l1: { bandwidth_per_core: prior(`${Number((32 * base_ghz).toFixed(1))} GB/s`, 0.15,
      "two 16-byte loads per cycle at base clock") },
    l2: { bandwidth_per_core: prior(`${Number((16 * base_ghz).toFixed(1))} GB/s`, 0.5,
      "half of the 32 bytes per cycle of the bus to L2, at base clock") },
  },
});

/** Systems that the catalogue does not have; public datasheets, only what is certain. */
const SHEETS = {
  "xeon-e5-2680": {
    description: "2 x Intel Xeon E5-2680: 8 cores, 2.7 GHz, 4 x DDR3-1600", family: "generic_x86",
    datasheet: {
      sockets: 2, cores_per_socket: 8, smt: 2, base_clock: "2.7 GHz", turbo_clock: "3.5 GHz",
      extensions: ["scalar", "avx2"], l1: "32 KiB", l2: "256 KiB", l3: "20 MiB",
      memory_channels: 4, memory_mega_transfers: 1600, link_bandwidth: "32 GB/s",
      from: "Intel ARK, Xeon E5-2680; two QPI links at 8 GT/s",
    },
    ...avxOnly(2.7),
  },
  "xeon-e5-2660v2": {
    description: "2 x Intel Xeon E5-2660 v2: 10 cores, 2.2 GHz, 4 x DDR3-1866", family: "generic_x86",
    datasheet: {
      sockets: 2, cores_per_socket: 10, smt: 2, base_clock: "2.2 GHz", turbo_clock: "3.0 GHz",
      extensions: ["scalar", "avx2"], l1: "32 KiB", l2: "256 KiB", l3: "25 MiB",
      memory_channels: 4, memory_mega_transfers: 1866, link_bandwidth: "32 GB/s",
      from: "Intel ARK, Xeon E5-2660 v2; two QPI links at 8 GT/s",
    },
    ...avxOnly(2.2),
  },
  "xeon-8163": {
    description: "2 x Intel Xeon Platinum 8163: 24 cores, 2.5 GHz", family: "skylake_sp",
    datasheet: {
      sockets: 2, cores_per_socket: 24, smt: 2, base_clock: "2.5 GHz", l3: "33 MiB",
      from: "lscpu of published systems; 1.375 MiB of L3 per core",
    },
  },
  "xeon-e5-2699v3": {
    description: "2 x Intel Xeon E5-2699 v3: 18 cores, 2.3 GHz, 4 x DDR4-2133", family: "haswell",
    datasheet: {
      sockets: 2, cores_per_socket: 18, smt: 2, base_clock: "2.3 GHz", turbo_clock: "3.6 GHz", l3: "45 MiB",
      memory_channels: 4, memory_mega_transfers: 2133, from: "Intel ARK, Xeon E5-2699 v3",
    },
  },
  "xeon-2x16-unnamed": {
    description: "2 x 16 cores of a Xeon that the source does not name", family: "generic_x86",
    datasheet: { sockets: 2, cores_per_socket: 16, smt: 2, from: "the counts that the source states" },
  },
  "xeon-silver-4110": {
    description: "2 x Intel Xeon Silver 4110: 8 cores, 2.1 GHz, 6 x DDR4-2400, one AVX-512 unit", family: "skylake_sp",
    datasheet: {
      sockets: 2, cores_per_socket: 8, smt: 2, base_clock: "2.1 GHz", turbo_clock: "3.0 GHz", l3: "11 MiB",
      fma_units_512: 1, memory_channels: 6, memory_mega_transfers: 2400, from: "Intel ARK, Xeon Silver 4110",
    },
  },
};

export function sheet(name) {
  if (!SHEETS[name]) throw new InputError(`${name}: no datasheet`);
  return { schema: SCHEMA, name, ...SHEETS[name] };
}

const SHARED_BY_SOCKET = /^(haswell|broadwell|skylake_sp|cascade_lake|ice_lake_sp|sapphire_rapids|generic_x86)$/;

/** How many cores share one instance of the last-level cache. */
export function coresPerLastLevelCache(machine) {
  const { l3_shared_by_cores: shared, cores_per_socket: cores } = machine.datasheet;
  if (shared) return shared;
  if (SHARED_BY_SOCKET.test(machine.family)) return cores;
  throw new InputError(`${machine.name}: datasheet says nothing of l3_shared_by_cores`);
}
export const lastLevelCachesOf = (machine) =>
  machine.datasheet.sockets * Math.ceil(machine.datasheet.cores_per_socket / coresPerLastLevelCache(machine));
export const domainsOf = (machine) => machine.datasheet.sockets * (machine.datasheet.domains_per_socket ?? 1);
