import type { VNode } from 'preact';
import { channelTypes } from '../../domain/vocabulary.ts';
import { answerPage } from '../page.tsx';
import { pageRoute } from '../route.ts';

function Field({ id, label, ...input }: { id: string; label: string; placeholder?: string }): VNode {
  return (
    <label>
      {label}
      <input id={id} required {...input} />
    </label>
  );
}

const account = (
  <div id="account" hidden>
    <section>
      <h2>Channels</h2>
      <div id="channels" />
    </section>
    <section>
      <h2>Connect a channel</h2>
      <form id="connect">
        <label>
          Type{' '}
          <select id="type">
            {channelTypes.map((type) => (
              <option>{type}</option>
            ))}
          </select>
        </label>
        <Field id="redirect-uri" label="Return to" placeholder="https://app.example.com/done" />
        <button>Make a setup link</button>
      </form>
      <p id="setup" />
    </section>
    <section>
      <h2>Send a text</h2>
      <form id="send">
        <Field id="channel-id" label="Channel id" />
        <Field id="recipient" label="Recipient" />
        <Field id="text" label="Text" />
        <button>Send</button>
      </form>
      <p id="sent" aria-live="polite" />
    </section>
    <section>
      <h2>Licences</h2>
      <div id="licences" />
    </section>
    <section>
      <h2>Allowed redirect addresses of this key</h2>
      <div id="redirects" />
      <form id="add-redirect">
        <Field id="pattern" label="Pattern" placeholder="https://*.example.com/*" />
        <button>Allow</button>
      </form>
    </section>
    <section>
      <h2>
        Live events <span class="dim" id="live" />
      </h2>
      <div id="events" aria-live="polite" />
    </section>
  </div>
);

const body = (
  <main>
    <h1>Trunkline portal</h1>
    <form id="sign-in" class="keys">
      <label>
        API key
        <input id="key" type="password" autocomplete="off" required placeholder="mip_live_…" />
      </label>
      <button>Open</button>
    </form>
    <p role="alert" id="notice" />
    {account}
    <noscript>This page needs JavaScript.</noscript>
  </main>
);

/** [operator-interface §3] The human's door: an account's channels, licences, redirects and live events, by API key. */
export const homeRoute = pageRoute({
  method: 'get',
  path: '/portal',
  name: 'portal',
  tag: 'Portal',
  summary: "An account's channels, licences, redirects and live events in the browser",
  answers: { 200: { contentType: 'text/html', description: 'The page' } },
  open: (_request, response) =>
    answerPage(response, 200, {
      title: 'Trunkline portal',
      styles: ['home.css'],
      scripts: ['home.js'],
      body,
    }),
});
