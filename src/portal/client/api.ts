/** The public API with the key that was typed in, which stays in its field. */
import { field } from './dom.ts';

export interface Channel {
  id: string;
  channel_type: string;
  name: string | null;
  phone_number: string | null;
  photoapp_username: string | null;
  page_id: string | null;
  is_active: boolean;
  subscription: { status: string; tier: string | null };
  webhook_url: string | null;
}

export interface Subscription {
  tier: string;
  source: string;
  status: string;
  expires_at: string | null;
  assigned_channels: Record<string, { name: string | null; channel_type: string } | null>;
}

export interface Redirect {
  id: string;
  uri_pattern: string;
}

interface FieldError {
  loc: string[];
  msg: string;
}

type Detail = string | FieldError[] | { message: string } | undefined;

export const typedKey = (): string => field('key').value.trim();

/** The body of a 2xx; throws an error that says what the API said. */
export async function api<T>(method: string, path: string, body?: object): Promise<T> {
  const headers: Record<string, string> = { 'X-API-Key': typedKey() };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await fetch(`/api/v1${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(wordsOf(answer.detail) ?? `Error ${response.status}`);
  return answer;
}

function wordsOf(detail: Detail): string | undefined {
  if (typeof detail === 'string' || detail === undefined) return detail;
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return detail.message;
}
