// Helpers of the tests: ONNX models written byte by byte, and a stand-in for onnxruntime-node.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

export function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
export const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
export const nested = (field, ...parts) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(field * 8 + 2), varint(body.length), body]);
};

const FLOAT = 1;
/** ValueInfoProto; a dimension is a number, or a text for a symbolic one. */
export function valueInfo(name, dims, type = FLOAT) {
  const shape = dims.map((dim) => nested(1, typeof dim === "number" ? number(1, dim) : nested(2, dim)));
  return [nested(1, name), nested(2, nested(1, number(1, type), nested(2, ...shape)))];
}

/** y = Relu(x); initializers are listed among the inputs, as old exporters do. */
export function reluModel(dims, { initializers = [], inputs = [] } = {}) {
  const graph = nested(7,
    nested(1, nested(1, "x"), nested(2, "y"), nested(4, "Relu")),
    nested(2, "g"),
    ...initializers.map((name) => nested(5, number(1, 1), number(2, FLOAT), nested(4, Buffer.alloc(4)), nested(8, name))),
    nested(11, ...valueInfo("x", dims)),
    ...initializers.map((name) => nested(11, ...valueInfo(name, [1]))),
    ...inputs.map((input) => nested(11, ...valueInfo(...input))),
    nested(12, ...valueInfo("y", dims)));
  return Buffer.concat([number(1, 7), graph, nested(8, nested(1, ""), number(2, 13))]);
}

export const temporaryFolder = (test) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "measure-test-"));
  test.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/**
 * A cache with an "onnxruntime-node" whose sessions only wait; the model's name chooses others: *crash* kills the process,
 * *busy* computes for 10 ms, *neighbours* waits longer while two processes are alive (the first to load 20 ms, the
 * other, which loads slowly, 60 ms), of *second_fails* the second session fails, *cpus* writes its CPUs into files on_cpus_*.
 */
export function fakeCache(folder, version = "9.9.9", abilities = "sessionOptions.extra must be sessionOptions.enableProfiling must be") {
  const module = path.join(folder, version, "node_modules", "onnxruntime-node");
  const bin = path.join(module, "bin", "napi-v3", process.platform, process.arch);
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, "onnxruntime_binding.node"), abilities);
  fs.writeFileSync(path.join(module, "package.json"), JSON.stringify({ name: "onnxruntime-node", version, main: "index.js" }));
  fs.writeFileSync(path.join(module, "index.js"), `
    const fs = require("node:fs");
    class Tensor { constructor(type, data, dims) { Object.assign(this, { type, data, dims }); } }
    const path = require("node:path");
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const isFirst = (file) => {
      try { fs.closeSync(fs.openSync(file + ".first", "wx")); return true; } catch { return false; }
    };
    function busy() {
      const start = process.cpuUsage();
      for (let used = 0; used < 10000;) {
        const { user, system } = process.cpuUsage(start); // microseconds
        used = user + system;
      }
    }
    async function neighbours(file) {
      const first = isFirst(file);
      if (!first) await wait(300);
      const mark = path.join(path.dirname(file), "alive" + process.pid);
      fs.writeFileSync(mark, "");
      process.on("exit", () => fs.unlinkSync(mark));
      const alive = () => fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith("alive")).length;
      return { run: () => wait(alive() === 1 ? 1 : first ? 20 : 60) };
    }
    const InferenceSession = { create: async (file, options) => {
      if (/crash/.test(file)) process.abort();
      if (/hang/.test(file)) for (;;) ;
      if (/refused/.test(file)) throw new Error("operator not known");
      if (/second_fails/.test(file) && !isFirst(file)) throw new Error("second failed");
      if (/neighbours/.test(file)) return neighbours(file);
      if (/cpus/.test(file)) { // tells where it may run
        const list = /^Cpus_allowed_list:\\s*(\\S+)/m.exec(fs.readFileSync("/proc/self/status", "utf8"))[1];
        fs.writeFileSync(path.join(path.dirname(file), "on_cpus_" + process.pid), list);
      }
      if (/busy/.test(file)) return { run: async () => busy() };
      return {
        run: async () => new Promise((resolve) => setTimeout(resolve, 1)),
        endProfiling: () => fs.writeFileSync(options.profileFilePrefix + "_today.json", JSON.stringify(options)),
      };
    } };
    module.exports = { Tensor, InferenceSession };`);
  return folder;
}
