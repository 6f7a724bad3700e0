/**
 * Templates that users of comparable projects could not send: a flow button that no variable names is refused with 131009 unless the send
 * names the button [juspay/clairvoyance, chatwoot/chatwoot, Bindambc/whatsapp-business-java-api]; templates with order details need
 * parts that `variables` have no place for. What is sent of cards, offers and products: `spec/send-template-parts`.
 */
import { describe, expect, test } from '@jest/globals';
import { fillTemplate } from '../../src/features/templates/rules/fill.ts';
import { unfillablePart, whyUnsendable } from '../../src/features/templates/rules/sendable.ts';
import { upstreamKindOf } from '../../src/upstream/kinds.ts';
import type { Json } from '../../src/kernel/json.ts';
import { thrownBy } from '../rules/samples.ts';

const templateOf = (...components: Json[]) => ({
  name: 'order_ready',
  language: 'en',
  category: 'MARKETING',
  status: 'APPROVED',
  parameterFormat: 'positional' as const,
  components: [{ type: 'BODY', text: 'Your order is ready.' }, ...components],
});
const withButtons = (...buttons: Json[]) => templateOf({ type: 'BUTTONS', buttons });
const reply = { type: 'QUICK_REPLY', text: 'Yes' };
const flow = { type: 'FLOW', text: 'Book', flow_id: '7' };

test('a flow button without a value is named in the send, with the token that upstream uses by default', () => {
  const template = fillTemplate(withButtons(reply, flow), null);
  const content = { type: 'template', template } as const;
  const body = upstreamKindOf('chatapp').send.body({ messageId: 'm', recipient: '4915900000777', content });
  expect(body).toMatchObject({
    template: {
      components: [
        {
          type: 'button',
          sub_type: 'flow',
          index: '1',
          parameters: [{ type: 'action', action: { flow_token: 'unused' } }],
        },
      ],
    },
  });
});

describe.each([
  ['order details', withButtons({ type: 'ORDER_DETAILS', text: 'Pay' })],
  ['an order status', templateOf({ type: 'ORDER_STATUS' })],
])('a template with %s', (shown, template) => {
  const why = `The template shows ${shown}, which this service cannot fill`;

  test('is listed as unsendable, with why', () => {
    expect(whyUnsendable(template)).toBe(why);
  });

  test('is refused before upstream is called', () => {
    expect(thrownBy(() => fillTemplate(template, null))).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'template_name'], msg: expect.stringContaining(why) }],
    });
  });
});

test('a template that is not approved says so; one with plain buttons can be sent', () => {
  expect(whyUnsendable({ ...templateOf(), status: 'PAUSED' })).toBe('Its status is PAUSED, not APPROVED');
  expect(whyUnsendable(withButtons(reply, flow, { type: 'VOICE_CALL', text: 'Call' }))).toBeNull();
  expect(unfillablePart({ components: [{ type: 'BUTTONS', buttons: 'none' }] })).toBeNull();
});
