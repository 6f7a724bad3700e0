import { listPage } from '../../route.ts';
import type { FeaturePages } from '../../route.ts';
import { listRequests } from '../list-requests.ts';
import type { LeftOut } from '../list-requests.ts';
import { routeIn } from '../route-typed.ts';
import type { VNode } from 'preact';
import { Copyable, Badge, Whole } from '../../../pages/components.tsx';
import { FirstStep } from '../../../pages/list/empty.tsx';
import { When } from '../../../pages/time.tsx';
import { asWords, choiceField, spanFields, spanOf, textField } from '../../../pages/list/filter.tsx';
import { keysPath } from '../../../pages/paths.ts';

/** Of calls that a key was shown with: others are nobody's. */
const statuses = [200, 201, 202, 400, 402, 404, 409, 410, 413, 415, 422, 429, 500, 502, 503].map(String);
const maxText = 200;

const path = '/portal/requests';

const list = listPage({
  path,
  name: 'requestsPage',
  title: 'Requests',
  filter: {
    status: choiceField('Status', 'any', [['failed', 'failed (400 and above)'], ...asWords(statuses)]),
    route: textField('Route', { maxLength: maxText, placeholder: '/api/v1/messages/send', means: routeIn }),
    id: textField('Request id', { maxLength: maxText, autocomplete: 'off' }),
    ...spanFields,
  },
  intro: () => (
    <p>API requests with your keys in the last 7 days, and how they were answered. Bodies are not stored.</p>
  ),
  read: async (context, { status, route, id, ...times }, page) => {
    const filter = {
      ...(status === 'failed' ? { isFailed: true } : {}),
      ...(status === 'failed' || status === null ? {} : { status: Number(status) }),
      ...(route === null ? {} : { route }),
      ...(id === null ? {} : { requestId: id }),
      ...spanOf(context, times),
    };
    const { requests: items, ...rest } = await listRequests(context.world, context.caller, filter, page);
    return { items, ...rest };
  },
  columns: [
    ['Time', ({ createdAt }, { now }) => <When at={createdAt} now={now} />, ['second']],
    ['Call', ({ method, route }) => <Call method={method} route={route} />, ['read-by']],
    ['Answer', ({ status, code }) => <Answer status={status} code={code} />, ['state']],
    ['Took', ({ durationMs }) => <span class="number">{durationMs} ms</span>, ['p3', 'end']],
    [
      'Key',
      ({ keyHint }) => (keyHint === null ? <span class="dim">revoked</span> : <Key hint={keyHint} />),
      ['p4'],
    ],
    [
      'Request id',
      ({ requestId }) => <Copyable text={requestId} label={`the request id ${requestId}`} />,
      ['p3', 'second', 'one-line'],
    ],
  ],
  noMatch: () => 'No requests match. Choose another status, route, id or time.',
  empty: () => (
    <FirstStep path={keysPath} word="Make a key">
      No request yet. Each API request with a key of the account appears here.
    </FirstStep>
  ),
  note: ({ found }) => <LeftOutNote leftOut={found.leftOut} />,
});

/** [operator-interface §3] */
export const requestPages: FeaturePages = {
  routes: [list],
  place: { path, name: 'Requests', icon: 'terminal', group: 'Monitor' },
  samples: [`${path}?status=503`],
};

/** The status, and why. */
function Answer({ status, code }: { status: number; code: string | null }): VNode {
  return (
    <Badge tone={status >= 400 ? 'bad' : 'good'} code={code}>
      {status}
    </Badge>
  );
}

function Key({ hint }: { hint: string }): VNode {
  return (
    <code>
      <Whole text={hint} />
    </code>
  );
}

function LeftOutNote({ leftOut }: { leftOut: readonly LeftOut[] }): VNode | null {
  if (leftOut.length === 0) return null;
  const sum = (of: 'succeeded' | 'failed'): number => leftOut.reduce((all, each) => all + each[of], 0);
  return (
    <p class="note">
      Not listed here: {sum('succeeded')} calls that succeeded and {sum('failed')} that failed, in{' '}
      {leftOut.length === 1 ? 'one minute' : `${leftOut.length} minutes`} with too many to list them all.
    </p>
  );
}

/** A long route breaks between its parts. */
function Call({ method, route }: { method: string; route: string }): VNode {
  return (
    <code>
      {method} {route.split(/(?<=[^/]\/)/).flatMap((part, at) => (at === 0 ? [part] : [<wbr />, part]))}
    </code>
  );
}
