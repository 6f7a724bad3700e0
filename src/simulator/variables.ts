/** The distinct variables of a template text, in order: `{{1}}` gives `1`. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map((match) => match[1] ?? ''))];
}
