import { openRoute } from '../route.ts';
import type { RouteContext } from '../route.ts';
import { receiveBillingEvent } from './receive-billing-event.ts';
import { fault } from '../../kernel/faults.ts';
import { badSignature, signedWithinSeconds } from './billing.ts';
import { sendJson } from '../../http/answers.ts';
import { apiBodyLimit, readCounted } from '../../http/middleware/read-body.ts';
import type { Request, Response } from '../../http/route.ts';
import { flag, responseObject } from '../../http/validation/json-schema.ts';

/** [operator-interface §3, Billing] */
export const billingRoute = openRoute({
  post: '/billing/webhook',
  name: 'billingWebhook',
  contract: {
    tag: 'Payment provider',
    summary: 'Takes events of the payment provider, in the shapes of Stripe, signed over the raw body',
    description: 'Answers 404 unless `BILLING_WEBHOOK_SECRET` is set.',
    parameters: [
      {
        name: 'Stripe-Signature',
        in: 'header',
        required: true,
        schema: { type: 'string' },
        description:
          '`t=<Unix seconds>,v1=<hex>`: time of signing and HMAC-SHA256 of `<t>.<raw body>`; at most 300 seconds old',
      },
    ],
    errors: [400, 404, 413, 503],
    answers: {
      200: {
        contentType: 'application/json',
        schema: responseObject('BillingWebhookResponse', { received: flag }),
        description: 'The event took effect, or is of a kind that has no effect',
      },
    },
  },
  failures: 'json',
  isHere: ({ takesBilling }) => takesBilling,
  open: takeEvent,
});

/** Answers 200 only once the event is durable; if it can't be written, 503, so that the provider retries. */
async function takeEvent(request: Request, response: Response, context: RouteContext): Promise<void> {
  const signature = request.headers['stripe-signature'];
  if (!mayBeSignature(signature, context.clock.wall())) throw fault('bad_request', { why: badSignature });
  const raw = await readCounted(request, apiBodyLimit, context.bodyBudget, (body) => body);
  await receiveBillingEvent(context.world, raw, signature);
  sendJson(response, 200, { received: true });
}

const maxHeader = 1_000;

/**
 * Whether a `Stripe-Signature` can be valid: exactly one `t=`, not older than 300 s, and a `v1=`. A header that can't be valid is rejected
 * before the body is read. [operator-interface §3, Billing; faults: 92]
 */
function mayBeSignature(header: string | string[] | undefined, now: number): header is string {
  if (typeof header !== 'string' || header.length > maxHeader) return false;
  const items = header.split(',');
  const times = items.filter((item) => item.startsWith('t='));
  const [time = ''] = times;
  if (times.length !== 1 || !/^t=\d{1,12}$/.test(time)) return false;
  const ageSeconds = Math.floor(now / 1_000) - Number(time.slice(2));
  return ageSeconds <= signedWithinSeconds && items.some((item) => /^v1=[0-9a-f]{64}$/.test(item));
}
