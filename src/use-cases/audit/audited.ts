/**
 * The audit log: every change by a person, an operator or, where it changes settings, an API key. A use-case says in the record of its
 * area what the log tells of it (`audited`), or why it tells nothing (`unrecorded`); the log is written here and nowhere else.
 *
 * The entry follows the change: a change that was refused is none. An entry that can't be written fails nobody, since the change
 * is made: it goes to the service's log as an error.
 */
import { asError } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Area } from '../bind.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { AuditEntry, Shown } from '../ports/audit.ts';

/** What an entry is about. `shown` null: there is nothing of it to show. */
export interface Seen {
  accountId: string | null;
  subject: string | null;
  shown: Shown | null;
}

type Look = Promise<Seen | null> | Seen | null;

interface Recorded<Asked extends unknown[], Answer> {
  action: string;
  /** Asked before the change; null: it is not there yet. */
  before?: (deps: UseCaseDeps, ...asked: Asked) => Look;
  /** Asked after it; null: it is gone. `before` is asked again unless this is given. */
  after?: (deps: UseCaseDeps, answer: Awaited<Answer>, ...asked: Asked) => Look;
  /** False: the answer says that nothing was changed. */
  isDone?: (answer: Awaited<Answer>) => boolean;
}

type UseCase<Asked extends unknown[], Answer> = (deps: UseCaseDeps, ...asked: Asked) => Answer;

export function audited<Asked extends unknown[], Answer extends Promise<unknown>>(
  useCase: UseCase<Asked, Answer>,
  recorded: Recorded<Asked, Answer>,
): ((deps: UseCaseDeps, ...asked: Asked) => Promise<Awaited<Answer>>) & { audits: string } {
  const { action, before: lookBefore, isDone } = recorded;
  const lookAfter = recorded.after ?? ((deps, _answer, ...asked) => lookBefore?.(deps, ...asked) ?? null);
  const act = async (deps: UseCaseDeps, ...asked: Asked): Promise<Awaited<Answer>> => {
    const before = (await lookBefore?.(deps, ...asked)) ?? null;
    const answer = await useCase(deps, ...asked);
    if (isDone?.(answer) !== false) {
      await noting(deps, action, async () => ({ before, after: await lookAfter(deps, answer, ...asked) }));
    }
    return answer;
  };
  return Object.assign(act, { audits: action });
}

/**
 * Why the audit log has nothing of a use-case. `reads`: it changes nothing. `traffic`: messages and events, which have logs of their
 * own. `session`: who comes and goes. `on the way`: what follows from it is recorded, or nothing is.
 */
type Unrecorded = 'reads' | 'traffic' | 'session' | 'on the way';

export function unrecorded<A extends Area>(
  why: Unrecorded,
  area: A,
): { [Name in keyof A]: A[Name] & { unrecorded: Unrecorded } };
export function unrecorded(why: Unrecorded, area: Area): object {
  const marked = Object.entries(area).map(([name, does]) => [name, Object.assign(does, { unrecorded: why })]);
  return Object.fromEntries(marked);
}

/** The compiler asks each use-case which of the two it is. */
export type SaysWhetherAudited = { audits: string } | { unrecorded: Unrecorded };

interface Change {
  before: Seen | null;
  after: Seen | null;
}

async function noting(deps: UseCaseDeps, action: string, look: () => Promise<Change>): Promise<void> {
  try {
    const entry = makeEntry(deps, action, await look());
    if (entry !== null) await deps.stores.audit.add(entry);
  } catch (thrown) {
    deps.counters.increment('audit_not_recorded_total');
    deps.log.error({ action, error: asError(thrown) }, 'audit.not-recorded');
  }
}

/** null: nothing is different. */
function makeEntry({ actor, clock }: UseCaseDeps, action: string, change: Change): AuditEntry | null {
  const about = change.after ?? change.before;
  if (about === null) return null;
  const { before, after } = changedIn(change.before?.shown ?? null, change.after?.shown ?? null);
  if (before !== null && after !== null && Object.keys(after).length === 0) return null;
  return {
    id: newId(),
    accountId: about.accountId,
    actor: actor?.kind ?? 'service',
    actorName: actor?.name ?? null,
    action,
    subject: about.subject,
    before,
    after,
    address: actor?.address ?? null,
    requestId: actor?.requestId ?? null,
    createdAt: clock.now(),
  };
}

/** Of what was there before and after, only what is different. */
function changedIn(before: Shown | null, after: Shown | null): { before: Shown | null; after: Shown | null } {
  if (before === null || after === null) return { before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  const only = (all: Shown): Shown => Object.fromEntries(changed.map((name) => [name, all[name] ?? null]));
  return { before: only(before), after: only(after) };
}
