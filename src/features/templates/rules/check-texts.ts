/** Rules of header, body and footer texts, and of examples for their variables. [upstream §6.2] */
import { asList, asRecord, reservedNames, asText } from '../../../kernel/json.ts';
import type { Json } from '../../../kernel/json.ts';
import type { ComponentInput, ParameterFormat } from '../../../rules/templates/template.ts';
import { placeholdersIn } from '../../../rules/templates/parts.ts';
import type { Loc, Problems } from '../../../rules/templates/problems.ts';

/** In code points, placeholders included. [upstream §6.2] */
export const templateTextLimits = { header: 60, body: 1_024, footer: 60 };

/** The header as upstream takes it; what is wrong is added to `problems`. */
export function checkHeader(
  given: ComponentInput,
  loc: Loc,
  format: ParameterFormat,
  problems: Problems,
): Json {
  if (given.format != null && given.format !== 'TEXT')
    problems.add([...loc, 'format'], 'the format of a header must be TEXT');
  const text = problems.text(
    given.text,
    [...loc, 'text'],
    templateTextLimits.header,
    'the text of the header',
  );
  const header = { type: 'HEADER', format: 'TEXT', text };
  if (text === null) return header;
  const names = checkVariables(text, [...loc, 'text'], format, problems);
  if (names.length > 1) problems.add([...loc, 'text'], 'a header can have at most one variable');
  return { ...header, ...checkExample(given, { key: 'header_text', names, format }, loc, problems) };
}

/** As `checkHeader`, of the body. */
export function checkBody(
  given: ComponentInput,
  loc: Loc,
  format: ParameterFormat,
  problems: Problems,
): Json {
  const text = problems.text(given.text, [...loc, 'text'], templateTextLimits.body, 'the text of the body');
  const body = { type: 'BODY', text };
  if (text === null) return body;
  const names = checkVariables(text, [...loc, 'text'], format, problems);
  checkSurroundings(text, [...loc, 'text'], problems);
  return { ...body, ...checkExample(given, { key: 'body_text', names, format }, loc, problems) };
}

/** As `checkHeader`, of the footer. */
export function checkFooter(given: ComponentInput, loc: Loc, problems: Problems): Json {
  const text = problems.text(
    given.text,
    [...loc, 'text'],
    templateTextLimits.footer,
    'the text of the footer',
  );
  if (text !== null && placeholdersIn(text).length > 0)
    problems.add([...loc, 'text'], 'a footer cannot have variables');
  return { type: 'FOOTER', text };
}

const variable = /\{\{[^{}\s]+\}\}/g;

/** The distinct names, or numbers, of the text's variables. */
function checkVariables(text: string, loc: Loc, format: ParameterFormat, problems: Problems): string[] {
  const rest = text.replaceAll(variable, '');
  if (rest.includes('{{') || rest.includes('}}'))
    problems.add(
      loc,
      'must not have double braces without a variable between them; a variable is written {{1}} or {{name}}',
    );
  const names = [...new Set([...text.matchAll(variable)].map(([braced]) => braced.slice(2, -2)))];
  const wrong = names.find((name) => !(format === 'named' ? isName(name) : isNumber(name)));
  if (wrong !== undefined) problems.add(loc, wrongName(wrong, format));
  else if (format === 'positional') checkCount(names, loc, problems);
  const reserved = names.find((name) => reservedNames.includes(name));
  if (wrong === undefined && reserved !== undefined) problems.add(loc, `{{${reserved}}} is a reserved name`);
  return names;
}

function isName(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name);
}

function isNumber(name: string): boolean {
  return /^[1-9][0-9]{0,3}$/.test(name);
}

function wrongName(name: string, format: ParameterFormat): string {
  const shown = `{{${name.slice(0, 100)}}}`;
  return format === 'named'
    ? `${shown} is not a name of lowercase letters, digits and underscores`
    : `${shown} is not a number; variables of a positional template are {{1}}, {{2}} and so on`;
}

function checkCount(names: readonly string[], loc: Loc, problems: Problems): void {
  for (let number = 1; number <= names.length; number += 1) {
    if (names.includes(String(number))) continue;
    return problems.add(loc, `variables are numbered from 1 without gaps: {{${number}}} is missing`);
  }
}

/** Punctuation after a variable counts as text: upstream's own example starts with `{{first_name}},`. */
function checkSurroundings(text: string, loc: Loc, problems: Problems): void {
  const trimmed = text.trim();
  if (/^\{\{[^{}]*\}\}(?:\s|$)/.test(trimmed)) problems.add(loc, 'must not start with a variable');
  if (trimmed.endsWith('}}')) problems.add(loc, 'must not end with a variable');
  if (/\}\}\s*\{\{/.test(text)) problems.add(loc, 'must have words between two variables');
}

interface Wanted {
  key: 'header_text' | 'body_text';
  names: readonly string[];
  format: ParameterFormat;
}

/** The given `example` if the text has variables: upstream's reviewers need one for each. */
function checkExample(
  given: ComponentInput,
  wanted: Wanted,
  loc: Loc,
  problems: Problems,
): { example?: Json | null } {
  if (wanted.names.length === 0) return {};
  const where = [...loc, 'example'];
  const example = asRecord(given.example);
  if (wanted.format === 'named') checkNamedExamples(example, wanted, where, problems);
  else checkExamples(example, wanted, where, problems);
  return { example };
}

function checkExamples(example: Json | null, { key, names }: Wanted, loc: Loc, problems: Problems): void {
  const given = example?.[key];
  const texts = key === 'body_text' ? asList(given)[0] : given;
  const shape = key === 'body_text' ? '[["…", "…"]]' : '["…"]';
  const count = asList(texts).filter((text) => asText(text) !== null).length;
  if (count === 0) problems.missing([...loc, key], `examples for the variables, as ${shape}`);
  else if (count !== names.length || asList(texts).length !== count)
    problems.add([...loc, key], `must have one text for each of the ${names.length} variables, as ${shape}`);
}

function checkNamedExamples(
  example: Json | null,
  { key, names }: Wanted,
  loc: Loc,
  problems: Problems,
): void {
  const member = `${key}_named_params`;
  const given = asList(example?.[member]).map(asRecord);
  const without = names.find((name) => !given.some((item) => isExampleFor(item, name)));
  const shape = '[{"param_name": "…", "example": "…"}]';
  if (without !== undefined) problems.missing([...loc, member], `an example for {{${without}}}, as ${shape}`);
  else if (given.length !== names.length)
    problems.add(
      [...loc, member],
      `must have one example for each of the ${names.length} variables, as ${shape}`,
    );
}

function isExampleFor(item: Json | null, name: string): boolean {
  return item?.['param_name'] === name && asText(item['example']) !== null;
}
