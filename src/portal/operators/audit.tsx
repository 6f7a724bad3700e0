import { readAuditFilter } from '../../http/admin/audit-routes.ts';
import { toIso } from '../../kernel/clock.ts';
import { actorKinds } from '../../use-cases/ports/audit.ts';
import type { AuditEntry, AuditFilter, Shown } from '../../use-cases/ports/audit.ts';
import { Choice } from '../forms/choice.tsx';
import { Empty, More, pageIn, Rows, When } from '../parts.tsx';
import type { PageContext } from '../session/pages.ts';
import { exportAudit } from './audit-export.ts';
import { operatorPage } from './session.ts';
import { accountsPath, answerConsole, auditPath } from './shell.tsx';

const names = ['account_id', 'actor', 'action', 'since', 'until'] as const;

/** Fields that were left empty ask for nothing; days stand for their first moment. */
export function askedIn(query: URLSearchParams): URLSearchParams {
  const given = names.flatMap((name) => {
    const value = (query.get(name) ?? '').trim();
    return value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(given);
}

/** What somebody typed that is no filter finds nothing to filter by. */
export function filterOf(asked: URLSearchParams): AuditFilter | null {
  try {
    return readAuditFilter(asked);
  } catch {
    return null;
  }
}

async function show(context: PageContext): Promise<void> {
  const page = pageIn(context.query);
  const asked = askedIn(context.query);
  const filter = filterOf(asked);
  const found =
    filter === null ? { items: [], nextCursor: null } : await context.useCases.listAudit(filter, page);
  const query = asked.toString();
  const here = query === '' ? auditPath : `${auditPath}?${query}`;
  answerConsole(context, {
    title: 'Audit',
    at: auditPath,
    status: filter === null ? 422 : 200,
    children: (
      <>
        <h1>Who changed what</h1>
        <Filters asked={asked} />
        {filter === null ? (
          <p class="alert" role="alert">
            An account’s id, an action like channel.updated, or a day like 2026-11-22 is not written so.
          </p>
        ) : null}
        {found.items.length === 0 ? (
          <Empty>
            <p>Nothing. Each change by a person, a key or an operator stands here for a year.</p>
          </Empty>
        ) : (
          <Rows
            heads={['When', 'Who', 'What', 'Account', 'Before', 'After', 'From']}
            rows={found.items.map((entry) => row(entry, context.clock.now()))}
          />
        )}
        <More path={here} page={page} next={found.nextCursor} />
        <p>
          Export what is filtered: <a href={`${auditPath}/export?format=csv&${query}`}>CSV</a> ·{' '}
          <a href={`${auditPath}/export?format=jsonl&${query}`}>JSON lines</a>
        </p>
      </>
    ),
  });
}

function Filters({ asked }: { asked: URLSearchParams }) {
  return (
    <form method="get" action={auditPath} class="inline">
      <Choice
        name="actor"
        label="Who"
        options={[['', 'anybody'], ...actorKinds.map((kind) => [kind, kind] as const)]}
        chosen={asked.get('actor') ?? ''}
      />
      {(['account_id', 'action', 'since', 'until'] as const).map((name) => (
        <div class="choice">
          <label for={name}>{labels[name]}</label>
          <input type="text" id={name} name={name} value={asked.get(name) ?? ''} maxLength={60} />
        </div>
      ))}
      <button>Show</button>
    </form>
  );
}

const labels = { account_id: 'Account id', action: 'Action', since: 'From day', until: 'Before day' };

function row(entry: AuditEntry, now: number) {
  const { createdAt, actor, actorName, action, subject, accountId, before, after, address } = entry;
  return [
    <When at={createdAt} now={now} />,
    actorName === null ? actor : `${actor} ${actorName}`,
    <>
      {action} {subject === null ? null : <code title={toIso(createdAt)}>{subject}</code>}
    </>,
    accountId === null ? 'the service' : <a href={`${accountsPath}/${accountId}`}>its account</a>,
    wordsOf(before),
    wordsOf(after),
    address ?? '',
  ];
}

export function wordsOf(shown: Shown | null): string {
  if (shown === null) return '';
  return Object.entries(shown)
    .map(([name, value]) => `${name}: ${value ?? 'none'}`)
    .join(', ');
}

export const auditPages = [
  operatorPage({
    method: 'get',
    path: auditPath,
    name: 'consoleAudit',
    summary: 'Who changed what',
    open: show,
  }),
  operatorPage({
    method: 'get',
    path: `${auditPath}/export`,
    name: 'exportAudit',
    summary: 'The same as CSV or JSON lines',
    open: (context) => exportAudit(context, filterOf(askedIn(context.query))),
  }),
];
