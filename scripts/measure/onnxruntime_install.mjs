// Finds an installed onnxruntime-node and what its binding can do.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { InputError } from "./errors.mjs";

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);

export function defaultCache(env = process.env) {
  return path.join(env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "corecast", "onnxruntime-node");
}

/** {legacy: "1.13.1", current: ...} from the one file that pins versions. */
export function pinnedVersions() {
  const lines = fs.readFileSync(path.join(here, "onnxruntime_versions.txt"), "utf8").split("\n");
  return Object.fromEntries(lines.filter((line) => /^\w+ \S+$/.test(line)).map((line) => line.split(" ")));
}

const newestFirst = (a, b) => b.localeCompare(a, "en", { numeric: true });

/** "1.30.0", "1.30", "1.30.x", "current" or "legacy" -> an installed version. */
export function chooseVersion(asked, installed, pins) {
  const wanted = pins[asked] ?? asked;
  const prefix = wanted.replace(/(\.x)+$/, "");
  return [...installed].sort(newestFirst).find((version) => version === prefix || version.startsWith(`${prefix}.`));
}

export function findInstall(asked, cache) {
  const installed = fs.existsSync(cache) ? fs.readdirSync(cache).filter((name) => /^\d+\./.test(name)) : [];
  const version = chooseVersion(asked, installed, pinnedVersions());
  if (!version) {
    throw new InputError(
      `onnxruntime-node ${asked} is not installed in ${cache} (found: ${installed.join(", ") || "none"}): run setup.sh`);
  }
  const folder = path.join(cache, version);
  return { version, folder, ...bindingAbilities(folder) };
}

/**
 * The binding silently ignores options that it does not know. It names those it reads in its error texts, so they
 * are looked up there: without this, "spin off" of an old version would be measured as "spin on".
 */
function bindingAbilities(folder) {
  const top = path.join(folder, "node_modules", "onnxruntime-node", "bin");
  const suffix = path.join(process.platform, process.arch, "onnxruntime_binding.node");
  const file = fs.existsSync(top) && fs.readdirSync(top, { recursive: true }).find((name) => name.endsWith(suffix));
  if (!file) throw new InputError(`${folder} has no library for ${process.platform} ${process.arch}`);
  const binding = fs.readFileSync(path.join(top, file));
  return {
    canSetSpin: binding.includes("sessionOptions.extra must be"),
    canProfile: binding.includes("sessionOptions.enableProfiling must be"),
  };
}

/** Runtime identifier: since 1.14 inter-op threads change nothing on CPUs, so older ones are another runtime. */
export function runtimeName(version) {
  const [major, minor] = version.split(".").map(Number);
  return major === 1 && minor < 14 ? `onnxruntime-${major}.${minor}` : "onnxruntime";
}
