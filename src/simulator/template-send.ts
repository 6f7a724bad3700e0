import { bagOf, listOf, textOf, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import type { Template, Waba } from './model.ts';

/** The distinct variables of a template text, in order: `{{1}}` gives `1`. */
export function variablesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{\s*([^{}]+?)\s*\}\}/g)].map((match) => match[1] ?? ''))];
}

/**
 * The rendered body of a template send. Throws GraphError 132001 (unknown or not approved), 132015 (paused), 132016 (disabled),
 * 132000 (number of parameters), 132012 (named against positional), 131008 [upstream protocol 3.2, 3.5].
 */
export function checkTemplateSend(waba: Waba, send: Bag): string {
  const name = textOf(send.name);
  const language = textOf(bagOf(send.language)?.code);
  if (name === undefined || language === undefined) {
    throw new GraphError({
      code: 131008,
      details: "The parameters template['name'] and template['language'] are required.",
    });
  }
  const template = sendable(waba, name, language);
  const components = (listOf(send.components) ?? []).map((item) => bagOf(item) ?? {});
  const given = components.map((component) => ({ type: textOf(component.type)?.toLowerCase(), component }));
  checkTextPart(template, 'HEADER', given.find((part) => part.type === 'header')?.component);
  checkButtons(
    template,
    given.filter((part) => part.type === 'button').map((part) => part.component),
  );
  return checkTextPart(template, 'BODY', given.find((part) => part.type === 'body')?.component);
}

function sendable(waba: Waba, name: string, language: string): Template {
  const versions = waba.templates.filter(
    (template) => template.name === name && template.status !== 'DELETED',
  );
  const template = versions.find((version) => version.language === language);
  if (template?.status === 'PAUSED')
    throw new GraphError({ code: 132015, details: `template name (${name}) is paused` });
  if (template?.status === 'DISABLED')
    throw new GraphError({ code: 132016, details: `template name (${name}) is disabled` });
  // A template on its way out still delivers [upstream protocol 6.3].
  const isSendable = template?.status === 'APPROVED';
  if (!template || !isSendable)
    throw new GraphError({ code: 132001, details: `template name (${name}) does not exist in ${language}` });
  return template;
}

/** Checks the parameters of header or body and fills them in; the text comes back. */
function checkTextPart(template: Template, type: string, given: Bag | undefined): string {
  const component = template.components.find((part) => textOf(part.type)?.toUpperCase() === type);
  const format = textOf(component?.format) ?? 'TEXT';
  const text = textOf(component?.text) ?? '';
  if (format !== 'TEXT') return text;
  const variables = variablesOf(text);
  const parameters = (listOf(given?.parameters) ?? []).map((item) => bagOf(item) ?? {});
  checkNaming(template, parameters);
  if (parameters.length !== variables.length) {
    const details = `${type.toLowerCase()}: number of localizable_params (${parameters.length}) does not match the expected number of params (${variables.length})`;
    throw new GraphError({ code: 132000, details });
  }
  return fill(template, text, variables, parameters);
}

function checkNaming(template: Template, parameters: readonly Bag[]): void {
  const isNamed = template.parameterFormat === 'NAMED';
  const wrong = parameters.find((parameter) => (textOf(parameter.parameter_name) !== undefined) !== isNamed);
  if (!wrong) return;
  const details = isNamed
    ? 'Parameter name is missing or empty'
    : 'Parameter name is not expected for a positional template';
  throw new GraphError({ code: isNamed ? 100 : 132012, details });
}

function fill(
  template: Template,
  text: string,
  variables: readonly string[],
  parameters: readonly Bag[],
): string {
  return variables.reduce((filled, variable, place) => {
    const isMine = (parameter: Bag): boolean => textOf(parameter.parameter_name) === variable;
    const parameter = template.parameterFormat === 'NAMED' ? parameters.find(isMine) : parameters[place];
    if (!parameter) throw new GraphError({ code: 132000, details: `body: parameter ${variable} is missing` });
    const value = textOf(parameter.text) ?? textOf(bagOf(parameter.currency)?.fallback_value) ?? '';
    if (value === '')
      throw new GraphError({ code: 131008, details: `Parameter of type text is missing text value` });
    if (/[\n\t]| {5}/.test(value)) {
      throw new GraphError({
        code: 132018,
        details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
      });
    }
    return filled.replaceAll(
      new RegExp(`\\{\\{\\s*${variable.replace(/[^\w]/g, '\\$&')}\\s*\\}\\}`, 'g'),
      () => value,
    );
  }, text);
}

function checkButtons(template: Template, given: readonly Bag[]): void {
  const component = template.components.find((part) => textOf(part.type)?.toUpperCase() === 'BUTTONS');
  const buttons = (listOf(component?.buttons) ?? []).map((item) => bagOf(item) ?? {});
  for (const part of given) {
    const index = Number(textOf(part.index) ?? '-1');
    if (!buttons[index])
      throw new GraphError({ code: 132000, details: `button: no button at index ${index}` });
  }
  buttons.forEach((button, index) => {
    const isNeeded = textOf(button.type) === 'URL' && variablesOf(textOf(button.url) ?? '').length > 0;
    const isGiven = given.some(
      (part) => Number(textOf(part.index) ?? '-1') === index && part.sub_type === 'url',
    );
    if (isNeeded && !isGiven) {
      throw new GraphError({
        code: 131008,
        details: `buttons: Button at index ${index} of type Url requires a parameter`,
      });
    }
  });
}
