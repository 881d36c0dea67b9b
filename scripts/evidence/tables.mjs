// CSV without quotes or commas in cells (what `corecast validate --csv` writes), quantiles, Markdown.

/** Rows as objects by column; lines that begin with # are left out. */
export function parseCsv(text) {
  const [head, ...lines] = text.split("\n").filter((line) => line && !line.startsWith("#"));
  const names = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ""]));
  });
}

export function toCsvText(rows) {
  const names = Object.keys(rows[0]);
  return `${[names.join(","), ...rows.map((row) => names.map((name) => row[name]).join(","))].join("\n")}\n`;
}

/** Linear between order statistics. */
export function quantile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * p;
  const below = Math.floor(place);
  return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

export const percent = (x) => (Number.isFinite(x) ? `${(100 * x).toFixed(Math.abs(x) < 0.0995 ? 1 : 0)} %` : "-");

export const markdown = (head, rows) =>
  [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
