import { asBag, asList, asText, type Bag } from './bag.ts';
import type { Template } from './model.ts';
import { invalid, templateError } from './template-error.ts';
import { checkButtons } from './template-rules-buttons.ts';
import { checkBody, checkFooter, checkHeader } from './template-rules-text.ts';

export const categories: readonly string[] = ['MARKETING', 'UTILITY', 'AUTHENTICATION'];

/**
 * Returns the components, upper-cased where upstream ignores case, or throws GraphError 100 with the subcode of the violated rule [upstream
 * protocol 6.2, 6.4].
 */
export function checkComponents(
  value: unknown,
  category: string,
  format: Template['parameterFormat'],
  maxCoupon: number,
): Bag[] {
  const list = asList(value);
  if (!list || list.length === 0)
    throw templateError(undefined, 'Missing components', 'The parameter components is required.');
  const components = list.map((item) => normal(asBag(item) ?? {}));
  checkCounts(components);
  if (category === 'AUTHENTICATION') checkAuthentication(components);
  else for (const component of components) checkComponent(component, format, maxCoupon);
  return components;
}

function normal(component: Bag): Bag {
  const type = asText(component.type)?.toUpperCase() ?? '';
  const isHeader = type === 'HEADER';
  const buttons = (asList(component.buttons) ?? []).map((item) => {
    const button = asBag(item) ?? {};
    return { ...button, type: asText(button.type)?.toUpperCase() ?? '' };
  });
  return {
    ...component,
    type,
    ...(isHeader ? { format: asText(component.format)?.toUpperCase() ?? 'TEXT' } : {}),
    ...(type === 'BUTTONS' ? { buttons } : {}),
  };
}

function checkCounts(components: readonly Bag[]): void {
  const types = components.map((component) => asText(component.type) ?? '');
  if (types.filter((type) => type === 'BODY').length !== 1)
    throw templateError(
      2388072,
      'Message template "components" param is missing expected field(s)',
      'A template needs exactly one BODY.',
    );
  const twice = types.find((type, place) => types.indexOf(type) !== place);
  if (twice !== undefined) throw invalid(`There is more than one component of type ${twice}.`);
}

function checkComponent(component: Bag, format: Template['parameterFormat'], maxCoupon: number): void {
  switch (component.type) {
    case 'HEADER':
      return checkHeader(component, format);
    case 'BODY':
      return checkBody(component, format);
    case 'FOOTER':
      return checkFooter(component);
    case 'BUTTONS':
      return checkButtons(asList(component.buttons) ?? [], maxCoupon);
    default:
      throw invalid(`Component type ${String(asText(component.type))} is not supported.`);
  }
}

/** [upstream protocol 6.2] The texts of an authentication template are upstream's own; it has only options and one OTP button. */
function checkAuthentication(components: readonly Bag[]): void {
  for (const component of components) {
    if ((asText(component.text) ?? '') !== '')
      throw templateError(
        2388072,
        'Message body format is incorrect',
        'The text of an authentication template is fixed.',
      );
    if (!['BODY', 'FOOTER', 'BUTTONS'].includes(asText(component.type) ?? ''))
      throw invalid(`Component type ${String(asText(component.type))} is not supported here.`);
    if (component.type === 'FOOTER') checkExpiration(component.code_expiration_minutes);
  }
  const buttons = asList(components.find((component) => component.type === 'BUTTONS')?.buttons) ?? [];
  if (buttons.length !== 1 || asBag(buttons[0])?.type !== 'OTP')
    throw invalid('An authentication template has exactly one OTP button.');
  const otpType = asText(asBag(buttons[0])?.otp_type)?.toUpperCase() ?? '';
  if (!['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(otpType))
    throw invalid('An OTP button needs otp_type COPY_CODE, ONE_TAP or ZERO_TAP.');
}

function checkExpiration(minutes: unknown): void {
  if (minutes === undefined) return;
  const isWhole = typeof minutes === 'number' && Number.isInteger(minutes);
  if (!isWhole || minutes < 1 || minutes > 90)
    throw invalid('code_expiration_minutes must lie between 1 and 90.');
}
