import { createHash } from 'node:crypto';

/** The policy's name for inline text that may run: its digest, so that nothing else does. */
export function cspHash(inline: string): string {
  return `'sha256-${createHash('sha256').update(inline).digest('base64')}'`;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; padding: 1rem; box-sizing: border-box }
main { max-width: 32rem }
h1 { font-size: 1.4rem; margin: 0 0 .5rem }
p { margin: .5rem 0 }`;

export const plainPagePolicy = `default-src 'none'; style-src ${cspHash(style)}; base-uri 'none'; frame-ancestors 'none'`;

export interface Notice {
  title: string;
  /** What happened and what to do, one paragraph each. Our own words: never anything from the request or upstream. */
  paragraphs: readonly string[];
}

export function noticePage({ title, paragraphs }: Notice): string {
  const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main><h1>${title}</h1>${body}</main></body></html>`;
}
