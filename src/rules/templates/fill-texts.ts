/** Fills the variables of a text, by position or by name. Every variable needs a value, and no other value is allowed. */
import type { GivenTexts, TextParameter } from './filled.ts';
import type { Variable } from './parts.ts';
import type { Loc, Problems } from './problems.ts';
import type { ParameterFormat } from './template.ts';
import { isLongerThan, textProblem } from '../messages/text.ts';

/** Characters shown of a name that the client gave. */
const maxShown = 100;

/** The parameters of the header or body at `at`; what is missing, surplus or invalid is added to `problems`. */
export function fillTexts(
  variables: readonly Variable[],
  given: GivenTexts | null | undefined,
  format: ParameterFormat,
  at: Loc,
  problems: Problems,
): TextParameter[] {
  if (format === 'named') {
    if (isList(given))
      return wrongForm(
        at,
        'dict_type',
        'a valid dictionary: the variables of this template are named',
        problems,
      );
    return fillNamed(variables, given ?? {}, at, problems);
  }
  if (given != null && !isList(given))
    return wrongForm(
      at,
      'list_type',
      'a valid list: the variables of this template are positional',
      problems,
    );
  return fillPositional(variables, given ?? [], at, problems);
}

export function isList(given: GivenTexts | null | undefined): given is readonly string[] {
  return Array.isArray(given);
}

function wrongForm(at: Loc, type: string, wanted: string, problems: Problems): TextParameter[] {
  problems.addError({ loc: at, type, msg: `Input should be ${wanted}` });
  return [];
}

function fillPositional(
  variables: readonly Variable[],
  given: readonly string[],
  at: Loc,
  problems: Problems,
): TextParameter[] {
  for (const place of given.keys()) {
    if (place >= variables.length)
      problems.add([...at, place], surplusProblem(`{{${place + 1}}}`, variables.length));
    if (problems.isFull) break;
  }
  return variables.flatMap(({ position }) => {
    const where = [...at, position - 1];
    return fillParameter(given[position - 1], { where, shown: `{{${position}}}`, name: null }, problems);
  });
}

function fillNamed(
  variables: readonly Variable[],
  given: Readonly<Record<string, string>>,
  at: Loc,
  problems: Problems,
): TextParameter[] {
  const wanted = new Set(variables.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    const shown = name.slice(0, maxShown);
    if (!wanted.has(name)) problems.add([...at, shown], surplusProblem(`{{${shown}}}`, variables.length));
    if (problems.isFull) break;
  }
  return variables.flatMap(({ name }) => {
    if (name === null) return [];
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return fillParameter(value, { where: [...at, name], shown: `{{${name}}}`, name }, problems);
  });
}

function surplusProblem(shown: string, count: number): string {
  return `the template has no variable ${shown} here; it has ${count === 0 ? 'none' : `only ${count}`}`;
}

interface Slot {
  where: Loc;
  /** The placeholder in the template's text. */
  shown: string;
  name: string | null;
}

function fillParameter(
  value: string | undefined,
  { where, shown, name }: Slot,
  problems: Problems,
): TextParameter[] {
  if (value === undefined) {
    problems.missing(where, `the template's variable ${shown}`);
    return [];
  }
  const problem = valueProblem(value);
  if (problem !== null) problems.add(where, problem);
  return [{ type: 'text', name, text: value }];
}

/** The limit of a link, higher than that of any text upstream; in Unicode code points. [spec: Limits; upstream §6.2] */
const maxValue = 2_048;
/** Longest URL of a button, and longest value in one. [upstream §6.2] */
export const maxButtonUrl = 2_000;
/** Longest code to copy. The sources say 15 and 20. [upstream §6.2] */
export const maxCoupon = 20;

/** Why upstream would refuse the value of a variable, or null. [upstream §3.2] */
export function valueProblem(value: string): string | null {
  const problem = textProblem(value) ?? lengthProblem(value, maxValue);
  if (problem !== null) return problem;
  if (value.trim() === '') return 'must not be empty';
  if (/[\n\r\t]/.test(value)) return 'must not contain line breaks or tabs';
  return value.includes('     ') ? 'must not contain more than 4 consecutive spaces' : null;
}

/** As `valueProblem`, for a part of a URL or a code to copy. */
export function urlValueProblem(value: string, fills: 'url' | 'copy_code'): string | null {
  const max = fills === 'url' ? maxButtonUrl : maxCoupon;
  const problem = textProblem(value) ?? lengthProblem(value, max);
  if (problem !== null) return problem;
  if (value === '') return 'must not be empty';
  return /\s/.test(value) ? 'must not contain spaces' : null;
}

function lengthProblem(value: string, max: number): string | null {
  return isLongerThan(max, value) ? `must have at most ${max} characters` : null;
}
