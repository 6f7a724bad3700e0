/** The audit log as a list: what the pages of operators and of an account's owners have in common. */
import type { IncomingMessage } from 'node:http';
import type { ComponentChildren, VNode } from 'preact';
import { choiceField, readFilter, spanFields, writeFilter } from '../../../pages/list/filter.tsx';
import type { Filter, FilterField } from '../../../pages/list/filter.tsx';
import { toIso } from '../../../kernel/clock.ts';
import { zoneIn } from '../../../pages/zone.ts';
import { readAuditFilter } from '../routes.ts';
import type { AuditFilter } from '../store.ts';
import type { AuditEntry, Shown } from '../entity.ts';

/** Longer than any id, action or day. */
const maxText = 60;

const readTyped = (typed: string): string | null => typed.slice(0, maxText) || null;

/** Keeps what was typed, also what is wrong: a history must not show more than was asked for. */
function typedField(label: string): FilterField {
  return {
    read: readTyped,
    control: (name, value) => (
      <div class="choice">
        <label for={name}>{label}</label>
        <input type="text" id={name} name={name} value={value} maxLength={maxText} />
      </div>
    ),
  };
}

export const accountField = typedField('Account id');

/** Who asks: times are of their zone. */
type Asking = { request: Pick<IncomingMessage, 'headers'> };

/** The fields of the filter; of an actor that is none of `actors`, nothing is found. */
export function auditFilter(actors: readonly (readonly [actor: string, words: string])[]) {
  const { control } = choiceField('Who', 'anybody', actors);
  return {
    actor: { read: accountField.read, control },
    action: typedField('Action'),
    since: { ...spanFields.from, read: readTyped },
    until: { ...spanFields.to, read: readTyped },
  };
}

/** Returns null if the typed values are no valid filter, which finds nothing. */
export function auditFilterOf(
  { request }: Asking,
  asked: Readonly<Record<string, string | null>>,
): AuditFilter | null {
  const zone = zoneIn(request);
  const inZone = ([name, value]: [string, string]): [string, string] => {
    const at = name === 'since' || name === 'until' ? zone.read(value) : null;
    return [name, at === null ? value : toIso(at)];
  };
  try {
    return readAuditFilter(new URLSearchParams([...new URLSearchParams(writeFilter(asked))].map(inZone)));
  } catch {
    return null;
  }
}

/** The filter of an export: as in the URL of the list. */
export const auditFilterIn = (
  filter: Filter,
  context: Asking & { query: URLSearchParams },
): AuditFilter | null => auditFilterOf(context, readFilter(filter, context.query));

/** Matches no entry: all are later. */
export const noEntry = { until: 0 };

interface AskedAudit {
  context: Asking;
  asked: Readonly<Record<string, string | null>>;
  query: string;
}

/** The parts of `ListSpec` that both pages have. */
export function auditParts(path: string, things: string) {
  return {
    empty: () =>
      'Nothing was changed yet. Each change of a key, a channel, a webhook, a licence or a person appears here at once, with who made it.',
    noMatch: () => 'Nothing fits. Choose another actor, action or time.',
    wrong: ({ context, asked }: AskedAudit) =>
      auditFilterOf(context, asked) === null
        ? `${things} action (like channel.updated) or a time (like 2026-11-22T09:30) is not valid.`
        : null,
    after: ({ context, asked, query }: AskedAudit) =>
      auditFilterOf(context, asked) === null ? null : <Exports path={path} query={query} />,
  };
}

function Exports({ path, query }: { path: string; query: string }): VNode {
  const exported = (format: string): string =>
    `${path}/export?format=${format}${query === '' ? '' : `&${query}`}`;
  return (
    <p>
      Export what is filtered: <a href={exported('csv')}>CSV</a> · <a href={exported('jsonl')}>JSON lines</a>
    </p>
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
  const values = (
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
  if (names.length <= mostOpen) return values;
  return (
    <details class="more-fields">
      <summary>{names.length} values</summary>
      {values}
    </details>
  );
}

/** Values of an entry that are shown without being asked for: a new channel has a dozen. */
const mostOpen = 4;

function word(value: Shown[string] | undefined): string {
  return value == null || value === '' ? 'none' : String(value);
}
