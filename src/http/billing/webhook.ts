import type { Request, Response } from 'express';
import { fault } from '../../kernel/faults.ts';
import { sendJson } from '../answers.ts';
import { apiBodyLimit, readCounted } from '../middleware/read-body.ts';
import type { RouteContext } from '../options.ts';
import { openRoute } from '../route.ts';
import { flag, responseObject } from '../validation/json-schema.ts';
import { mayBeSignature } from './signature.ts';

/** [operator-interface §3, Billing] */
export const billingRoute = openRoute({
  method: 'post',
  path: '/billing/webhook',
  name: 'billingWebhook',
  tag: 'Payment provider',
  summary: "Events of the payment provider (Stripe's shapes), signed over the raw body",
  description: 'Answers 404 unless `BILLING_WEBHOOK_SECRET` is set.',
  parameters: [
    {
      name: 'Stripe-Signature',
      in: 'header',
      required: true,
      schema: { type: 'string' },
      description: '`t=` the second of signing, `v1=` the HMAC-SHA256 of `t.body` in hex',
    },
  ],
  errors: [400, 404, 413, 503],
  failures: 'json',
  answers: {
    200: {
      contentType: 'application/json',
      schema: responseObject('BillingWebhookResponse', { received: flag }),
      description: 'The event has taken effect, or has none',
    },
  },
  isHere: ({ takesBilling }) => takesBilling,
  open: takeEvent,
});

/** 200 only when it is durable: what can't be written is 503, and the provider comes again. */
async function takeEvent(request: Request, response: Response, context: RouteContext): Promise<void> {
  const signature = request.headers['stripe-signature'];
  if (!mayBeSignature(signature, context.clock.now())) {
    throw fault('bad_request', { why: 'Missing, wrong or late signature' });
  }
  const raw = await readCounted(request, apiBodyLimit, context.bodyRoom, (body) => body);
  await context.useCases.receiveBillingEvent(raw, signature);
  sendJson(response, 200, { received: true });
}
