// Starts a child process for one measurement and always comes back: with its answer or with an error text.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const CHILD = fileURLToPath(new URL("./session_child.mjs", import.meta.url));
const KEPT_OUTPUT = 4000; // the end of what the library printed is enough to explain a crash

const lastLine = (text) => text.trim().split("\n").at(-1) ?? "";

/** Resolves to {latencies_ms, session_ms} or {error}; onStart receives the process, to stop it on a signal. */
export function runChild(job, timeoutSeconds, { onStart = () => {}, script = CHILD } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, JSON.stringify(job)], { stdio: ["ignore", "pipe", "pipe", "pipe"] });
    onStart(child);
    let answer = "";
    let printed = "";
    let timedOut = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => { printed = (printed + chunk).slice(-KEPT_OUTPUT); });
    }
    child.stdio[3].on("data", (chunk) => { answer += chunk; });
    child.stdio[3].on("error", () => {}); // a killed child resets the pipe; "close" tells the rest
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL"); // a library stuck in native code answers to nothing weaker
    }, timeoutSeconds * 1000);
    child.on("error", (error) => { clearTimeout(timer); resolve({ error: `cannot start node: ${error.message}` }); });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (timedOut) return resolve({ error: `no answer within ${timeoutSeconds} s` });
      try {
        return resolve(JSON.parse(answer));
      } catch {
        const how = signal ? `was stopped by ${signal}` : `ended with code ${code}`;
        return resolve({ error: `process ${how}: ${lastLine(printed) || "it printed nothing"}` });
      }
    });
  });
}
