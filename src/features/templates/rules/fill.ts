import { fillTexts, urlValueProblem, valueProblem } from '../../../rules/templates/fill-texts.ts';
import type {
  FilledTemplate,
  GivenTexts,
  GivenVariables,
  HeaderParameter,
  FilledButton,
} from '../../../rules/templates/filled.ts';
import { readParts } from '../../../rules/templates/parts.ts';
import type { HeaderPart, TemplateParts, ButtonPart } from '../../../rules/templates/parts.ts';
import { unfillablePart } from './sendable.ts';
import { Problems } from '../../../rules/templates/problems.ts';
import type { ParameterFormat, Template } from '../../../rules/templates/template.ts';

type Fillable = Pick<Template, 'name' | 'language' | 'category' | 'components' | 'parameterFormat'>;

/** Cache of parsed parts: the sender caches a template object and fills it many times. */
const knownParts = new WeakMap<Fillable, TemplateParts>();

function partsToFill(template: Fillable): TemplateParts {
  const known = knownParts.get(template);
  if (known !== undefined) return known;
  const parts = readParts(template);
  knownParts.set(template, parts);
  return parts;
}

/**
 * Fills the template. Every variable needs a value, and no other value is allowed; throws 422 `validation` with every
 * missing, surplus and invalid one. [spec: Sending messages; upstream §3.2]
 */
export function fillTemplate(template: Fillable, given: GivenVariables | null): FilledTemplate {
  const problems = new Problems();
  const unfillable = unfillablePart(template);
  if (unfillable !== null) problems.add(['body', 'template_name'], unfillable);
  problems.refuse();
  const parts = partsToFill(template);
  const { category, parameterFormat, name, language } = template;
  const header = fillHeader(parts.header, given?.header, parameterFormat, problems);
  // The code's variable has no name, whatever the template's format.
  const bodyFormat = category === 'AUTHENTICATION' ? 'positional' : parameterFormat;
  const body = fillTexts(parts.body, given?.body, bodyFormat, 'body', problems);
  const code = body[0]?.text ?? null;
  const buttons = fillButtons(parts.buttons, given?.buttons ?? [], code, problems);
  problems.refuse();
  return { name, language, header, body, buttons };
}

function fillHeader(
  header: HeaderPart | null,
  given: GivenTexts | null | undefined,
  format: ParameterFormat,
  problems: Problems,
): HeaderParameter[] {
  if (header === null || header.format === 'TEXT') {
    return fillTexts(header?.variables ?? [], given, format, 'header', problems);
  }
  // An unknown header format has no variables: no values are accepted, and upstream checks what it needs.
  const texts = fillTexts(header.variables, given, chooseForm(given), 'header', problems).map(
    ({ text }) => text,
  );
  if (header.format === 'LOCATION') return placeOf(texts);
  const type = fileTypes.get(header.format);
  const [link] = texts;
  return type === undefined || link === undefined ? [] : [{ type, link }];
}

const fileTypes = new Map<string, 'image' | 'video' | 'document'>([
  ['IMAGE', 'image'],
  ['VIDEO', 'video'],
  ['DOCUMENT', 'document'],
]);

function placeOf([latitude, longitude, name, address]: readonly string[]): HeaderParameter[] {
  if (latitude === undefined || longitude === undefined || name === undefined || address === undefined)
    return [];
  return [{ type: 'location', latitude, longitude, name, address }];
}

/** Values of files and locations have fixed names: they are accepted as a list or by name in every template. */
function chooseForm(given: GivenTexts | null | undefined): ParameterFormat {
  return given == null || Array.isArray(given) ? 'positional' : 'named';
}

/** Fills the buttons that take a value. `code`: the body's first value; a one-time code fills the button as well as the text. [upstream §3.2] */
function fillButtons(
  buttons: readonly ButtonPart[],
  given: readonly { index: number; value: string }[],
  code: string | null,
  problems: Problems,
): FilledButton[] {
  const values = new Map<number, string>();
  for (const [place, { index, value }] of given.entries()) {
    const problem = buttonProblem(
      buttons.find((button) => button.index === index),
      value,
      values.has(index),
      code,
    );
    if (problem === null) values.set(index, value);
    else problems.add(['body', 'variables', 'buttons', place], problem);
    if (problems.isFull) break;
  }
  const refused = new Set(given.map(({ index }) => index));
  return buttons.flatMap(({ index, type, fills, isNeeded, isCode, defaultValue }) => {
    const value = values.get(index) ?? (isCode ? code : defaultValue) ?? undefined;
    if (value !== undefined) return [{ index, fills, value }];
    if (isNeeded && !refused.has(index) && !isCode)
      problems.missing(
        ['body', 'variables', 'buttons'],
        `a value for the ${type} button with index ${index}`,
      );
    return [];
  });
}

function buttonProblem(
  button: ButtonPart | undefined,
  value: string,
  isTwice: boolean,
  code: string | null,
): string | null {
  if (button === undefined) return 'the template has no button with this index that takes a value';
  if (isTwice) return 'a button can have only one value';
  if (button.isCode && value !== code) return 'the button must have the same code as the body';
  return button.fills === 'quick_reply' || button.fills === 'flow'
    ? valueProblem(value)
    : urlValueProblem(value, button.fills);
}
