/** Shared by the simulator's own pages. */

export const htmlType = 'text/html; charset=utf-8';

export function writePage(title: string, style: string, body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>
  :root { color-scheme: light dark; }${style}</style></head><body>${body}</body></html>`;
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
