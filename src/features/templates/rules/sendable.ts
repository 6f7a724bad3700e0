/** Which templates this service can send: some have parts that a send must fill and `variables` have no place for. [upstream §3.2] */
import { asList, asRecord } from '../../../kernel/json.ts';
import { onceFor } from '../../../kernel/once-for.ts';
import { readType } from '../../../rules/templates/parts.ts';
import { isSendable } from '../../../rules/templates/template.ts';
import type { Template } from '../../../rules/templates/template.ts';

// A guess, as the button: no list of upstream with such a template was seen. At worst it is listed as unsendable.
const components = new Map([
  ['ORDER_DETAILS', 'order details'],
  ['ORDER_STATUS', 'an order status'],
]);
const buttons = new Map([['ORDER_DETAILS', 'order details']]);

/** By the parsed `components`, which are replaced as a whole: lists and sends ask repeatedly of the same object. */
const readSendable = onceFor((parts: Template['components']) => ({
  unfillable: findUnfillable(parts),
  passesCode: hasCode(parts),
}));

/** The part that a send cannot fill, as a sentence; null if there is none. */
export function unfillablePart({ components: parts }: Pick<Template, 'components'>): string | null {
  return readSendable(parts).unfillable;
}

function findUnfillable(parts: Template['components']): string | null {
  for (const part of parts) {
    const shown = asList(part['buttons']).map((button) => buttons.get(readType(asRecord(button) ?? {})));
    const found = components.get(readType(part)) ?? shown.find((name) => name !== undefined);
    if (found !== undefined) return `The template shows ${found}, which this service cannot fill`;
  }
  return null;
}

/** Whether the template passes a one-time code on. Only a button of this type says so: a category alone may change. */
export function passesCode({ components: parts }: Pick<Template, 'components'>): boolean {
  return readSendable(parts).passesCode;
}

function hasCode(parts: Template['components']): boolean {
  return parts.some((part) =>
    asList(part['buttons']).some((button) => readType(asRecord(button) ?? {}) === 'OTP'),
  );
}

/** Why the template cannot be sent now; null if it can. */
export function whyUnsendable(template: Pick<Template, 'components' | 'status'>): string | null {
  return (
    unfillablePart(template) ??
    (isSendable(template) ? null : `Its status is ${template.status}, not APPROVED`)
  );
}
