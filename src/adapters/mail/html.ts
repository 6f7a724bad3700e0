const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Writes a mail's lines as an HTML page of paragraphs. The page loads nothing, and no text of the mail is read as markup. */
export function writeHtml(lines: readonly string[]): string {
  const paragraphs = lines.filter((line) => line.trim() !== '').map((line) => `<p>${linked(line)}</p>`);
  return `<!doctype html><meta charset="utf-8"><body style="font-family:sans-serif">${paragraphs.join('\n')}</body>`;
}

/** Turns http and https URLs of the text into links. */
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
