import { listPage } from '../../route.ts';
import type { FeaturePages } from '../../route.ts';
import { listRequests } from '../list-requests.ts';
import { routeIn } from '../route-typed.ts';
import type { VNode } from 'preact';
import type { LeftOut } from '../list-requests.ts';
import { Copyable, FirstStep, State, When, Whole } from '../../../pages/components.tsx';
import { asWords, choiceField, textField } from '../../../pages/list/filter.tsx';
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
  },
  intro: () => (
    <p>API requests with your keys in the last 7 days, and how they were answered. Bodies are not stored.</p>
  ),
  read: async ({ world, caller }, { status, route, id }, page) => {
    const filter = {
      ...(status === 'failed' ? { isFailed: true } : {}),
      ...(status === 'failed' || status === null ? {} : { status: Number(status) }),
      ...(route === null ? {} : { route }),
      ...(id === null ? {} : { requestId: id }),
      since: null,
    };
    const { requests: items, ...rest } = await listRequests(world, caller, filter, page);
    return { items, ...rest };
  },
  columns: [
    ['Time', ({ createdAt }, { now }) => <When at={createdAt} now={now} />],
    ['Call', ({ method, route }) => <code>{`${method} ${route}`}</code>],
    ['Answer', ({ status }) => <Status status={status} />],
    ['Why', ({ code }) => (code === null ? <span class="dim">–</span> : <code>{code}</code>)],
    ['Took', ({ durationMs }) => <span class="number">{durationMs} ms</span>],
    ['Key', ({ keyHint }) => (keyHint === null ? <span class="dim">revoked</span> : <Key hint={keyHint} />)],
    ['Request id', ({ requestId }) => <Copyable text={requestId} label={`the request id ${requestId}`} />],
  ],
  noMatch: () => 'No requests match. Choose another status or route, or another id.',
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
  place: { path, name: 'Requests', icon: 'M4 5h16v14H4zM8 10l2 2-2 2M12 15h4' },
  samples: [`${path}?status=503`],
};

function Status({ status }: { status: number }): VNode {
  return (
    <span class="number">
      <State tone={status >= 400 ? 'bad' : 'good'}>{status}</State>
    </span>
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
