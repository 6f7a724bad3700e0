/** The audit log as a list: for operators, and for the owners of an account. */
import type { ComponentChildren, VNode } from 'preact';
import type { TwoWayPage } from '../../../kernel/paging.ts';
import { Choice } from '../../../pages/forms/field.tsx';
import { Empty, Rows, Pager } from '../../../pages/components.tsx';
import { readAuditFilter } from '../routes.ts';
import type { AuditFilter } from '../store.ts';
import type { AuditEntry, Shown } from '../entity.ts';

/** The fields of the filter, with the words for its choices. */
export interface AuditFilters {
  path: string;
  fields: readonly AuditField[];
  actors: readonly (readonly [actor: string, words: string])[];
}

interface AuditListProps {
  filters: AuditFilters;
  asked: URLSearchParams;
  /** False: the typed values are no valid filter. */
  isFilter: boolean;
  found: TwoWayPage<AuditEntry>;
  heads: readonly string[];
  row: (entry: AuditEntry) => readonly ComponentChildren[];
}

export function AuditList({ filters, asked, isFilter, found, heads, row }: AuditListProps): VNode {
  const query = asked.toString();
  const exported = (format: string): string =>
    `${filters.path}/export?format=${format}${query === '' ? '' : `&${query}`}`;
  return (
    <>
      <Filters filters={filters} asked={asked} />
      {isFilter ? null : (
        <p class="alert" role="alert">
          {filters.fields.includes('account_id') ? 'An account’s id, an' : 'An'} action (like channel.updated)
          or a day (like 2026-11-22) is not valid.
        </p>
      )}
      {found.items.length === 0 ? (
        <Empty>
          <p>{query === '' ? 'Nothing was changed yet.' : 'Nothing fits.'}</p>
        </Empty>
      ) : (
        <Rows heads={heads} rows={found.items.map(row)} />
      )}
      <Pager path={query === '' ? filters.path : `${filters.path}?${query}`} page={found} />
      {isFilter ? (
        <p>
          Export what is filtered: <a href={exported('csv')}>CSV</a> ·{' '}
          <a href={exported('jsonl')}>JSON lines</a>
        </p>
      ) : null}
    </>
  );
}

const labels: Record<Exclude<AuditField, 'actor'>, string> = {
  account_id: 'Account id',
  action: 'Action',
  since: 'From day (UTC)',
  until: 'Before day (UTC)',
};

function Filters({ filters, asked }: { filters: AuditFilters; asked: URLSearchParams }): VNode {
  return (
    <form method="get" action={filters.path} class="inline filter">
      {filters.fields.map((name) =>
        name === 'actor' ? (
          <Choice
            name="actor"
            label="Who"
            options={[['', 'anybody'], ...filters.actors]}
            chosen={asked.get('actor') ?? ''}
          />
        ) : (
          <div class="choice">
            <label for={name}>{labels[name]}</label>
            {name === 'since' || name === 'until' ? (
              <input type="date" id={name} name={name} value={asked.get(name) ?? ''} />
            ) : (
              <input type="text" id={name} name={name} value={asked.get(name) ?? ''} maxLength={60} />
            )}
          </div>
        ),
      )}
      <button class="quiet">Show</button>
    </form>
  );
}

/** The action, its subject, and the values that changed. */
export function Change({ entry, children }: { entry: AuditEntry; children?: ComponentChildren }): VNode {
  return (
    <div>
      <b>{entry.action}</b> {children}
      {entry.times > 1 ? <span class="dim"> {entry.times.toLocaleString('en')} times that day</span> : null}
      <Values entry={entry} />
    </div>
  );
}

function Values({ entry: { before, after } }: { entry: Pick<AuditEntry, 'before' | 'after'> }): VNode | null {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return null;
  const isChange = before !== null && after !== null;
  return (
    <ul class="changes">
      {names.map((name) => (
        <li>
          {name}:{' '}
          {isChange ? `${word(before[name])} → ${word(after[name])}` : word((after ?? before)?.[name])}
        </li>
      ))}
      {after === null && before !== null ? <li class="dim">It is gone.</li> : null}
    </ul>
  );
}

function word(value: Shown[string] | undefined): string {
  return value == null ? 'none' : String(value);
}

type AuditField = 'account_id' | 'actor' | 'action' | 'since' | 'until';

/** The given fields as a query; empty ones are left out. */
export function filterIn(query: URLSearchParams, fields: readonly AuditField[]): URLSearchParams {
  const given = fields.flatMap((name) => {
    const value = (query.get(name) ?? '').trim();
    return value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(given);
}

/** Returns null if the typed values are no valid filter, which finds nothing. */
export function readFilter(asked: URLSearchParams): AuditFilter | null {
  try {
    return readAuditFilter(new URLSearchParams([...asked].map(inTimes)));
  } catch {
    return null;
  }
}

/** The form sends days in UTC: each becomes its first moment. */
function inTimes([name, value]: [string, string]): [string, string] {
  const isDay = (name === 'since' || name === 'until') && /^\d{4}-\d\d-\d\d$/.test(value);
  return [name, isDay ? `${value}T00:00:00Z` : value];
}
