import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { listRequests } from '../list-requests.ts';
import type { VNode } from 'preact';
import type { LeftOut, ListedRequest } from '../list-requests.ts';
import { Choice, Field } from '../../../pages/forms/field.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import {
  Copyable,
  Empty,
  More,
  Rows,
  State,
  When,
  Whole,
  pageIn,
  FirstStep,
} from '../../../pages/components.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { programRoutes } from '../../program-routes.ts';
import { keysPath, requestsPath } from '../../../pages/paths.ts';

/** Of calls that a key was shown with: others are nobody's. */
const statuses = [200, 201, 202, 400, 402, 404, 409, 410, 413, 415, 422, 429, 500, 502, 503].map(String);
const maxText = 200;

interface RequestQuery {
  status: string;
  route: string;
  id: string;
}

/** The filter in the URL; an unknown status is ignored. */
function readQuery(query: URLSearchParams): RequestQuery {
  const textIn = (name: string): string => (query.get(name) ?? '').trim().slice(0, maxText);
  const status = textIn('status');
  const isStatus = status === 'failed' || statuses.includes(status);
  return { status: isStatus ? status : '', route: routeIn(textIn('route')), id: textIn('id') };
}

async function show(context: SignedInContext): Promise<void> {
  const asked = readQuery(context.query);
  const { status, route, id } = asked;
  const page = pageIn(context.query);
  const filter = {
    ...(status === 'failed' ? { isFailed: true } : {}),
    ...(status === 'failed' || status === '' ? {} : { status: Number(status) }),
    ...(route === '' ? {} : { route }),
    ...(id === '' ? {} : { requestId: id }),
    since: null,
  };
  const { requests, leftOut, nextCursor } = await listRequests(context.world, context.caller, filter, page);
  const here = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
  answerShell(context, {
    title: 'Requests',
    at: requestsPath,
    children: (
      <>
        <p>
          API requests with your keys in the last 7 days, and how they were answered. Bodies are not stored.
        </p>
        <Filter asked={asked} />
        {requests.length === 0 ? (
          <None isFiltered={here.size > 0} />
        ) : (
          <Rows
            heads={['Time', 'Call', 'Answer', 'Why', 'Took', 'Key', 'Request id']}
            rows={requests.map((request) => row(request, context.clock.now()))}
          />
        )}
        <LeftOutNote leftOut={leftOut} />
        <More path={here.size > 0 ? `${requestsPath}?${here}` : requestsPath} page={page} next={nextCursor} />
      </>
    ),
  });
}

function Filter({ asked }: { asked: RequestQuery }): VNode {
  const options = [
    ['', 'any'],
    ['failed', 'failed (400 and above)'],
    ...statuses.map((each) => [each, each] as const),
  ] as const;
  return (
    <form method="get" action={requestsPath} class="inline filter">
      <Choice name="status" label="Status" options={options} chosen={asked.status} />
      <Field
        name="route"
        label="Route"
        value={asked.route}
        required={false}
        placeholder="/api/v1/messages/send"
        mono
        maxLength={maxText}
        problems={noProblems}
      />
      <Field
        name="id"
        label="Request id"
        value={asked.id}
        required={false}
        autocomplete="off"
        mono
        maxLength={64}
        problems={noProblems}
      />
      <button class="quiet">Show</button>
    </form>
  );
}

function row(request: ListedRequest, now: number): VNode[] {
  const { createdAt, method, route, status, code, requestId, durationMs, keyHint } = request;
  return [
    <When at={createdAt} now={now} />,
    <code>
      {method} {route}
    </code>,
    <span class="number">
      <State tone={status >= 400 ? 'bad' : 'good'}>{status}</State>
    </span>,
    code === null ? <span class="dim">–</span> : <code>{code}</code>,
    <span class="number">{durationMs} ms</span>,
    keyHint === null ? (
      <span class="dim">revoked</span>
    ) : (
      <code>
        <Whole text={keyHint} />
      </code>
    ),
    <Copyable text={requestId} label={`the request id ${requestId}`} />,
  ];
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

function None({ isFiltered }: { isFiltered: boolean }): VNode {
  if (isFiltered) return <Empty>No requests match. Choose another status or route, or another id.</Empty>;
  return (
    <FirstStep path={keysPath} word="Make a key">
      No request yet. Each API request with a key of the account appears here.
    </FirstStep>
  );
}

/** [operator-interface §3] */
export const requestsPage = signedInPage({ get: requestsPath, name: 'requestsPage', open: show });

const shapes = [
  ...new Set(programRoutes.filter(({ audience }) => audience === 'api').map(({ path }) => path)),
].map((path) => [path, new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)] as const);

/** The route of what somebody types or pastes: a call's whole address, or its path with ids in it. What is of none stays as it is. */
export function routeIn(text: string): string {
  const [path = ''] = text.replace(/^(?:[A-Z]+ )?(?:https?:\/\/[^/]*)?/, '').split(/[?#]/);
  const known = ['', '/api/v1', '/api/v1/'].flatMap((before) => findRoute(`${before}${path}`) ?? []);
  return known[0] ?? text;
}

function findRoute(path: string): string | undefined {
  const named = shapes.find(([route]) => route === path) ?? shapes.find(([, shape]) => shape.test(path));
  return named?.[0];
}
