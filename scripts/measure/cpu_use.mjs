// Who used the CPUs during a measurement: its own processes, or others that it should have been alone without.
import fs from "node:fs";

const TICK_MS = 10; // USER_HZ is 100 on all Linux hosts that Node runs on

const read = (file) => {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

/** Milliseconds of CPU that one process has used, with all its threads; 0 when it is gone. */
export function processCpu(id, proc = "/proc") {
  const fields = read(`${proc}/${id}/stat`).replace(/^.*\) /s, "").split(" "); // the name may hold anything
  return fields.length > 12 ? (Number(fields[11]) + Number(fields[12])) * TICK_MS : 0;
}

/** Milliseconds that all CPUs together were not idle; time that a hypervisor gave to other guests (steal) counts. */
export function hostCpu(proc = "/proc") {
  const ticks = /^cpu +(.*)$/m.exec(read(`${proc}/stat`))?.[1].split(" ").map(Number);
  if (!ticks) return NaN;
  const [user, nice, system, , , irq, softirq, steal] = ticks; // the two left out: idle, iowait
  return (user + nice + system + irq + softirq + steal) * TICK_MS;
}

/** Call it when timing starts; the function it returns gives {cpu_ms, other_cpus} since then. */
export function startCpuUse(ids) {
  const own = () => ids.reduce((sum, id) => sum + processCpu(id), 0);
  const [begin, ownBefore, hostBefore] = [process.hrtime.bigint(), own(), hostCpu()];
  return () => {
    const milliseconds = Number(process.hrtime.bigint() - begin) / 1e6;
    const cpu = own() - ownBefore;
    const others = (hostCpu() - hostBefore - cpu) / milliseconds;
    return { cpu_ms: cpu, other_cpus: Number.isFinite(others) ? Number(Math.max(0, others).toFixed(3)) : null };
  };
}
