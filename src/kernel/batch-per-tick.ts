import { answerEach } from './batch-questions.ts';
import type { Question } from './batch-questions.ts';

/**
 * Batches questions: those of one turn of the event loop are asked together, at most `max` at a time; batches do not wait for each other.
 * `ask` must answer in the order of its questions.
 */
export function batchPerTick<Q, A>(
  max: number,
  ask: (questions: readonly Q[]) => Promise<readonly A[]>,
): (question: Q) => Promise<A> {
  let gathered: Question<Q, A>[] = [];

  function flush(): void {
    const all = gathered;
    gathered = [];
    for (let from = 0; from < all.length; from += max) void answerEach(all.slice(from, from + max), ask);
  }

  return (question) =>
    new Promise((resolve, reject) => {
      gathered.push({ question, resolve, reject });
      if (gathered.length === 1) setImmediate(flush);
    });
}
