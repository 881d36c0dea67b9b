#!/usr/bin/env node
// Validates measurement files: those given, else all of data/measurements.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { toText } from "./measurements.mjs";
import { validate } from "./validate.mjs";

const MOST_BYTES = 60000;  // what stays reviewable

function complaintsOf(file) {
  let text;
  let document;
  try {
    text = fs.readFileSync(file, "utf8");
    document = JSON.parse(text);
  } catch (error) {
    return [error.message];
  }
  const complaints = validate(document);
  if (complaints.length) return complaints;
  if (path.basename(file) !== `${document.machine.name}.json`) complaints.push("/machine/name: is not the file's name");
  if (Buffer.byteLength(text) > MOST_BYTES) complaints.push(`larger than ${MOST_BYTES} bytes`);
  // Also finds repeated keys, which JSON.parse hides.
  if (toText(document) !== text) complaints.push("is not as the converters write it");
  return complaints;
}

const given = process.argv.slice(2);
const directory = fileURLToPath(new URL("../../data/measurements/", import.meta.url));
const files = given.length ? given
  : fs.readdirSync(directory).filter((name) => name.endsWith(".json")).sort().map((name) => path.join(directory, name));
let bad = 0;
for (const file of files) {
  for (const complaint of complaintsOf(file)) {
    console.error(`${file}: ${complaint}`);
    bad += 1;
  }
}
console.log(`${files.length} files, ${bad} complaints`);
process.exitCode = bad || !files.length ? 2 : 0;
