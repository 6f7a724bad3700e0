/**
 * The audit log: every change by a person, an operator or, if it changes settings, an API key. The record of each area declares for
 * each use-case what the log records (`audited`), or why it records nothing (`unrecorded`); only this file writes the log.
 *
 * The entry is written after the change, so that a refused change has none. If it can't be written the request still succeeds,
 * since the change is made: the failure goes to the service's log as an error.
 */
import { asError } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Area, UseCaseDeps } from '../world.ts';
import type { AuditEntry, Shown } from './entity.ts';

/** The object of an entry. `shown` null: nothing of it can be shown. */
export interface Snapshot {
  accountId: string | null;
  subject: string | null;
  shown: Shown | null;
}

type Look = Promise<Snapshot | null> | Snapshot | null;

interface Recorded<Asked extends unknown[], Answer> {
  action: string;
  /** Called before the change; null: the object does not exist yet. */
  before?: (deps: UseCaseDeps, ...asked: Asked) => Look;
  /** Called after the change; null: the object is gone. Default: `before` again. */
  after?: (deps: UseCaseDeps, answer: Awaited<Answer>, ...asked: Asked) => Look;
  /** Before and after as the write itself found and left the object, where others may change it at the same moment; replaces both looks. */
  written?: (answer: Awaited<Answer>) => Change;
  /** False if the answer says that nothing was changed. */
  isDone?: (answer: Awaited<Answer>) => boolean;
  /** Not recorded for API keys, which do it all day: the request log has their calls. */
  isTrafficOfKeys?: true;
}

type UseCase<Asked extends unknown[], Answer> = (deps: UseCaseDeps, ...asked: Asked) => Answer;

/** The use-case, with an entry in the audit log for each change that it makes. */
export function audited<Asked extends unknown[], Answer extends Promise<unknown>>(
  useCase: UseCase<Asked, Answer>,
  recorded: Recorded<Asked, Answer>,
): ((deps: UseCaseDeps, ...asked: Asked) => Promise<Awaited<Answer>>) & { audits: string } {
  const { action, before: lookBefore, isDone, isTrafficOfKeys = false } = recorded;
  const lookAfter = recorded.after ?? ((deps, _answer, ...asked) => lookBefore?.(deps, ...asked) ?? null);
  const act = async (deps: UseCaseDeps, ...asked: Asked): Promise<Awaited<Answer>> => {
    if (isTrafficOfKeys && deps.actor?.kind === 'key') return await useCase(deps, ...asked);
    const before = (await lookBefore?.(deps, ...asked)) ?? null;
    const answer = await useCase(deps, ...asked);
    if (isDone?.(answer) !== false) {
      const look = async () => ({ before, after: await lookAfter(deps, answer, ...asked) });
      await noting(deps, action, async () => recorded.written?.(answer) ?? (await look()));
    }
    return answer;
  };
  return Object.assign(act, { audits: action });
}

/**
 * Why the audit log does not record a use-case. `reads`: it changes nothing. `traffic`: messages and events, which have logs of their
 * own. `session`: authentication and sessions. `on the way`: a step of a flow whose result is recorded if it changes something.
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

/** The compiler requires one of the two for each use-case. */
export type SaysWhetherAudited = { audits: string } | { unrecorded: Unrecorded };

export interface Change {
  before: Snapshot | null;
  after: Snapshot | null;
}

async function noting(deps: UseCaseDeps, action: string, look: () => Promise<Change>): Promise<void> {
  try {
    const entry = makeEntry(deps, action, await look());
    if (entry !== null) await deps.stores.audit.add(deps.auditFolding.fold(entry));
  } catch (thrown) {
    deps.counters.increment('audit_not_recorded_total');
    deps.log.error({ action, error: asError(thrown) }, 'audit.not-recorded');
  }
}

/** null if nothing is different. */
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
    times: 1,
    lastAt: clock.now(),
  };
}

/** The fields that differ between before and after. */
function changedIn(before: Shown | null, after: Shown | null): { before: Shown | null; after: Shown | null } {
  if (before === null || after === null) return { before, after };
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  const only = (all: Shown): Shown => Object.fromEntries(changed.map((name) => [name, all[name] ?? null]));
  return { before: only(before), after: only(after) };
}
