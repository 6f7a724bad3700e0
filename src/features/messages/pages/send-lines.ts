/** Choices as a person types them: one on a line, `id = title`, or the title alone. */

interface Choice {
  id: string;
  title: string;
}

/** A choice without an id has its place as id. */
function choiceIn(line: string, place: number): Choice {
  const at = line.indexOf('=');
  if (at < 0) return { id: String(place), title: line };
  return { id: line.slice(0, at).trim(), title: line.slice(at + 1).trim() };
}

const linesOf = (typed: string): string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function choicesIn(typed: string): Choice[] {
  return linesOf(typed).map((line, at) => choiceIn(line, at + 1));
}

interface Section {
  title?: string;
  rows: (Choice & { description?: string })[];
}

/** Rows below the titles of their sections (`# Cakes`); what follows `|` is a description. */
export function rowsIn(typed: string): Section[] {
  const sections: Section[] = [];
  let rows = 0;
  for (const line of linesOf(typed)) {
    if (line.startsWith('#')) {
      sections.push({ title: line.slice(1).trim(), rows: [] });
      continue;
    }
    if (sections.length === 0) sections.push({ rows: [] });
    rows += 1;
    sections.at(-1)?.rows.push(rowIn(line, rows));
  }
  return sections;
}

function rowIn(line: string, place: number): Section['rows'][number] {
  const at = line.indexOf('|');
  if (at < 0) return choiceIn(line, place);
  return { ...choiceIn(line.slice(0, at).trim(), place), description: line.slice(at + 1).trim() };
}
