/** Who answers the questions of a run: a person at a terminal or a pipe, a file, or a program. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { asRecord } from '../../kernel/json.ts';
import type { Person } from './run.ts';

export interface Asked extends Person {
  /** Lets the process end. */
  close(): void;
}

/** One line for each question; after the last line every answer is empty. */
export function atTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Asked {
  const reader = createInterface({ input });
  // One iterator for all questions: a pipe may deliver the answers of several at once.
  const lines = reader[Symbol.asyncIterator]();
  return {
    async ask({ text }) {
      output.write(`${text}\n> `);
      const line = await lines.next();
      return line.done === true ? '' : line.value.trim();
    },
    close: () => reader.close(),
  };
}

/** Answers by the names of questions, from a JSON file; the rest is asked of `otherwise`. Throws an Error that says what is wrong with the file. */
export function fromFile(path: string, otherwise: Asked): Asked {
  const answers = asRecord(JSON.parse(readFileSync(path, 'utf8')));
  if (answers === null) throw new Error(`${path} must be a JSON object: the name of a question, its answer`);
  for (const [name, answer] of Object.entries(answers))
    if (typeof answer !== 'string') throw new Error(`${path}: the answer to "${name}" must be a text`);
  return {
    ask(question) {
      const answer = Object.hasOwn(answers, question.name) ? answers[question.name] : undefined;
      return typeof answer === 'string' ? Promise.resolve(answer) : otherwise.ask(question);
    },
    close: () => otherwise.close(),
  };
}

/** The program gets the name of a question and its facts as JSON, and prints the answer. */
export function byProgram(command: string): Asked {
  const run = promisify(execFile);
  return {
    ask: async ({ name, facts }) => (await run(command, [name, JSON.stringify(facts ?? {})])).stdout.trim(),
    close: () => undefined,
  };
}
