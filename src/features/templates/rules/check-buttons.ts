/** Rules of buttons, which clients give in upstream's own shapes. [operator-interface §4; upstream §6.2] */
import { asList, asText } from '../../../kernel/json.ts';
import type { Json } from '../../../kernel/json.ts';
import { readUrl } from '../../../rules/url.ts';
import { placeholdersIn, readType } from '../../../rules/templates/parts.ts';
import type { Loc, Problems } from '../../../rules/templates/problems.ts';
import { maxCoupon, maxButtonUrl } from '../../../rules/templates/fill-texts.ts';

const maxButtons = 10;
const maxText = 25;
const maxPhone = 20;

interface ButtonRule {
  max: number;
  check: (button: Json, loc: Loc, problems: Problems) => void;
}

const noFurtherRules = (): void => undefined;

const rules = new Map<string, ButtonRule>([
  ['QUICK_REPLY', { max: maxButtons, check: checkText }],
  ['URL', { max: 2, check: checkUrl }],
  ['PHONE_NUMBER', { max: 1, check: checkPhone }],
  ['COPY_CODE', { max: 1, check: checkCoupon }],
  ['FLOW', { max: 1, check: checkFlow }],
  ['VOICE_CALL', { max: 1, check: checkText }],
  ...['CATALOG', 'MPM', 'SPM', 'REQUEST_CONTACT_INFO', 'APP'].map((type): [string, ButtonRule] => [
    type,
    { max: 1, check: noFurtherRules },
  ]),
]);

/** The buttons with their types in upper case. */
export function checkButtons(given: readonly Json[], loc: Loc, problems: Problems): Json[] {
  if (given.length === 0) problems.missing(loc, 'one to ten buttons');
  if (given.length > maxButtons) {
    problems.add(loc, `a template can have at most ${maxButtons} buttons`);
    return [];
  }
  const counts = new Map<string, number>();
  for (const [at, button] of given.entries()) checkButton(button, [...loc, at], counts, problems);
  checkGroups(given, loc, problems);
  return given.map((button) => ({ ...button, type: readType(button) }));
}

function checkButton(button: Json, loc: Loc, counts: Map<string, number>, problems: Problems): void {
  const type = readType(button);
  const rule = rules.get(type);
  if (rule === undefined) return problems.add([...loc, 'type'], whyNot(type));
  const count = (counts.get(type) ?? 0) + 1;
  counts.set(type, count);
  if (count > rule.max)
    problems.add([...loc, 'type'], `a template can have at most ${rule.max} ${type} buttons`);
  rule.check(button, loc, problems);
}

function whyNot(type: string): string {
  if (type === 'OTP') return 'OTP buttons are allowed in AUTHENTICATION templates only';
  return `must be ${[...rules.keys()].join(', ')} or, in AUTHENTICATION templates, OTP`;
}

/** Quick replies must be adjacent, before or after all other buttons. */
function checkGroups(given: readonly Json[], loc: Loc, problems: Problems): void {
  const isReply = given.map((button) => readType(button) === 'QUICK_REPLY');
  const changes = isReply.flatMap((is, at) => (at > 0 && is !== isReply[at - 1] ? [at] : []));
  const second = changes[1];
  if (second !== undefined)
    problems.add([...loc, second], 'quick replies and other buttons must not be mixed');
}

function checkText(button: Json, loc: Loc, problems: Problems): void {
  const text = problems.text(button['text'], [...loc, 'text'], maxText, 'the text of the button');
  if (text !== null && placeholdersIn(text).length > 0)
    problems.add([...loc, 'text'], 'the text of a button cannot have variables');
}

/** The variable of a URL is `{{1}}`, also in named templates. */
function checkUrl(button: Json, loc: Loc, problems: Problems): void {
  checkText(button, loc, problems);
  const url = problems.text(button['url'], [...loc, 'url'], maxButtonUrl, 'the URL of the button');
  if (url === null) return;
  const start = url.endsWith('{{1}}') ? url.slice(0, -'{{1}}'.length) : url;
  if (/[{}]/.test(start)) problems.add([...loc, 'url'], 'can have only one variable, {{1}}, at its end');
  else checkStart(start, [...loc, 'url'], problems);
  if (start === url) return;
  const examples = asList(button['example']).filter((text) => asText(text) !== null);
  if (examples.length !== 1 && asText(button['example']) === null)
    problems.missing([...loc, 'example'], 'an example of the URL, as ["…"]');
}

function checkStart(url: string, loc: Loc, problems: Problems): void {
  const read = readUrl(url, { allowInsecure: true });
  if ('problem' in read) problems.add(loc, read.problem);
}

function checkPhone(button: Json, loc: Loc, problems: Problems): void {
  checkText(button, loc, problems);
  problems.text(button['phone_number'], [...loc, 'phone_number'], maxPhone, 'the number to call');
}

/** Upstream accepts the example as text or as a list of one. */
function checkCoupon(button: Json, loc: Loc, problems: Problems): void {
  const example = Array.isArray(button['example']) ? asList(button['example'])[0] : button['example'];
  problems.text(example, [...loc, 'example'], maxCoupon, 'an example of the code');
}

function checkFlow(button: Json, loc: Loc, problems: Problems): void {
  checkText(button, loc, problems);
  if (['flow_id', 'flow_name', 'flow_json'].every((member) => asText(button[member]) === null))
    problems.missing([...loc, 'flow_id'], 'flow_id, flow_name or flow_json');
}

const otpTypes = ['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'];

/** An authentication template has exactly one button, which passes the code on. */
export function checkOtpButtons(given: readonly Json[], loc: Loc, problems: Problems): Json[] {
  const [button] = given;
  if (button === undefined || given.length > 1 || readType(button) !== 'OTP') {
    problems.add(loc, 'an AUTHENTICATION template has exactly one button, of type OTP');
    return [];
  }
  const otpType = asText(button['otp_type'])?.toUpperCase() ?? '';
  if (!otpTypes.includes(otpType)) problems.add([...loc, 0, 'otp_type'], `must be ${otpTypes.join(', ')}`);
  const text = button['text'];
  if (text != null) problems.text(text, [...loc, 0, 'text'], maxText, 'the text of the button');
  const isForApps = otpType === 'ONE_TAP' || otpType === 'ZERO_TAP';
  if (isForApps && asList(button['supported_apps']).length === 0)
    problems.missing([...loc, 0, 'supported_apps'], 'the apps that take the code');
  return [{ ...button, type: 'OTP', otp_type: otpType }];
}
