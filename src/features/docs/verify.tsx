/** How a receiver checks the signature of a delivery: functions that a test imports and calls, shown unchanged. [spec: Authentication 7, 8] */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VNode } from 'preact';
import { docsRoute } from './frame.tsx';

const languages = { mjs: 'Node', py: 'Python', go: 'Go', php: 'PHP' } as const;

const snippets = Object.entries(languages).map(([ending, name]) => ({
  id: ending,
  name,
  text: readFileSync(join(import.meta.dirname, 'verify', `verify.${ending}`), 'utf8'),
}));

const body: VNode = (
  <>
    <p>
      Every delivery of a channel with a webhook secret is signed twice with it; check one of the two. Take
      the bytes before anything parses them, compare in constant time, and answer 2xx in time, within five
      seconds by default. The same event may come twice: keep <code>X-Webhook-Id</code>.
    </p>
    <p>
      <code>webhook-signature: v1,…</code> is the HMAC-SHA256 of <code>webhook-id</code>,{' '}
      <code>webhook-timestamp</code> and the raw body, with a dot between them, in base64, as Standard
      Webhooks defines it: nobody can repeat an old delivery. A library of Standard Webhooks checks it, or the
      second of these functions. For a day after you replaced the secret it lists a signature with the old one
      too.
    </p>
    <p>
      <code>X-Webhook-Signature: sha256=…</code> is the HMAC-SHA256 of the raw body alone, in lower-case hex;
      the first function checks it. For a day after you replaced the secret{' '}
      <code>X-Webhook-Signature-Previous</code> is signed with the old one.
    </p>
    {snippets.map(({ id, name, text }) => (
      <section>
        <h2 id={id}>{name}</h2>
        <button type="button" class="quiet" data-copy={text} aria-label={`Copy the ${name} functions`} hidden>
          Copy
        </button>
        <pre tabindex={0}>{text}</pre>
      </section>
    ))}
  </>
);

export const verifyRoute = docsRoute('/docs/verify', 'verifyPage', () => ({
  title: 'Check a signature',
  path: '/docs/verify',
  heading: 'Check a signature',
  contents: snippets,
  body,
}));
