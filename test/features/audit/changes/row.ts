/** A route that changes something: what it leaves in the audit log, or why it leaves nothing there. */
import type { expect } from '@jest/globals';
import type { Visitor } from '../../../pages/visitor.ts';
import type { Stage } from './stage.ts';

type Expected<T> = T | ReturnType<typeof expect.any>;
type Shown = Expected<Record<string, Expected<string | number | boolean | null>> | null>;

export interface Asked {
  subject: Expected<string | null>;
  before: Shown;
  after: Shown;
  /** Ids of the path. */
  ids?: Record<string, string>;
  /** JSON for the API, else a form. */
  body?: Record<string, string | boolean | null | readonly unknown[]>;
  form?: Record<string, string>;
  /** Of the path's query. */
  query?: string;
  /** The owner, or the operator, unless given. */
  by?: Visitor;
  /** null: not signed in. The owner's address, or the id of the key, unless given. */
  actorName?: string | null;
  /** Another account than the stage's; null: the whole service. */
  accountId?: Expected<string | null>;
}

/**
 * `traffic`: messages and events, which have logs of their own; retries by keys are among them. `session`: authentication and sessions.
 * `on the way`: a step of a flow whose result is recorded if it changes something. `reads`: it changes nothing.
 */
type Unrecorded = 'traffic' | 'session' | 'on the way' | 'reads';

export interface Changes {
  action: string;
  prepare: (on: Stage) => Promise<Asked>;
}

export type Row = Changes | Unrecorded;

export function changes(action: string, prepare: Changes['prepare']): Changes {
  return { action, prepare };
}
