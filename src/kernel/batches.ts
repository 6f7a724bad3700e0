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

interface Question<Q, A> {
  question: Q;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/** Asks these questions together and settles each. `ask` must answer in their order. */
async function answerEach<Q, A>(
  questions: readonly Question<Q, A>[],
  ask: (questions: readonly Q[]) => Promise<readonly A[]>,
): Promise<void> {
  try {
    const answers = await ask(questions.map(({ question }) => question));
    for (const [index, given] of answers.entries()) questions[index]?.resolve(given);
    // The questions answered above are settled already: this error reaches only the others.
    if (answers.length < questions.length) throw new Error('not every question was answered');
  } catch (error) {
    for (const { reject } of questions) reject(error);
  }
}
