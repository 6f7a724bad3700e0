import { fault, maxFieldErrors, valueError } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';
import { isLongerThan, textProblem } from '../messages/text.ts';

export type Loc = (string | number)[];

/** Collects the problems of a request with their places. [spec: Endpoints, HTTPValidationError] */
export class Problems {
  readonly #errors: FieldError[] = [];

  /** A further problem would not be listed. */
  get isFull(): boolean {
    return this.#errors.length >= maxFieldErrors;
  }

  add(loc: Loc, problem: string): void {
    this.addError({ loc, ...valueError(problem) });
  }

  missing(loc: Loc, what: string): void {
    this.addError({ loc, type: 'missing', msg: `Field required: ${what}` });
  }

  /** A problem with a type of its own. */
  addError(error: FieldError): void {
    this.#errors.push(error);
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
      this.addError({ loc, type: 'string_too_long', msg });
      return null;
    }
    return problem === null ? given : null;
  }

  /** Throws 422 `validation` if there is any problem. */
  refuse(): void {
    if (this.#errors.length > 0) throw fault('validation', { errors: this.#errors.slice(0, maxFieldErrors) });
  }
}
