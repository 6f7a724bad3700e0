import { bagOf, listOf, textOf, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import type { Template } from './model.ts';
import { variablesOf } from './variables.ts';

export const categories: readonly string[] = ['MARKETING', 'UTILITY', 'AUTHENTICATION'];
const headerFormats = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'];
const buttonLimits: Readonly<Record<string, number>> = {
  QUICK_REPLY: 10, URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, OTP: 1, FLOW: 1, CATALOG: 1, MPM: 1, SPM: 1, VOICE_CALL: 1,
}; // prettier-ignore

/** A refusal of the template edge: `message` says little, the user texts tell [upstream protocol 6.4]. */
export function templateError(
  subcode: number | undefined,
  userTitle: string,
  userMessage: string,
): GraphError {
  return new GraphError({
    code: 100,
    subcode,
    message: 'Invalid parameter',
    isTransient: false,
    userTitle,
    userMessage,
  });
}

/**
 * The components, upper-cased where upstream ignores case, or GraphError 100 with the subcode of the broken rule
 * [upstream protocol 6.2, 6.4].
 */
export function checkComponents(
  value: unknown,
  category: string,
  format: Template['parameterFormat'],
): Bag[] {
  const list = listOf(value);
  if (!list || list.length === 0)
    throw templateError(undefined, 'Missing components', 'The parameter components is required.');
  const components = list.map((item) => normal(bagOf(item) ?? {}));
  const body = components.filter((component) => component.type === 'BODY');
  if (body.length !== 1)
    throw templateError(
      2388072,
      'Message template "components" param is missing expected field(s)',
      'A template needs exactly one BODY.',
    );
  for (const component of components) checkComponent(component, category, format);
  return components;
}

function normal(component: Bag): Bag {
  const type = textOf(component.type)?.toUpperCase() ?? '';
  const isHeader = type === 'HEADER';
  const buttons = (listOf(component.buttons) ?? []).map((item) => {
    const button = bagOf(item) ?? {};
    return { ...button, type: textOf(button.type)?.toUpperCase() ?? '' };
  });
  return {
    ...component,
    type,
    ...(isHeader ? { format: textOf(component.format)?.toUpperCase() ?? 'TEXT' } : {}),
    ...(type === 'BUTTONS' ? { buttons } : {}),
  };
}

function checkComponent(component: Bag, category: string, format: Template['parameterFormat']): void {
  const text = textOf(component.text) ?? '';
  switch (component.type) {
    case 'HEADER':
      return checkHeader(component, text, format);
    case 'BODY':
      return category === 'AUTHENTICATION' ? checkFixedBody(text) : checkBody(component, text, format);
    case 'FOOTER':
      return checkFooter(text);
    case 'BUTTONS':
      return checkButtons(listOf(component.buttons) ?? []);
    default:
      throw templateError(
        undefined,
        'Invalid parameter',
        `Component type ${String(component.type)} is not supported.`,
      );
  }
}

function checkHeader(component: Bag, text: string, format: Template['parameterFormat']): void {
  const shown = textOf(component.format) ?? '';
  if (!headerFormats.includes(shown))
    throw templateError(
      2388047,
      'Message header format is incorrect',
      `Header format ${shown} is not known.`,
    );
  if (shown !== 'TEXT') return;
  if (text.length > 60) throw tooLong('header', 60);
  if (text === '' || variablesOf(text).length > 1)
    throw templateError(
      2388047,
      'Message header format is incorrect',
      'A text header has text and at most one variable.',
    );
  checkExamples(component, variablesOf(text), format, 'header_text');
}

function checkFixedBody(text: string): void {
  if (text !== '')
    throw templateError(
      2388072,
      'Message body format is incorrect',
      'The text of an authentication template is fixed.',
    );
}

function checkBody(component: Bag, text: string, format: Template['parameterFormat']): void {
  if (text.trim() === '')
    throw templateError(2388072, 'Message body format is incorrect', 'The body needs text.');
  if (text.length > 1024) throw tooLong('body', 1024);
  const variables = variablesOf(text);
  // The protocol's own example starts with `{{first_name}},`: a sign after the variable counts as text.
  if (/^\s*\{\{[^{}]*\}\}(?:\s|$)|\}\}\s*$/.test(text)) {
    throw templateError(
      2388299,
      'Variables can’t be at the start or end of the template',
      'Add words before or after the variable.',
    );
  }
  if (/\}\}\s*\{\{/.test(text))
    throw templateError(
      2388072,
      'Message body format is incorrect',
      'Two variables stand next to each other.',
    );
  if (variables.length > 0 && text.split(/\s+/).length < variables.length * 2 + 1) {
    throw templateError(
      2388293,
      'This template has too many variables for its length',
      'Reduce the number of variables or increase the message length.',
    );
  }
  checkNames(variables, format);
  checkExamples(component, variables, format, 'body_text');
}

function checkNames(variables: readonly string[], format: Template['parameterFormat']): void {
  const isRight =
    format === 'NAMED'
      ? variables.every((name) => /^[a-z][a-z0-9_]*$/.test(name))
      : variables.every((name) => /^\d+$/.test(name));
  const isCounted =
    format === 'NAMED' || variables.every((_name, place) => variables.includes(String(place + 1)));
  if (!isRight || !isCounted)
    throw templateError(
      2388072,
      'Message body format is incorrect',
      'The variables do not fit the parameter format.',
    );
}

function checkExamples(
  component: Bag,
  variables: readonly string[],
  format: Template['parameterFormat'],
  key: string,
): void {
  if (variables.length === 0) return;
  const example = bagOf(component.example);
  const named = listOf(example?.[`${key}_named_params`]) ?? [];
  const positional = listOf(example?.[key]) ?? [];
  const first = positional[0];
  const count = format === 'NAMED' ? named.length : Array.isArray(first) ? first.length : positional.length;
  if (count < variables.length) {
    throw templateError(
      undefined,
      'Missing example',
      `Component of type ${String(component.type)} is missing expected field(s) (example)`,
    );
  }
}

function checkFooter(text: string): void {
  if (text.length > 60) throw tooLong('footer', 60);
  if (variablesOf(text).length > 0)
    throw templateError(2388073, 'Message footer format is incorrect', 'The footer cannot have variables.');
}

function checkButtons(buttons: readonly unknown[]): void {
  if (buttons.length === 0 || buttons.length > 10)
    throw templateError(undefined, 'Invalid parameter', 'A template has one to ten buttons.');
  const counts = new Map<string, number>();
  for (const item of buttons) {
    const button = bagOf(item) ?? {};
    const type = textOf(button.type) ?? '';
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const limit = buttonLimits[type];
    if (limit === undefined)
      throw templateError(undefined, 'Invalid parameter', `Button type ${type} is not supported.`);
    if (count > limit)
      throw templateError(undefined, 'Invalid parameter', `At most ${limit} buttons of type ${type}.`);
    if ((textOf(button.text) ?? '').length > 25) throw tooLong('button', 25);
    checkButton(type, button);
  }
}

function checkButton(type: string, button: Bag): void {
  if ((type === 'QUICK_REPLY' || type === 'URL') && (textOf(button.text) ?? '') === '') {
    throw templateError(undefined, 'Invalid parameter', `A ${type} button needs text.`);
  }
  const url = textOf(button.url);
  if (type !== 'URL') return;
  if (url === undefined || url.length > 2000)
    throw templateError(
      undefined,
      'Invalid parameter',
      'A URL button needs a url of at most 2000 characters.',
    );
  if (
    variablesOf(url).length > 0 &&
    (listOf(button.example) ?? []).length === 0 &&
    textOf(button.example) === undefined
  ) {
    throw templateError(
      undefined,
      'Missing example',
      'buttons: Component of type URL is missing expected field(s) (example)',
    );
  }
}

function tooLong(what: string, limit: number): GraphError {
  return templateError(
    2388040,
    'The character limit has been exceeded',
    `The ${what} has more than ${limit} characters.`,
  );
}
