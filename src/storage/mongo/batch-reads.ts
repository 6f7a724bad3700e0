/**
 * Combines reads of single keys: keys requested while a query is in flight, or in the same turn of the event loop, go into one query. A
 * node that takes over a thousand channels sends a few queries, not thousands. Nothing waits for a timer.
 */
const maxKeys = 500;
/** Batch size that returns all keys in one reply; the server's default first batch is 101 documents. */
export const wholeBatch = 1_000;

interface Question<A> {
  key: string;
  resolve: (answer: A | undefined) => void;
  reject: (error: unknown) => void;
}

/** `ask` reads all of `keys` at once; a key that is missing in its answer yields undefined. */
export function batchReads<A>(
  ask: (keys: string[]) => Promise<ReadonlyMap<string, A>>,
): (key: string) => Promise<A | undefined> {
  let waiting: Question<A>[] = [];
  let isOut = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const questions = waiting.slice(0, maxKeys);
      waiting = waiting.slice(maxKeys);
      try {
        const answers = await ask([...new Set(questions.map(({ key }) => key))]);
        for (const { key, resolve } of questions) resolve(answers.get(key));
      } catch (error) {
        for (const { reject } of questions) reject(error);
      }
    }
    isOut = false;
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (isOut) return;
      isOut = true;
      setImmediate(() => void flush());
    });
}
