/**
 * The audit log: every change by a person, an operator or, if it changes settings, an API key. The function that makes a change writes
 * its entry where the change is made, with the states that the write itself found and left: others may change the object at the same
 * moment. So a refused change has no entry.
 */
import type { AuditEntry, Shown } from './entity.ts';
import type { Stores } from '../stores.ts';
import { asError } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Actor } from '../../rules/caller.ts';
import type { World } from '../world.ts';

/** The object of an entry. `shown` null: nothing of it can be shown. */
export interface Snapshot {
  accountId: string | null;
  subject: string | null;
  shown: Shown | null;
}

type AuditWorld = Pick<World, 'auditFolding' | 'clock' | 'counters' | 'log'> & {
  stores: Pick<Stores, 'audit'>;
};

/**
 * Writes the entry of a change; `by` undefined: no request caused it. `before` null: the object did not exist; `after` null: it is gone. Writes nothing if no
 * shown field differs. Never throws, since the change is made: a failure is counted, and goes to the service's log as an error.
 */
export async function audit(
  world: AuditWorld,
  by: Actor | undefined,
  action: string,
  before: Snapshot | null,
  after: Snapshot | null,
): Promise<void> {
  try {
    const entry = makeEntry(world, by, action, before, after);
    if (entry !== null) await world.stores.audit.add(world.auditFolding.fold(entry));
  } catch (thrown) {
    world.counters.increment('audit_not_recorded_total');
    world.log.error({ action, error: asError(thrown) }, 'audit.not-recorded');
  }
}

/**
 * Writes that a list is taken as a file. `asked`: its filter by field; the log has the names of those that filter, because a value may be a
 * person's number.
 */
export function auditExport(
  world: AuditWorld,
  by: Actor | undefined,
  { accountId, list, asked }: { accountId: string | null; list: string; asked: object },
): Promise<void> {
  const filters = Object.entries(asked).flatMap(([name, value]) => (value === null ? [] : [name]));
  const shown = { list, filters: filters.join(' ') };
  return audit(world, by, 'list.exported', null, { accountId, subject: null, shown });
}

/** null if nothing is different. */
function makeEntry(
  { clock }: AuditWorld,
  by: Actor | undefined,
  action: string,
  was: Snapshot | null,
  is: Snapshot | null,
): AuditEntry | null {
  const about = is ?? was;
  if (about === null) return null;
  const { before, after } = changedIn(was?.shown ?? null, is?.shown ?? null);
  if (before !== null && after !== null && Object.keys(after).length === 0) return null;
  return {
    id: newId(),
    accountId: about.accountId,
    actor: by?.kind ?? 'service',
    actorName: by?.name ?? null,
    action,
    subject: about.subject,
    before,
    after,
    address: by?.address ?? null,
    requestId: by?.requestId ?? null,
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
