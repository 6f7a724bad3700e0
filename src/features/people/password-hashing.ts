/**
 * Argon2id with the library's parameters (19 MiB, two passes), OWASP's first choice. A hash takes about 30 ms of one core, so few run at
 * once; when too many wait, the call fails with Fault `overloaded`, so that sign-in cannot overload a node.
 */
import { fault } from '../../kernel/faults.ts';
import { SharedLine } from '../../kernel/shared-line.ts';

const maxConcurrent = 2;
/** In the line of known people, and in that of strangers. [faults: 320] */
const maxWaiting = 100;

export function makePasswordHasher(): PasswordHasher {
  const inTurn = makeTurns();
  let unknownHash: string | null = null;
  return {
    hash: (password, place) => inTurn(place, async () => (await library()).hash(password)),
    verify: (known, password, place) =>
      inTurn(place, async () => {
        const { hash, verify } = await library();
        // Unknown addresses are compared with this hash, so that they take as long as known ones. The first call of either kind makes it.
        unknownHash ??= await hash('a password that nobody has');
        const isRight = await verify(known ?? unknownHash, password);
        return isRight && known !== null;
      }),
  };
}

/** Loaded with the first password: most processes never see one. */
const library = () => import('@node-rs/argon2');

function makeTurns(): <T>(place: HashPlace, work: () => Promise<T>) => Promise<T> {
  const slots = new SharedLine(maxConcurrent, maxWaiting);
  return async ({ line, of }, work) => {
    if (!(await slots.take(line, of))) throw fault('overloaded', { retryAfter: 5 });
    try {
      return await work();
    } finally {
      slots.free();
    }
  };
}

export interface HashPlace {
  line: 'known' | 'strangers';
  /** Who waits: a network, or a person. */
  of: string;
}

/** Slow password hashes. Its lines are bounded: throws Fault `overloaded` if too many calls wait. */
export interface PasswordHasher {
  hash(password: string, place: HashPlace): Promise<string>;
  /** With `hash` null it takes the same time and returns false. */
  verify(hash: string | null, password: string, place: HashPlace): Promise<boolean>;
}
