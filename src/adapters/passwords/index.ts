/**
 * argon2id, with the library's parameters (19 MiB, two passes): OWASP's first choice. A hash takes some 30 ms of one core and its
 * memory, so few are made at once; who would wait too long is refused, and sign-in can't be used to fill a node.
 */
import { hash, verify } from '@node-rs/argon2';
import { fault } from '../../kernel/faults.ts';
import type { PasswordHasher } from '../../use-cases/ports/people.ts';

const atOnce = 2;
const maxWaiting = 100;

export function makePasswordHasher(): PasswordHasher {
  const inTurn = makeTurns();
  /** Compared with when there is nobody: an unknown address takes as long as a known one. */
  const nobodys = hash('a password that nobody has');
  // Awaited with the first verify; until then a failure is nobody's.
  nobodys.catch(() => undefined);
  return {
    hash: (password) => inTurn(() => hash(password)),
    verify: (known, password) =>
      inTurn(async () => {
        const isRight = await verify(known ?? (await nobodys), password);
        return isRight && known !== null;
      }),
  };
}

function makeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) throw fault('overloaded', { retryAfter: 5 });
      await new Promise<void>((resolve) => void waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
