/** A mail as an HTML page: the look of the portal in inline styles, because mail programs drop others. It loads nothing. */
import type { StoredMail } from '../../storage/entities/mails.ts';

const font = "font:14px/20px -apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const styles = {
  body: `margin:0;padding:24px 12px;background:#f9f9fb;color:#1c2024;${font}`,
  card: 'max-width:544px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #d9d9e0;border-radius:8px',
  brand: 'margin:0 0 16px;font-weight:600;color:#0d74ce',
  title: 'margin:0 0 12px;font-size:20px;line-height:28px;font-weight:600',
  text: 'margin:0 0 12px;overflow-wrap:anywhere',
  link: 'color:#0d74ce',
  button:
    'display:inline-block;padding:6px 12px;border-radius:6px;background:#0d74ce;color:#ffffff;font-weight:500;text-decoration:none',
  small: 'margin:0 0 12px;font-size:12px;line-height:16px;color:#60646c;overflow-wrap:anywhere',
} as const;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A paragraph for each line; no text of the mail is read as markup. */
export function writeHtml(
  { subject, lines }: Pick<StoredMail, 'subject' | 'lines'>,
  baseUrl: string,
): string {
  const paragraphs = lines.filter((line) => line.trim() !== '').map((line) => paragraph(line, baseUrl));
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><body style="${styles.body}"><div style="${styles.card}">${[
    `<p style="${styles.brand}">Trunkline</p>`,
    `<h1 style="${styles.title}">${escaped(subject)}</h1>`,
    ...paragraphs,
  ].join('\n')}</div></body></html>`;
}

/** A line that is a URL of this service becomes a button, with the URL in letters below. */
function paragraph(line: string, baseUrl: string): string {
  if (!isOurs(line, baseUrl) || /\s/.test(line))
    return `<p style="${styles.text}">${linked(line, baseUrl)}</p>`;
  const url = escaped(line);
  return `<p style="${styles.text}"><a href="${url}" style="${styles.button}">Open the link</a></p>\n<p style="${styles.small}">${url}</p>`;
}

const isOurs = (text: string, baseUrl: string): boolean => text.startsWith(`${baseUrl}/`);

/** Turns URLs of this service into links. Any other URL stays text, because a receiver or a name may have brought it. [faults: 322] */
function linked(line: string, baseUrl: string): string {
  return line
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part) =>
      isOurs(part, baseUrl)
        ? `<a href="${escaped(part)}" style="${styles.link}">${escaped(part)}</a>`
        : escaped(part),
    )
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character);
}
