const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The lines of a mail as a page: paragraphs, nothing fetched, nothing of the text read as markup. */
export function writeHtml(lines: readonly string[]): string {
  const paragraphs = lines.filter((line) => line.trim() !== '').map((line) => `<p>${linked(line)}</p>`);
  return `<!doctype html><meta charset="utf-8"><body style="font-family:sans-serif">${paragraphs.join('\n')}</body>`;
}

/** Addresses that stand in the text can be followed; only those of the web. */
function linked(line: string): string {
  return line
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, index) =>
      index % 2 === 1 ? `<a href="${escaped(part)}">${escaped(part)}</a>` : escaped(part),
    )
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);
}
