/** Upstream's webhooks, with its bodies and signature. [upstream §1.5, §4.1, §4.3] */
import { createHmac } from 'node:crypto';

/** The secret of the simulator's app, which is also the service's default in development. */
export const appSecret = 'example-app-secret-0001';

export function signed(body: string): Record<string, string> {
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}` };
}

export function inboundPost(phoneNumberId: string, id: string, text: string): string {
  const contacts = [{ profile: { name: 'Mia Vogel' }, wa_id: '4915900000777' }];
  const message = { from: '4915900000777', id, timestamp: nowSeconds(), type: 'text', text: { body: text } };
  return post(phoneNumberId, { contacts, messages: [message] });
}

/** The event repeats `caption`. */
export function filePost(phoneNumberId: string, id: string, fileId: string, caption: string): string {
  const contacts = [{ profile: { name: 'Mia Vogel' }, wa_id: '4915900000777' }];
  const document = { id: fileId, mime_type: 'application/pdf', filename: 'plan.pdf', caption };
  const message = { from: '4915900000777', id, timestamp: nowSeconds(), type: 'document', document };
  return post(phoneNumberId, { contacts, messages: [message] });
}

export function statusPost(phoneNumberId: string, tag: string, status: string): string {
  return statusesPost(phoneNumberId, [{ tag, status }]);
}

/** Statuses of sends that the stub has answered: the stub made their upstream ids from the tags. */
export function statusesPost(
  phoneNumberId: string,
  told: readonly { tag: string; status: string }[],
): string {
  const statuses = told.map(({ tag, status }) => ({
    id: `wamid.${tag}`,
    status,
    timestamp: nowSeconds(),
    recipient_id: '4915900000777',
    biz_opaque_callback_data: tag,
  }));
  return post(phoneNumberId, { statuses });
}

function post(phoneNumberId: string, content: Record<string, unknown>): string {
  const metadata = { display_phone_number: '15550100042', phone_number_id: phoneNumberId };
  const value = { messaging_product: 'whatsapp', metadata, ...content };
  const entry = [{ id: '311200000000001', changes: [{ field: 'messages', value }] }];
  return JSON.stringify({ object: 'whatsapp_business_account', entry });
}

function nowSeconds(): string {
  return String(Math.floor(Date.now() / 1_000));
}
