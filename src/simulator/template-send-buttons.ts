import { asBag, asList, asText, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import type { Template } from './model.ts';
import { variablesOf } from './variables.ts';

/** How a send fills a button of a template: the sub_type, and the type and member of its parameter [upstream protocol 3.2]. */
type Filling = { readonly subType: string; readonly type: string; readonly member: string };

const fillings: Readonly<Record<string, Filling>> = {
  URL: { subType: 'url', type: 'text', member: 'text' },
  OTP: { subType: 'url', type: 'text', member: 'text' },
  QUICK_REPLY: { subType: 'quick_reply', type: 'payload', member: 'payload' },
  COPY_CODE: { subType: 'copy_code', type: 'coupon_code', member: 'coupon_code' },
  FLOW: { subType: 'flow', type: 'action', member: 'action' },
  CATALOG: { subType: 'catalog', type: 'action', member: 'action' },
  MPM: { subType: 'mpm', type: 'action', member: 'action' },
  ORDER_DETAILS: { subType: 'order_details', type: 'action', member: 'action' },
};
const maxCode = 15;

/** Checks the button components of a send against the template's buttons. Throws GraphError 132000, 132012, 132018 or 131008. */
export function checkButtonSends(template: Template, given: readonly Bag[]): void {
  const component = template.components.find((part) => asText(part.type)?.toUpperCase() === 'BUTTONS');
  const buttons = (asList(component?.buttons) ?? []).map((item) => asBag(item) ?? {});
  const filled = new Set<number>();
  for (const part of given) {
    const index = Number(asText(part.index) ?? '-1');
    const button = buttons[index];
    if (!button || filled.has(index))
      throw new GraphError({ code: 132000, details: `button: no button to fill at index ${index}` });
    filled.add(index);
    checkFilling(button, index, part);
  }
  buttons.forEach((button, index) => {
    if (!isNeeded(button) || filled.has(index)) return;
    throw new GraphError({
      code: 131008,
      details: `buttons: Button at index ${index} of type ${shownType(button)} requires a parameter`,
    });
  });
}

function typeOf(button: Bag): string {
  return asText(button.type)?.toUpperCase() ?? '';
}

function shownType(button: Bag): string {
  const type = typeOf(button);
  return type.charAt(0) + type.slice(1).toLowerCase();
}

function isNeeded(button: Bag): boolean {
  const type = typeOf(button);
  return type === 'OTP' || type === 'COPY_CODE' || (type === 'URL' && hasVariable(button));
}

function hasVariable(button: Bag): boolean {
  return variablesOf(asText(button.url) ?? '').length > 0;
}

function checkFilling(button: Bag, index: number, part: Bag): void {
  const filling = fillings[typeOf(button)];
  const subType = asText(part.sub_type)?.toLowerCase() ?? '';
  if (!filling || filling.subType !== subType) {
    const details = `buttons: Format mismatch at index ${index}, expected ${filling?.subType ?? 'none'}, received ${subType}`;
    throw new GraphError({ code: 132012, details });
  }
  const parameters = (asList(part.parameters) ?? []).map((item) => asBag(item) ?? {});
  const expected = typeOf(button) === 'URL' && !hasVariable(button) ? 0 : 1;
  // Upstream's page on catalog templates: without `parameters` the picture is that of the catalog's first product.
  if (subType === 'catalog' && parameters.length === 0) return;
  if (parameters.length !== expected) {
    const details = `buttons: number of localizable_params (${parameters.length}) does not match the expected number of params (${expected})`;
    throw new GraphError({ code: 132000, details });
  }
  for (const parameter of parameters) checkParameter(filling, index, parameter);
}

function checkParameter({ subType, type, member }: Filling, index: number, parameter: Bag): void {
  if (asText(parameter.type)?.toLowerCase() !== type)
    throw new GraphError({
      code: 132012,
      details: `buttons: Parameter at index ${index} must be of type ${type}`,
    });
  if (type === 'action') return checkAction(subType, index, asBag(parameter.action));
  const value = parameter[member];
  if (typeof value !== 'string' || value === '')
    throw new GraphError({
      code: 131008,
      details: `buttons: Parameter at index ${index} is missing ${member}`,
    });
  const isBad = /\s/.test(value) && type !== 'payload';
  if (isBad || (type === 'coupon_code' && value.length > maxCode))
    throw new GraphError({
      code: 132018,
      details: `buttons: Parameter at index ${index} is not a valid ${member}`,
    });
}

/** Sections of an MPM button: 1 to 10, with 1 to 30 products in all [upstream's page on these templates]. */
function checkAction(subType: string, index: number, action: Bag | undefined): void {
  if (subType !== 'mpm') return;
  const sections = (asList(action?.sections) ?? []).map((item) => asList(asBag(item)?.product_items) ?? []);
  const products = sections.flat();
  const isWhole =
    asText(action?.thumbnail_product_retailer_id) !== undefined &&
    sections.length > 0 &&
    sections.every((items) => items.length > 0) &&
    products.every((item) => asText(asBag(item)?.product_retailer_id) !== undefined);
  if (!isWhole)
    throw new GraphError({ code: 131008, details: `buttons: Button at index ${index} needs its products` });
  if (sections.length > 10 || products.length > 30)
    throw new GraphError({
      code: 131009,
      details: `buttons: Button at index ${index} has too many products`,
    });
}
