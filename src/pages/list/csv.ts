/** Lines of CSV that a spreadsheet shows as they are. */

export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map((value) => cell(value === null ? '' : String(value))).join(',')}\n`;
}

/** Marks a text that begins like a formula as text. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
