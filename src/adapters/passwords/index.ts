/**
 * argon2id, with the library's parameters (19 MiB, two passes): OWASP's first choice. A hash takes some 30 ms of one core and its
 * memory, so few are made at once; who would wait too long is refused, and sign-in can't be used to fill a node.
 */
import { fault } from '../../kernel/faults.ts';
import { Semaphore } from '../../kernel/semaphore.ts';
import type { PasswordHasher } from '../../use-cases/ports/people.ts';

const atOnce = 2;
const maxWaiting = 100;

export function makePasswordHasher(): PasswordHasher {
  const inTurn = makeTurns();
  let nobodys: string | null = null;
  return {
    hash: (password) => inTurn(async () => (await library()).hash(password)),
    verify: (known, password) =>
      inTurn(async () => {
        const { hash, verify } = await library();
        // Compared with when there is nobody: an unknown address takes as long as a known one, so the first of either makes it.
        nobodys ??= await hash('a password that nobody has');
        const isRight = await verify(known ?? nobodys, password);
        return isRight && known !== null;
      }),
  };
}

/** Loaded with the first password: most starts see none. */
const library = () => import('@node-rs/argon2');

function makeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const places = new Semaphore(atOnce, maxWaiting);
  return async (work) => {
    if (!(await places.take())) throw fault('overloaded', { retryAfter: 5 });
    try {
      return await work();
    } finally {
      places.free();
    }
  };
}
