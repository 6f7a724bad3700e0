import { asBag, asList, asText, type Bag } from './bag.ts';
import { badParameter, GraphError } from './graph-error.ts';
import type { Offer, Template, Waba } from './model.ts';
import type { Settings } from './settings.ts';
import { cardsSent, checkWholeParts } from './template-send-parts.ts';
import { checkButtonSends } from './template-send-buttons.ts';
import { quickRepliesIn } from './template-presses.ts';
import { variablesOf } from './variables.ts';

const maxBody = 1024;

/** The rendered body of a template send, the file of its header, if there is one, and what can be pressed. */
type TemplateContent = {
  readonly text: string;
  readonly category: string;
  readonly quickReplies: Offer['choices'];
  readonly media: {
    readonly type: string;
    readonly link: string | undefined;
    readonly id: string | undefined;
  } | null;
};

/**
 * Checks a template send against the template. Throws GraphError 132001 (unknown or not approved), 132015 (paused), 132016 (disabled),
 * 132000 (number of parameters), 132012 (format), 132018 (text of a parameter), 132005 (too long), 131008 [upstream protocol 3.2, 3.5].
 */
export function checkTemplateSend(settings: Settings, waba: Waba, send: Bag): TemplateContent {
  const name = asText(send.name);
  const language = asBag(send.language);
  const code = asText(language?.code);
  if (name === undefined || code === undefined) {
    throw new GraphError({
      code: 131008,
      details: "The parameters template['name'] and template['language'] are required.",
    });
  }
  if (language?.policy !== undefined && language.policy !== 'deterministic')
    throw badParameter('Invalid parameter', "Param template['language']['policy'] must be deterministic.");
  const template = sendable(waba, name, code);
  const given = (asList(send.components) ?? []).map((item) => asBag(item) ?? {});
  if (settings.template_parts) checkWholeParts(template, given);
  const cards = settings.template_parts ? cardsSent(template, given) : [];
  for (const { card, given: sent } of cards) checkParts(card, sent);
  const content = checkParts(template, given);
  const quickReplies = quickRepliesIn([{ card: template, given }, ...cards]);
  return { ...content, category: template.category, quickReplies };
}

/** Checks what a template and each card of a carousel have: header, buttons and body. */
function checkParts(template: Template, given: readonly Bag[]): Pick<TemplateContent, 'text' | 'media'> {
  const parts = (type: string): Bag[] => given.filter((part) => asText(part.type)?.toLowerCase() === type);
  const stranger = given.find((part) => !partTypes.has(asText(part.type)?.toLowerCase() ?? ''));
  if (stranger)
    throw badParameter('Invalid parameter', `Component type ${String(stranger.type)} is not supported.`);
  const media = checkHeader(template, only(parts('header'), 'header'));
  checkButtonSends(template, parts('button'));
  const text = checkTextPart(template, 'BODY', only(parts('body'), 'body'));
  return { media, text };
}

const partTypes = new Set(['header', 'body', 'button', 'footer', 'limited_time_offer', 'carousel']);

function only(parts: readonly Bag[], type: string): Bag | undefined {
  if (parts.length > 1) throw badParameter('Invalid parameter', `There is more than one ${type} component.`);
  return parts[0];
}

function sendable(waba: Waba, name: string, language: string): Template {
  const template = waba.templates.find((version) => version.name === name && version.language === language);
  if (template?.status === 'PAUSED')
    throw new GraphError({ code: 132015, details: `template name (${name}) is paused` });
  if (template?.status === 'DISABLED')
    throw new GraphError({ code: 132016, details: `template name (${name}) is disabled` });
  if (template?.status !== 'APPROVED')
    throw new GraphError({ code: 132001, details: `template name (${name}) does not exist in ${language}` });
  return template;
}

function partOf(template: Template, type: string): Bag | undefined {
  return template.components.find((part) => asText(part.type)?.toUpperCase() === type);
}

function parametersOf(given: Bag | undefined): Bag[] {
  return (asList(given?.parameters) ?? []).map((item) => asBag(item) ?? {});
}

/** Checks the header: a text header like the body; any other takes one parameter of its own type. */
function checkHeader(template: Template, given: Bag | undefined): TemplateContent['media'] {
  const component = partOf(template, 'HEADER');
  const format = asText(component?.format) ?? 'TEXT';
  if (component === undefined || format === 'TEXT') {
    checkTextPart(template, 'HEADER', given);
    return null;
  }
  const [parameter, ...more] = parametersOf(given);
  const type = asText(parameter?.type)?.toLowerCase() ?? 'unknown';
  if (more.length > 0) throw wrongCount('header', more.length + 1, 1);
  if (type !== format.toLowerCase())
    throw wrongFormat(`header: Format mismatch, expected ${format}, received ${type.toUpperCase()}`);
  const file = asBag(parameter?.[type]);
  if (type === 'location') return checkPlace(file);
  if (type === 'product') return checkProduct(file);
  const [link, id] = [asText(file?.link), asText(file?.id)];
  if (link === undefined && id === undefined)
    throw new GraphError({ code: 131008, details: `header: ${type} needs a link or an id` });
  if (link !== undefined && !URL.canParse(link))
    throw badParameter('Invalid parameter', `Param ${type}['link'] is not a valid URL.`);
  return { type, link, id };
}

function checkPlace(place: Bag | undefined): null {
  const isWhole = ['latitude', 'longitude'].every((name) => asText(place?.[name]) !== undefined);
  if (!isWhole)
    throw new GraphError({ code: 131008, details: 'header: location needs latitude and longitude' });
  return null;
}

function checkProduct(product: Bag | undefined): null {
  const isWhole = ['product_retailer_id', 'catalog_id'].every(
    (name) => asText(product?.[name]) !== undefined,
  );
  if (!isWhole)
    throw new GraphError({
      code: 131008,
      details: 'header: product needs product_retailer_id and catalog_id',
    });
  return null;
}

function wrongFormat(details: string): GraphError {
  return new GraphError({ code: 132012, details });
}

function wrongCount(part: string, given: number, expected: number): GraphError {
  const details = `${part}: number of localizable_params (${given}) does not match the expected number of params (${expected})`;
  return new GraphError({ code: 132000, details });
}

/** Checks the parameters of a text part and returns the filled text. */
function checkTextPart(template: Template, type: 'HEADER' | 'BODY', given: Bag | undefined): string {
  const component = partOf(template, type);
  // [upstream protocol 3.2] The text of an authentication template is upstream's own and contains the code.
  const isFixed = type === 'BODY' && template.category === 'AUTHENTICATION';
  const text = isFixed ? '{{1}} is your verification code.' : (asText(component?.text) ?? '');
  const variables = variablesOf(text);
  const parameters = parametersOf(given);
  checkNaming(template, parameters);
  if (parameters.length !== variables.length)
    throw wrongCount(type.toLowerCase(), parameters.length, variables.length);
  const filled = fill(template, type.toLowerCase(), text, variables, parameters);
  if (type === 'BODY' && filled.length > maxBody)
    throw new GraphError({
      code: 132005,
      details: `body: the filled text has more than ${maxBody} characters`,
    });
  return filled;
}

function checkNaming(template: Template, parameters: readonly Bag[]): void {
  const isNamed = template.parameterFormat === 'NAMED';
  const wrong = parameters.find((parameter) => (asText(parameter.parameter_name) !== undefined) !== isNamed);
  if (!wrong) return;
  const details = isNamed
    ? 'Parameter name is missing or empty'
    : 'Parameter name is not expected for a positional template';
  throw new GraphError({ code: isNamed ? 100 : 132012, details });
}

function fill(
  template: Template,
  part: string,
  text: string,
  variables: readonly string[],
  parameters: readonly Bag[],
): string {
  return variables.reduce((filled, variable, place) => {
    const isMine = (parameter: Bag): boolean => asText(parameter.parameter_name) === variable;
    const parameter = template.parameterFormat === 'NAMED' ? parameters.find(isMine) : parameters[place];
    if (!parameter)
      throw new GraphError({ code: 132000, details: `${part}: parameter ${variable} is missing` });
    const value = valueOf(part, parameter);
    return filled.replaceAll(
      new RegExp(`\\{\\{\\s*${variable.replace(/[^\w]/g, '\\$&')}\\s*\\}\\}`, 'g'),
      () => value,
    );
  }, text);
}

function valueOf(part: string, parameter: Bag): string {
  const type = asText(parameter.type)?.toLowerCase() ?? '';
  if (!['text', 'currency', 'date_time'].includes(type))
    throw wrongFormat(`${part}: Format mismatch, expected TEXT, received ${type.toUpperCase() || 'UNKNOWN'}`);
  // A number is not text: upstream reports a missing text value.
  const value = type === 'text' ? parameter.text : asBag(parameter[type])?.fallback_value;
  if (typeof value !== 'string' || value === '')
    throw new GraphError({ code: 131008, details: `Parameter of type ${type} is missing text value` });
  if (/[\n\t]| {5}/.test(value)) {
    throw new GraphError({
      code: 132018,
      details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
    });
  }
  return value;
}
