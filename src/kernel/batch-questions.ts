export interface Question<Q, A> {
  question: Q;
  resolve: (answer: A) => void;
  reject: (error: unknown) => void;
}

/** Asks these questions together and settles each. `ask` must answer in their order. */
export async function answerEach<Q, A>(
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
