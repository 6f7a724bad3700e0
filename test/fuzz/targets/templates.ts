/** Texts of templates: what a client creates, what upstream's list has, and what is filled into them. [upstream §3.2, §6] */
import { readTemplate } from '../../../src/upstream/chatapp/template-read.ts';
import { checkComponents } from '../../../src/features/templates/rules/check-components.ts';
import { fillTemplate } from '../../../src/features/templates/rules/fill.ts';
import { variablesSummary } from '../../../src/rules/templates/variables.ts';
import { noNetworks } from '../../../src/rules/address.ts';
import { sendTemplateRequest } from '../../../src/features/messages/schemas.ts';
import { templateCreateRequest } from '../../../src/features/templates/schemas.ts';
import { parseJson } from '../../../src/http/validation/parse-json.ts';
import { makeAjv } from '../../../src/http/validation/rules.ts';
import { Fault } from '../../../src/kernel/faults.ts';
import type { Target } from '../target.ts';

const ajv = makeAjv({ allowInsecure: false, allowedNetworks: noNetworks, ownUrls: [], ownHosts: [] });
const created = templateCreateRequest.compile(ajv);
const sent = sendTemplateRequest.compile(ajv);

const id = '11111111-1111-4111-8111-111111111111';
const send = (variables: unknown): unknown => ({
  channel_id: id,
  recipient: '4915900000777',
  template_name: 'order_ready',
  language: 'en_US',
  variables,
});
const body = {
  type: 'BODY',
  text: 'Dear {{1}}, order {{2}} is ready.',
  example: { body_text: [['Mia', 'A-1007']] },
};
const named = {
  type: 'BODY',
  text: 'Dear {{name}}.',
  example: { body_text_named_params: [{ param_name: 'name', example: 'Mia' }] },
};
const buttons = {
  type: 'BUTTONS',
  buttons: [
    { type: 'URL', text: 'See', url: 'https://x.example/{{1}}', example: ['https://x.example/a'] },
    { type: 'QUICK_REPLY', text: 'Yes' },
    { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100042' },
    { type: 'COPY_CODE', example: 'SAVE' },
  ],
};
const header = { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['A'] } };
const otp = [
  { type: 'BODY', add_security_recommendation: true },
  { type: 'FOOTER', code_expiration_minutes: 5 },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
];

const template = (components: unknown, more: object = {}): object => ({
  id: '900000000000091',
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components,
  ...more,
});

/** An input is a template and a send that fills it. */
export async function openTemplates(): Promise<Target> {
  const pairs: [object, unknown][] = [
    [template([body]), { body: ['Mia', 'A-1007'] }],
    [
      template([header, body, buttons]),
      { header: ['A'], body: ['a', 'b'], buttons: [{ index: 0, value: 'x' }] },
    ],
    [template([named], { parameter_format: 'named' }), { body: { name: 'Mia' } }],
    [template(otp, { category: 'AUTHENTICATION' }), { body: ['123456'] }],
    [
      template([{ type: 'HEADER', format: 'IMAGE' }, body]),
      { header: ['https://x.example/a.jpg'], body: ['a', 'b'] },
    ],
    [template([{ type: 'HEADER', format: 'LOCATION' }, body]), { header: { latitude: '1', longitude: '2' } }],
    [template([body, { type: 'FOOTER', text: 'Bye' }]), null],
  ];
  return {
    seeds: pairs.map(([first, variables]) => JSON.stringify([first, send(variables)])),
    maxBytes: 60_000,
    async run(input) {
      const read = outcome(() => parseJson(input));
      const [given, filling]: unknown[] = Array.isArray(read.value) ? read.value : [];
      const made = outcome(() => {
        const { parameter_format: parameterFormat = 'positional', ...rest } = created(withoutIds(given));
        return checkComponents(rest.components, { ...rest, parameterFormat });
      });
      const listed = readTemplate({ ...Object(given) });
      if (listed === null) return `${read.said} ${made.said}`;
      const summary = outcome(() => variablesSummary(listed));
      const filled = outcome(() => fillTemplate(listed, sent(filling).variables ?? null));
      return [read.said, made.said, summary.said, filled.said].join(' ');
    },
    close: async () => undefined,
  };
}

/** A template as a client writes it. */
function withoutIds(given: unknown): unknown {
  const { id: _id, status: _status, ...rest } = Object(given);
  return rest;
}

/** A refusal is a valid answer. */
function outcome<T>(work: () => T): { said: string; value: T | null } {
  try {
    return { said: 'done', value: work() };
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.status < 500) return { said: thrown.code, value: null };
    throw thrown;
  }
}
