import { fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { isLongerThan, textProblem } from '../messages/text.ts';

export type Loc = (string | number)[];

/** At most so many problems are listed, so that the answer stays small whatever was given. */
const maxProblems = 50;

/** Everything that is wrong with a request, place by place. [spec: Endpoints, HTTPValidationError] */
export class Problems {
  readonly #errors: FieldError[] = [];

  add(loc: Loc, problem: string): void {
    this.#errors.push({ loc, type: 'value_error', msg: `Value error, ${problem}` });
  }

  missing(loc: Loc, what: string): void {
    this.#errors.push({ loc, type: 'missing', msg: `Field required: ${what}` });
  }

  /** The text, when it says something that can be sent on and is short enough; else what is wrong is noted. */
  text(given: unknown, loc: Loc, max: number, what: string): string | null {
    if (typeof given !== 'string' || given.trim() === '') {
      this.missing(loc, what);
      return null;
    }
    const problem = textProblem(given);
    if (problem !== null) this.add(loc, problem);
    if (isLongerThan(max, given)) {
      const msg = `String should have at most ${max} characters`;
      this.#errors.push({ loc, type: 'string_too_long', msg });
      return null;
    }
    return problem === null ? given : null;
  }

  /** Throws 422 `validation` when anything is wrong. */
  refuse(): void {
    if (this.#errors.length > 0) throw fault('validation', { errors: this.#errors.slice(0, maxProblems) });
  }
}
