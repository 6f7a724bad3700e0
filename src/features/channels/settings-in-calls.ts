/** The settings in requests and answers; see `settings.ts`. */
import type { Settings } from '../../rules/channels/settings.ts';
import { requestObject, withExample } from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import type { Cells } from '../../http/validation/response-body.ts';
import { perSetting } from './settings.ts';
import type { ChannelWithLicence, WebhookPatch } from './types.ts';

/** Settings in a request, by their names in the API: an omitted one stays as it is. */
export type GivenSettings = Readonly<Record<string, unknown>>;

const given = perSetting((key, { name, given: schema, givenTo, example }) => ({
  key,
  name,
  schema,
  example,
  isExchanged: givenTo === 'PATCH and exchange-code',
}));
const exchanged = given.filter(({ isExchanged }) => isExchanged);

const fieldsOf = (some: typeof given): Record<string, JsonSchema> =>
  Object.fromEntries(some.map(({ name, schema }) => [name, schema]));

const examples = given.filter(({ example }) => example !== undefined);

/** [spec: ChannelUpdateRequest; operator-interface §3] */
export const channelUpdateRequest = requestBody(
  withExample(
    requestObject('ChannelUpdateRequest', {}, fieldsOf(given)),
    Object.fromEntries(examples.map(({ name, example }) => [name, example])),
  ),
);

/** [spec: ExchangeCodeRequest] */
export const exchangeFields = fieldsOf(exchanged);

const starting = ['webhook_url', 'webhook_secret', 'webhook_events', 'failed_retention_days'];

/** What an account sets for channels to come. */
export const startingFields = fieldsOf(given.filter(({ name }) => starting.includes(name)));

/** `body` has passed the schema of PATCH. */
export function toPatch(body: GivenSettings): WebhookPatch {
  return Object.fromEntries(given.map(({ key, name }) => [key, body[name]]));
}

/** `body` has passed the schema of exchange-code, which does not check other fields. */
export function toExchangePatch(body: GivenSettings): WebhookPatch {
  return Object.fromEntries(exchanged.map(({ key, name }) => [key, body[name]]));
}

export const settingCells: Cells<Pick<ChannelWithLicence, 'channel'>> = Object.fromEntries(
  perSetting((key, { shown: { name, schema, of } }) => [
    name,
    [schema, ({ channel }: { channel: Settings }) => of(channel[key])] as const,
  ]),
);
