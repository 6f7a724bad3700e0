import { sendPage } from '../answers.ts';
import { style } from '../docs/style.ts';
import { openRoute } from '../route.ts';
import { homeScript } from './home-script.ts';
import { cspHash } from './page.ts';

const ownStyle = `body { display: block } main { margin: 0 auto } form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end }
form label { flex: 1 1 14rem } select { font: inherit; padding: .35rem } [role=alert] { color: light-dark(#b3261e, #f2b8b5); min-height: 1.5em }
section { margin: 1.5rem 0; overflow-x: auto }`;

const policy = [
  "default-src 'none'",
  `script-src ${cspHash(homeScript)}`,
  `style-src ${cspHash(style + ownStyle)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Trunkline portal</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>${style}${ownStyle}</style></head>
<body><main><h1>Trunkline portal</h1>
<form id="sign-in" class="keys"><label>API key<input id="key" type="password" autocomplete="off" required placeholder="mip_live_…"></label>
<button>Open</button></form>
<p role="alert" id="notice"></p>
<div id="account" hidden>
<section><h2>Channels</h2><div id="channels"></div></section>
<section><h2>Connect a channel</h2><form id="connect"><label>Type <select id="type"><option>chatapp</option><option>photoapp</option><option>pagechat</option></select></label>
<label>Return to<input id="redirect-uri" required placeholder="https://app.example.com/done"></label><button>Make a setup link</button></form><p id="setup"></p></section>
<section><h2>Send a text</h2><form id="send"><label>Channel id<input id="channel-id" required></label><label>Recipient<input id="recipient" required></label>
<label>Text<input id="text" required></label><button>Send</button></form><p id="sent" aria-live="polite"></p></section>
<section><h2>Licences</h2><div id="licences"></div></section>
<section><h2>Allowed redirect addresses of this key</h2><div id="redirects"></div>
<form id="add-redirect"><label>Pattern<input id="pattern" required placeholder="https://*.example.com/*"></label><button>Allow</button></form></section>
<section><h2>Live events <span class="dim" id="live"></span></h2><div id="events" aria-live="polite"></div></section>
</div><noscript>This page needs JavaScript.</noscript></main><script>${homeScript}</script></body></html>`;

/** [operator-interface §3] The human's door: an account's channels, licences, redirects and live events, by API key. */
export const homeRoute = openRoute({
  method: 'get',
  path: '/portal',
  name: 'portal',
  tag: 'Portal',
  summary: "An account's channels, licences, redirects and live events in the browser",
  failures: 'page',
  answers: { 200: { contentType: 'text/html', description: 'The page' } },
  open: (_request, response) => sendPage(response, 200, html, policy),
});
