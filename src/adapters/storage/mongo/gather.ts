/**
 * Makes one query of many questions: keys asked for while the query before is out, or in the same turn of the event loop, go
 * together. A node that takes over a thousand channels asks the server a few times, not thousands. Nobody waits on a timer.
 */
const maxKeys = 500;
/** Whatever was gathered is answered at once: the server's own first batch is 101 documents. */
export const wholeBatch = 1_000;

interface Question<A> {
  key: string;
  resolve: (answer: A | undefined) => void;
  reject: (error: unknown) => void;
}

/** `ask` answers all of `keys` at once; who asked for a key that is not in the answer gets undefined. */
export function gather<A>(
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
