interface Question<Q, A> {
  question: Q;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

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
    for (let from = 0; from < all.length; from += max) void answer(all.slice(from, from + max));
  }

  async function answer(questions: readonly Question<Q, A>[]): Promise<void> {
    try {
      const answers = await ask(questions.map(({ question }) => question));
      for (const [index, given] of answers.entries()) questions[index]?.resolve(given);
      // The questions answered above are settled already: this error reaches only the others.
      if (answers.length < questions.length) throw new Error('not every question was answered');
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }

  return (question) =>
    new Promise((resolve, reject) => {
      gathered.push({ question, resolve, reject });
      if (gathered.length === 1) setImmediate(flush);
    });
}
