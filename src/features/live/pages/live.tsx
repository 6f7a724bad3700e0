import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { eventTypes } from '../../../rules/events/table.ts';
import { toIso, hourMs } from '../../../kernel/clock.ts';
import { Badge, Lines } from '../../../pages/components.tsx';
import { Empty } from '../../../pages/list/empty.tsx';
import { makeStreamToken, readCookie } from '../../../pages/session/cookies.ts';
import { answerShell } from '../../../pages/shell.tsx';

const path = '/portal/live';

function show(context: SignedInContext): void {
  if (!context.visitor.mayAct) return showUnconfirmed(context);
  const session = readCookie(context.request, context.baseUrl, 'session');
  const since = new URLSearchParams({
    of: makeStreamToken(session),
    since: toIso(context.clock.now() - shownMs),
  }).toString();
  answerShell(context, {
    title: 'Live',
    at: path,
    scripts: ['watch.js'],
    children: (
      <>
        <p>
          Live events of the account, beginning with the last hour, without message content. After a lost
          connection the page continues where it was.
        </p>
        <noscript>
          <p class="note">This page needs JavaScript; the command below does not.</p>
        </noscript>
        <div class="inline watch">
          <span class="sight idle" id="live" role="status" data-events={`${path}/events?${since}`}>
            not connected
          </span>
          <label for="filter">Only</label>
          <select id="filter" name="filter">
            <option value="">all events</option>
            {eventTypes.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
          <button type="button" class="quiet" id="pause" hidden>
            Pause
          </button>
        </div>
        <div id="nothing">
          <Empty>
            <p>Nothing yet. Inbound messages, and the statuses of what you send, appear here.</p>
          </Empty>
        </div>
        <ol id="events" class="events" aria-live="polite" aria-label="Events, the newest first" />
        {endBadges.map(([state, tone]) => (
          <template id={`ended-${state}`}>
            <Badge tone={tone}>{state}</Badge>
          </template>
        ))}
        <h2>At your own program</h2>
        <p>The same events, forwarded to a program on your machine with their ids and signatures:</p>
        <Lines text={listenLine(context.baseUrl)} label="the line" />
      </>
    ),
  });
}

/** How a delivery that ended is shown, as in the list of deliveries. */
const endBadges = [
  ['delivered', 'good'],
  ['failed', 'bad'],
] as const;

/** The feed rejects a person whose e-mail address is not verified. */
function showUnconfirmed(context: SignedInContext): void {
  answerShell(context, {
    title: 'Live',
    at: path,
    children: (
      <>
        <Empty>
          <p>Confirm your e-mail address first: open the link in the e-mail we sent.</p>
        </Empty>
      </>
    ),
  });
}

/** Events of this time before now that the log still has are shown first. */
const shownMs = hourMs;

const listenLine = (baseUrl: string): string =>
  `npm run listen -- --url ${baseUrl} --key $KEY --forward-to http://localhost:8080/webhooks`;

export const livePages: FeaturePages = {
  routes: [signedInPage({ get: path, name: 'livePage', open: show })],
  place: { path, name: 'Live', icon: 'activity', group: 'Monitor' },
};
