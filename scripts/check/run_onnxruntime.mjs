#!/usr/bin/env node
// run_onnxruntime.mjs JOB.json: runs a model once in onnxruntime-node on inputs from files and writes its outputs as files.
// Job: {model, folder (for the outputs), inputs: [{name, type, dims, file}]}; it prints [{name, type, dims, file}] of the outputs.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { defaultCache, findInstall } from "../measure/onnxruntime_install.mjs";

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int32: Int32Array, int64: BigInt64Array, bool: Uint8Array,
};

const job = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { folder } = findInstall("current", defaultCache());
const ort = createRequire(path.join(folder, "package.json"))("onnxruntime-node");
const session = await ort.InferenceSession.create(job.model, { executionProviders: ["cpu"], intraOpNumThreads: 1, logSeverityLevel: 3 });
const feeds = {};
for (const { name, type, dims, file } of job.inputs) {
  const bytes = fs.readFileSync(file);
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length); // aligned for the array
  feeds[name] = new ort.Tensor(type, new ARRAYS[type](copy), dims);
}
const results = await session.run(feeds);
const outputs = session.outputNames.map((name, i) => {
  const { type, dims, data } = results[name];
  const file = path.join(job.folder, `output_${i}`);
  fs.writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return { name, type, dims, file };
});
console.log(JSON.stringify(outputs));
