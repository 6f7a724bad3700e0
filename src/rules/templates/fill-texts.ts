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
  for (let place = variables.length; place < given.length; place += 1) {
    problems.add([...at, place], surplusProblem(place + 1, variables.length));
    if (problems.isFull) break;
  }
  const filled: TextParameter[] = [];
  for (const { position } of variables) {
    const value = given[position - 1];
    if (value === undefined) problems.missing([...at, position - 1], variableShown(position));
    else filled.push(fillParameter(value, null, { at, place: position - 1 }, problems));
  }
  return filled;
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
    if (!wanted.has(name)) problems.add([...at, shown], surplusProblem(shown, variables.length));
    if (problems.isFull) break;
  }
  const filled: TextParameter[] = [];
  for (const { name } of variables) {
    if (name === null) continue;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) problems.missing([...at, name], variableShown(name));
    else filled.push(fillParameter(value, name, { at, place: name }, problems));
  }
  return filled;
}

function surplusProblem(variable: string | number, count: number): string {
  return `the template has no variable {{${variable}}} here; it has ${count === 0 ? 'none' : `only ${count}`}`;
}

function variableShown(variable: string | number): string {
  return `the template's variable {{${variable}}}`;
}

/** `place`: within the values at `at`. */
function fillParameter(
  value: string,
  name: string | null,
  { at, place }: { at: Loc; place: string | number },
  problems: Problems,
): TextParameter {
  const problem = valueProblem(value);
  if (problem !== null) problems.add([...at, place], problem);
  return { type: 'text', name, text: value };
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
