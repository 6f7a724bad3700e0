import { answerEach } from './batch-questions.ts';
import type { Question } from './batch-questions.ts';

/**
 * Batches questions about a key: those that arrive while a batch of that key is under way are asked together in the next. So a key has one
 * batch at a time, however many ask. `ask` must answer in the order of its questions.
 */
export function batchPerKey<Q, A>(
  ask: (key: string, questions: readonly Q[]) => Promise<readonly A[]>,
): (key: string, question: Q) => Promise<A> {
  /** The questions that wait for the next batch, by key; a key is here while it has a batch. */
  const waiting = new Map<string, Question<Q, A>[]>();

  async function run(key: string, first: Question<Q, A>): Promise<void> {
    for (let batch = [first]; batch.length > 0; batch = waiting.get(key) ?? []) {
      waiting.set(key, []);
      await answerEach(batch, (questions) => ask(key, questions));
    }
    waiting.delete(key);
  }

  return (key, question) =>
    new Promise((resolve, reject) => {
      const asked = { question, resolve, reject };
      const next = waiting.get(key);
      if (next === undefined) void run(key, asked);
      else next.push(asked);
    });
}
