import { fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { isLongerThan, textProblem } from '../messages/text.ts';

export type Loc = (string | number)[];

/** Most problems listed, so that the response stays small for any input. */
const maxProblems = 50;

/** Collects the problems of a request with their places. [spec: Endpoints, HTTPValidationError] */
export class Problems {
  readonly #errors: FieldError[] = [];

  add(loc: Loc, problem: string): void {
    this.#errors.push({ loc, type: 'value_error', msg: `Value error, ${problem}` });
  }

  missing(loc: Loc, what: string): void {
    this.#errors.push({ loc, type: 'missing', msg: `Field required: ${what}` });
  }

  /** Returns the text if it is non-empty, valid for sending and short enough; otherwise adds the problem and returns null. */
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

  /** Throws 422 `validation` if there is any problem. */
  refuse(): void {
    if (this.#errors.length > 0) throw fault('validation', { errors: this.#errors.slice(0, maxProblems) });
  }
}
