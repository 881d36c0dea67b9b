// Starts the processes of one measurement and always comes back: with their answer or with an error text.
//
// Every instance of the setting is a process. All load and warm up; when the last one is ready they are told to go, and each
// goes on running, untimed, until all have their samples: no timed run is without its neighbours.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { insideGroup, makeCpuGroup } from "./cpu_group.mjs";
import { startCpuUse } from "./cpu_use.mjs";
import { median } from "./statistics.mjs";

const CHILD = fileURLToPath(new URL("./session_child.mjs", import.meta.url));
const KEPT_OUTPUT = 4000; // the end of what the library printed is enough to explain a crash
const CONTROL = 4; // descriptor on which a child is told to go; its end is the order to stop

/** The command with its CPUs set before it starts, so that no thread of it was elsewhere; taskset is of util-linux. */
const onCpus = (cpus, command) => (cpus ? ["taskset", "-c", cpus.join(","), ...command] : command);

const lastLine = (text) => text.trim().split("\n").at(-1) ?? "";

/**
 * One process. onLine receives the lines of descriptor 3: "ready", then the answer as JSON. ended resolves, after all
 * lines, to a text on how it ended.
 */
function startChild(command, onLine) {
  const child = spawn(command[0], command.slice(1), { stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"] });
  let printed = "";
  let partial = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => { printed = (printed + chunk).slice(-KEPT_OUTPUT); });
  }
  child.stdio[3].on("data", (chunk) => {
    const lines = (partial + chunk).split("\n");
    partial = lines.pop();
    lines.forEach(onLine);
  });
  // A killed child resets its pipes; "close" tells the rest.
  for (const descriptor of [3, CONTROL]) child.stdio[descriptor].on("error", () => {});
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(error.code === "ENOENT"
      ? `cannot start ${command[0]}: it is not installed` : `cannot start ${command[0]}: ${error.message}`));
    child.on("close", (code, signal) => {
      const how = signal ? `was stopped by ${signal}` : `ended with code ${code}`;
      resolve(`process ${how}: ${lastLine(printed) || "it printed nothing"}`);
    });
  });
  return {
    id: child.pid, ended,
    go: () => child.stdio[CONTROL].write("go\n"),
    stop: () => child.stdio[CONTROL].end(),
    kill: () => child.kill("SIGKILL"), // a library stuck in native code answers to nothing weaker
  };
}

const difference = (after, before) =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, Number((value - before[name]).toFixed(3))]));

/** One round of the answers of all instances; a single one is its own. */
function roundOf(answers) {
  if (answers.length === 1) return answers[0];
  return {
    session_ms: Math.max(...answers.map((answer) => answer.session_ms)),
    mean_ms: Number((answers.reduce((sum, answer) => sum + answer.mean_ms, 0) / answers.length).toFixed(4)),
    timed_runs: answers.reduce((sum, answer) => sum + answer.timed_runs, 0),
    latencies_ms: answers.flatMap((answer) => answer.latencies_ms),
    instances: answers.map(({ latencies_ms, ...answer }) =>
      ({ ...answer, latency_ms_median: median(latencies_ms), samples: latencies_ms.length })),
  };
}

/**
 * Resolves to a round {session_ms, latencies_ms, ...} or {error}. onStart receives {stop()}, which ends the processes at once and
 * removes the control group: for signals.
 */
export async function runInstances(job, timeoutSeconds, { onStart = () => {}, script = CHILD } = {}) {
  const { instances, cpu_quota, cpus } = job.setting;
  let group;
  if (cpu_quota !== undefined) {
    try {
      group = makeCpuGroup(cpu_quota);
    } catch (error) {
      return { error: error.message };
    }
  }
  const plain = [process.execPath, script, JSON.stringify(job)];
  const commandOf = (instance) => {
    const pinned = onCpus(cpus?.[instance], plain);
    return group ? insideGroup(group.folder, pinned) : pinned;
  };
  const answers = new Array(instances);
  const children = [];
  let [ready, answered, error] = [0, 0, undefined];
  let [before, throttling, cpuUse, used] = [undefined, undefined, undefined, undefined];
  const killAll = () => children.forEach((child) => child.kill());
  const fail = (text) => {
    error ??= text;
    killAll();
  };
  onStart({ stop: () => { killAll(); group?.remove(); } });

  const onLine = (index, line) => {
    if (line === "ready") {
      if ((ready += 1) < instances) return;
      before = group?.statistics();
      cpuUse = startCpuUse(children.map((child) => child.id));
      children.forEach((child) => child.go());
      return;
    }
    answers[index] = JSON.parse(line);
    if (answers[index].error !== undefined) return fail(answers[index].error);
    if ((answered += 1) < instances) return;
    used = cpuUse();
    throttling = group && difference(group.statistics(), before);
    children.forEach((child) => child.stop());
  };
  for (let i = 0; i < instances; i += 1) children.push(startChild(commandOf(i), (line) => onLine(i, line)));
  const timer = setTimeout(() => fail(`no answer within ${timeoutSeconds} s`), timeoutSeconds * 1000);
  await Promise.all(children.map(async (child, i) => {
    const how = await child.ended;
    if (!answers[i]) fail(how); // without it the others would wait for ever
  }));
  clearTimeout(timer);
  group?.remove();
  if (error !== undefined) return { error };
  return { ...roundOf(answers), ...used, ...(throttling ? { throttling } : {}) };
}
