import { asBag, asList, asText, type Bag } from './bag.ts';
import type { GraphError } from './graph-error.ts';
import type { Template } from './model.ts';
import { missingExample, templateError, tooLong } from './template-error.ts';
import { variablesOf } from './variables.ts';

type Format = Template['parameterFormat'];

const mediaFormats = ['IMAGE', 'VIDEO', 'DOCUMENT', 'GIF'];
const maxHeader = 60;
const maxBody = 1024;
const maxFooter = 60;

function badHeader(userMessage: string): GraphError {
  return templateError(2388047, 'Message header format is incorrect', userMessage);
}

function badBody(userMessage: string): GraphError {
  return templateError(2388072, 'Message body format is incorrect', userMessage);
}

/** Checks a header: text with at most one variable, a file with an example, or a location. */
export function checkHeader(component: Bag, format: Format): void {
  const shown = asText(component.format) ?? '';
  if (mediaFormats.includes(shown)) return checkSample(component);
  if (shown === 'LOCATION') return;
  if (shown !== 'TEXT') throw badHeader(`Header format ${shown} is not known.`);
  const text = asText(component.text) ?? '';
  const variables = variablesOf(text);
  if (text.length > maxHeader) throw tooLong('header', maxHeader);
  if (text.trim() === '' || variables.length > 1)
    throw badHeader('A text header has text and at most one variable.');
  if (!areNamed(variables, format)) throw badHeader('The variables do not fit the parameter format.');
  checkExamples(component, variables, format, 'header_text');
}

function checkSample(component: Bag): void {
  const handles = asList(asBag(component.example)?.header_handle) ?? [];
  if (handles.length === 0) throw missingExample('Component of type HEADER');
}

/** Checks a body: text with words around its variables, and an example of each. */
export function checkBody(component: Bag, format: Format): void {
  const text = asText(component.text) ?? '';
  if (text.trim() === '') throw badBody('The body needs text.');
  if (text.length > maxBody) throw tooLong('body', maxBody);
  const variables = variablesOf(text);
  // The protocol's own example starts with `{{first_name}},`: punctuation after the variable counts as text.
  if (/^\s*\{\{[^{}]*\}\}(?:\s|$)|\}\}\s*$/.test(text)) {
    throw templateError(
      2388299,
      'Variables can’t be at the start or end of the template',
      'Add words before or after the variable.',
    );
  }
  if (/\}\}\s*\{\{/.test(text)) throw badBody('Two variables stand next to each other.');
  if (variables.length > 0 && text.split(/\s+/).length < variables.length * 2 + 1) {
    throw templateError(
      2388293,
      'This template has too many variables for its length',
      'Reduce the number of variables or increase the message length.',
    );
  }
  if (!areNamed(variables, format)) throw badBody('The variables do not fit the parameter format.');
  checkExamples(component, variables, format, 'body_text');
}

/** Whether the variables fit the format: named ones are lowercase words, positional ones count from 1 without a gap. */
function areNamed(variables: readonly string[], format: Format): boolean {
  if (format === 'NAMED') return variables.every((name) => /^[a-z][a-z0-9_]*$/.test(name));
  return variables.every((_name, place) => variables.includes(String(place + 1)));
}

function checkExamples(component: Bag, variables: readonly string[], format: Format, key: string): void {
  if (variables.length === 0) return;
  const example = asBag(component.example);
  const given = format === 'NAMED' ? namedSamples(example, key) : positionalSamples(example, key);
  const isWhole =
    format === 'NAMED'
      ? variables.every((name) => given.includes(name))
      : given.filter((sample) => sample !== '').length === variables.length;
  if (!isWhole) throw missingExample(`Component of type ${String(asText(component.type))}`);
}

/** The names that have an example. */
function namedSamples(example: Bag | undefined, key: string): string[] {
  const samples = (asList(example?.[`${key}_named_params`]) ?? []).map((item) => asBag(item) ?? {});
  return samples
    .filter((sample) => (asText(sample.example) ?? '') !== '')
    .map((sample) => asText(sample.param_name) ?? '');
}

/** Positional examples: a list of lists for a body, a flat list for a header. */
function positionalSamples(example: Bag | undefined, key: string): string[] {
  const list = asList(example?.[key]) ?? [];
  const first: readonly unknown[] = Array.isArray(list[0]) ? list[0] : list;
  return first.map((sample) => asText(sample) ?? '');
}

/** Checks a footer: short text without variables. */
export function checkFooter(component: Bag): void {
  const text = asText(component.text) ?? '';
  if (text.length > maxFooter) throw tooLong('footer', maxFooter);
  if (text.trim() === '' || variablesOf(text).length > 0)
    throw templateError(
      2388073,
      'Message footer format is incorrect',
      'The footer has text and no variables.',
    );
}
