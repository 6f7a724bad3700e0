import { cspHash } from '../portal/page.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** One self-contained page: nothing is loaded from elsewhere, and it talks to this origin only. */
export const docsPolicy = [
  "default-src 'none'",
  `script-src ${cspHash(script)}`,
  `style-src ${cspHash(style)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const docsHtml = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Trunkline API</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>${style}</style></head>
<body><nav aria-label="Operations"><strong>Trunkline API</strong></nav>
<main><h1>Trunkline API v1</h1>
<p>Requests go to this very service. The machine-readable contract is <a href="/openapi.json">/openapi.json</a>.</p>
<div class="keys" id="keys"></div><div id="operations"></div>
<noscript>This page needs JavaScript; the contract is at /openapi.json.</noscript></main>
<script>${script}</script></body></html>`;
