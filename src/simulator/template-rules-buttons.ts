import { asBag, asList, asText, type Bag } from './bag.ts';
import { invalid, missingExample, tooLong } from './template-error.ts';
import { variablesOf } from './variables.ts';

/** Most buttons of each type in a template [upstream protocol 6.2]. */
const limits: Readonly<Record<string, number>> = {
  QUICK_REPLY: 10, URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1, FLOW: 1, CATALOG: 1, MPM: 1, SPM: 1, VOICE_CALL: 1,
  REQUEST_CONTACT_INFO: 1, APP: 1,
}; // oxfmt-ignore
const maxButtons = 10;
const maxText = 25;
const maxUrl = 2000;
const maxPhone = 20;

/** Checks the number of buttons by type, their grouping, and the rules of each button. */
export function checkButtons(list: readonly unknown[], maxCoupon: number): void {
  if (list.length === 0 || list.length > maxButtons) throw invalid('A template has one to ten buttons.');
  const buttons = list.map((item) => asBag(item) ?? {});
  const types = buttons.map((button) => asText(button.type) ?? '');
  for (const type of new Set(types)) {
    const limit = limits[type];
    if (limit === undefined) throw invalid(`Button type ${type} is not supported.`);
    if (types.filter((other) => other === type).length > limit)
      throw invalid(`At most ${limit} buttons of type ${type}.`);
  }
  // Quick replies and other buttons form two groups, not interleaved.
  const isQuick = types.map((type) => type === 'QUICK_REPLY');
  if (isQuick.filter((quick, place) => place > 0 && quick !== isQuick[place - 1]).length > 1)
    throw invalid('Quick replies and other buttons must be grouped.');
  for (const button of buttons) checkButton(button, maxCoupon);
}

function checkButton(button: Bag, maxCoupon: number): void {
  const text = asText(button.text) ?? '';
  if (text.length > maxText) throw tooLong('button', maxText);
  const type = asText(button.type) ?? '';
  if (['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'FLOW'].includes(type) && text === '')
    throw invalid(`A ${type} button needs text.`);
  switch (type) {
    case 'URL':
      return checkUrl(button);
    case 'PHONE_NUMBER':
      return checkPhone(asText(button.phone_number) ?? '');
    case 'COPY_CODE':
      return checkCode(asText(button.example) ?? asText(asList(button.example)?.[0]) ?? '', maxCoupon);
    case 'FLOW':
      return checkFlow(button);
  }
}

function checkUrl(button: Bag): void {
  const url = asText(button.url) ?? '';
  const variables = variablesOf(url);
  if (!/^https?:\/\/./.test(url)) throw invalid('A URL button needs a url.');
  if (url.length > maxUrl) throw tooLong('url', maxUrl);
  if (variables.length === 0) return;
  if (variables.length > 1 || variables[0] !== '1' || !url.endsWith('}}'))
    throw invalid('The url of a button has one variable {{1}}, at its end.');
  const sample = asText(asList(button.example)?.[0]) ?? asText(button.example) ?? '';
  if (sample === '') throw missingExample('buttons: Component of type URL');
}

function checkPhone(phone: string): void {
  if (!/^\+?[0-9 ()-]+$/.test(phone)) throw invalid('A PHONE_NUMBER button needs a phone_number.');
  if (phone.length > maxPhone) throw tooLong('phone_number', maxPhone);
}

function checkCode(sample: string, maxCoupon: number): void {
  if (sample === '') throw missingExample('buttons: Component of type COPY_CODE');
  if (sample.length > maxCoupon) throw tooLong('coupon code', maxCoupon);
}

function checkFlow(button: Bag): void {
  const isNamed = ['flow_id', 'flow_name', 'flow_json'].some((name) => button[name] !== undefined);
  if (!isNamed) throw invalid('A FLOW button needs flow_id, flow_name or flow_json.');
}
