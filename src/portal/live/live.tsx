import { signedInPage } from '../session/pages.ts';
import type { SignedInDesk } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';

/** The feed is the API's and asks for a key: it stays in its field. [operator-interface §1] */
function show(desk: SignedInDesk): void {
  answerShell(desk, {
    title: 'Live',
    at: '/portal/live',
    scripts: ['watch.js'],
    children: (
      <>
        <h1>Live</h1>
        <p>
          Events of the account as they come, without what people wrote. They come by the API’s own feed, so
          it takes a key; it stays in this page.
        </p>
        <form id="watch" class="narrow">
          <div class="field">
            <label for="key">API key</label>
            <input
              id="key"
              class="mono"
              type="password"
              autocomplete="off"
              required
              placeholder="mip_live_…"
            />
          </div>
          <div class="buttons">
            <button>Watch</button>
            <button type="button" class="quiet" id="pause" hidden>
              Pause
            </button>
          </div>
        </form>
        <p>
          <span class="state idle" id="live" role="status">
            not connected
          </span>
        </p>
        <div class="field narrow">
          <label for="filter">Only events that have this in their name</label>
          <input id="filter" class="mono" type="text" autocomplete="off" placeholder="message.failed" />
        </div>
        <div id="events" aria-live="polite" />
        <h2>At your own program</h2>
        <pre tabindex={0}>npm run listen -- --key $KEY --forward-to http://localhost:8080/webhooks</pre>
        <noscript>Watching needs scripts; the line above does without.</noscript>
      </>
    ),
  });
}

export const livePages = [
  signedInPage({
    method: 'get',
    path: '/portal/live',
    name: 'livePage',
    summary: 'Events as they come',
    open: show,
  }),
];
