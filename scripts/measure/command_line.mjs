// Command line -> options; every complaint is a UsageError that names the option.
import { parseArgs } from "node:util";
import { UsageError } from "./errors.mjs";
import { parseShape, parseValue } from "./input_shapes.mjs";
import { namedModel } from "./measurement_plan.mjs";
import { AXIS_NAMES, parseGridText } from "./settings_grid.mjs";

export const USAGE = `usage: measure_onnxruntime.mjs [options] [NAME=]MODEL.onnx ...
       measure_onnxruntime.mjs --plan PLAN.json --output FILE [--version V] [--cache DIR]

what to measure (lists: 1,2,4 or 1-4 or 1-16*2; all combinations are taken)
  --intra LIST         intra-op threads (1)        --mode LIST   sequential, parallel (sequential)
  --inter LIST         inter-op threads (1)        --spin LIST   on, off (on)
  --batch LIST         batch sizes (1)              --instances LIST   so many processes at once (1)
  --quota LIST         none or CPUs such as 0.5: in a control group with that CFS quota (none)
  --settings "intra=1-4 mode=parallel inter=2"     one grid; repeat it for grids that are no rectangle
  --shape [MODEL:]INPUT=Nx3x224x224                sizes of open dimensions, N is the batch
  --value [MODEL:]INPUT=NUMBER                     fill an input with one number
how
  --version V          current, legacy, 1.30.0, 1.30.x ... (current)
  --processes N        rounds, each in a fresh process (5); 0 measures nothing: for --profile alone
  --repetitions N      timed runs per process (30)      --warmup N    untimed runs before them (5)
  --min-time SECONDS   go on with warm-up and with timed runs at least this long, for tiny models (0.2)
  --budget SECONDS     stop repeating in a process after this time (5)
  --stable SHARE       repeat until the median's 95 % interval is within this share of it, as 0.02; 0 (default): do not
  --timeout SECONDS    give a process up after this time (120)
  --seed N             input data (1)
where
  -o, --output FILE    JSON result, written after every round; an existing file is continued
  --csv FILE           also as CSV                      --machine NAME   machine column of the CSV (host)
  --date TEXT          recorded in the context          --cache DIR      where setup.sh installed
  --plan FILE          take all of the above from a file: see "The adaptors' contract" in README.md
  --profile FILE       also one profiled run of each setting, in a process of its own that is never timed
`;

const text = (short) => ({ type: "string", ...(short ? { short } : {}) });
const many = { type: "string", multiple: true };
const OPTIONS = {
  ...Object.fromEntries(AXIS_NAMES.map((name) => [name, text()])),
  settings: many, shape: many, value: many, version: text(), processes: text(), repetitions: text(), warmup: text(),
  "min-time": text(), budget: text(), timeout: text(), seed: text(), output: text("o"), csv: text(), machine: text(), date: text(),
  cache: text(), profile: text(), stable: text(), plan: text(), help: { type: "boolean", short: "h" },
};

function number(values, name, fallback, { least, most, whole = true }) {
  const given = values[name];
  if (given === undefined) return fallback;
  const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : NaN;
  if (!(value >= least && value <= most) || (whole && !Number.isInteger(value))) {
    throw new UsageError(`--${name}: "${given}" is not a ${whole ? "whole " : ""}number from ${least} to ${most}`);
  }
  return value;
}

const BESIDE_PLAN = ["plan", "output", "version", "cache"];

/** What a plan does not say; it is read later, when wrong usage is ruled out. */
function planOptions(values, positionals) {
  const other = Object.keys(values).find((name) => !BESIDE_PLAN.includes(name));
  if (other || positionals.length) throw new UsageError(`--plan says all that ${other ? `--${other}` : positionals[0]} would`);
  if (!values.output) throw new UsageError("--plan needs --output");
  const { plan, output, version = "current", cache } = values;
  return { plan, output, version, cache };
}

export function parseCommandLine(argv) {
  let parsed;
  try {
    parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true, strict: true, tokens: true });
  } catch (error) {
    throw new UsageError(error.message.split(". ")[0]);
  }
  const { values, positionals, tokens } = parsed;
  if (values.help) return { help: true };
  for (const [name, { multiple }] of Object.entries(OPTIONS)) {
    // parseArgs would silently take the last of two.
    const count = tokens.filter((token) => token.kind === "option" && token.name === name).length;
    if (count > 1 && !multiple) throw new UsageError(`--${name} is given ${count} times`);
    if (values[name] === "") throw new UsageError(`--${name} is empty`);
  }
  if (values.plan) return planOptions(values, positionals);
  if (!positionals.length) throw new UsageError("no model is given");

  const flags = Object.fromEntries(AXIS_NAMES.filter((name) => values[name]).map((name) => [name, values[name]]));
  const options = {
    models: positionals.map(namedModel),
    grids: (values.settings ?? [""]).map((grid) => ({ ...flags, ...(grid === "" ? {} : parseGridText(grid)) })),
    shapes: (values.shape ?? []).map(parseShape),
    values: (values.value ?? []).map(parseValue),
    version: values.version ?? "current",
    processes: number(values, "processes", 5, { least: 0, most: 1000 }),
    repetitions: number(values, "repetitions", 30, { least: 1, most: 100000 }),
    warmup: number(values, "warmup", 5, { least: 0, most: 100000 }),
    minTime: number(values, "min-time", 0.2, { least: 0, most: 3600, whole: false }),
    budget: number(values, "budget", 5, { least: 0, most: 86400, whole: false }),
    stable: number(values, "stable", 0, { least: 0, most: 1, whole: false }),
    timeout: number(values, "timeout", 120, { least: 1, most: 86400, whole: false }),
    seed: number(values, "seed", 1, { least: 0, most: 2 ** 32 - 1 }),
    output: values.output, csv: values.csv, machine: values.machine ?? "host", date: values.date,
    cache: values.cache, profile: values.profile,
  };
  if (options.processes === 0 && !options.profile) throw new UsageError("--processes 0 needs --profile");
  if (options.timeout <= options.budget) throw new UsageError("--timeout must be longer than --budget");
  return options;
}
