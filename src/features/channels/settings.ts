/** The settings of a channel, in the order of the API. */
import { eventTable, eventTypes, isOfChange } from '../../rules/events/table.ts';
import { maxFailedRetentionDays } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { settingNames } from '../../rules/channels/settings.ts';
import type { Settings } from '../../rules/channels/settings.ts';
import { maxSecretLength } from '../../rules/webhooks/signature.ts';
import { addressShown } from '../../rules/webhooks/transcript.ts';
import {
  flag,
  givenList,
  listOf,
  orNull,
  shown,
  string,
  text,
  webhookUrl,
} from '../../http/validation/json-schema.ts';
import { marked, markedUrl } from '../audit/index.ts';
import { countSetting, flagSetting } from './setting.ts';
import type { Setting } from './setting.ts';

const settings: { readonly [K in keyof Settings]: Setting<K> } = {
  webhookUrl: {
    name: 'webhook_url',
    given: {
      ...shown(orNull(webhookUrl), { maxLength: 2048 }),
      description:
        'URL to which the service POSTs events. HTTPS, at most 2048 characters; not a loopback or private address',
    },
    givenTo: 'PATCH and exchange-code',
    example: 'https://hooks.example.com/trunkline',
    shown: {
      name: 'webhook_url',
      schema: {
        ...orNull(string),
        description: 'URL to which the service POSTs events; null: no event is delivered',
      },
      of: (url) => url,
    },
    audited: (url) => (url === null ? null : markedUrl(url)),
    control: {
      kind: 'text',
      part: 'receiver',
      label: 'Address of your receiver',
      hint: 'Events are POSTed here. Empty: nothing is delivered.',
      mono: true,
      placeholder: 'https://app.example.com/webhooks',
      // Its query may contain a secret of the receiver.
      readersSee: addressShown,
    },
  },
  webhookSecret: {
    name: 'webhook_secret',
    given: {
      ...orNull(text({ minLength: 1, maxLength: maxSecretLength })),
      description:
        'Sets or rotates the HMAC secret that signs deliveries. Omitted: the current secret stays; the first `webhook_url` without a secret generates one. null: PATCH clears the secret, exchange-code treats it as omitted',
    },
    givenTo: 'PATCH and exchange-code',
    example: undefined,
    shown: {
      name: 'has_webhook_secret',
      schema: { ...flag, default: false, description: 'True if deliveries are signed' },
      of: (secret) => secret !== null,
    },
    audited: (secret) => (secret === null ? null : marked('set', secret)),
    control: { kind: 'elsewhere' },
  },
  webhookEvents: {
    name: 'webhook_events',
    given: {
      ...orNull(givenList(shown(text(), { enum: eventTypes }))),
      description:
        'Event types to deliver; which are available depends on the channel type. By default none is delivered',
    },
    givenTo: 'PATCH and exchange-code',
    example: ['message.received', 'message.delivered'],
    shown: {
      name: 'webhook_events',
      schema: {
        ...orNull(listOf(string)),
        description: 'Event types that the service delivers; null or empty: none, the default',
      },
      of: (events) => events,
    },
    audited: (events) => events?.join(' ') ?? null,
    control: {
      kind: 'choices',
      part: 'events',
      each: 'event',
      // Most people want what people write and the statuses of what was sent.
      options: (type) =>
        kindOf(type).availableEvents.map((event) => ({
          value: event,
          label: eventTable[event].label,
          isOnAtFirst: event !== 'message.echo' && !isOfChange(event),
        })),
    },
  },
  echoStatuses: flagSetting('echo_statuses', {
    given: 'Turns status events for echoed messages on or off',
    shown: 'True if echoed messages get status events; false by default',
    part: 'events',
    label: 'Statuses of echoes too',
  }),
  failedRetentionDays: countSetting('failed_retention_days', {
    given:
      'Days, 0 to 30, for which the content of a permanently failed delivery is kept, so that it can be sent again; content that was kept longer is erased',
    shown:
      'Days, 0 to 30, for which the content of a permanently failed delivery is kept, so that it can be sent again. 0, the default: the content is erased at once',
    max: maxFailedRetentionDays,
    part: 'kept',
    label: 'Days that a failed event can be sent again',
    hint: '0: an event is erased when its last attempt has failed. 1 to 30: its content is kept encrypted for as many days, at most 64 MiB per channel, and you can replay it from Deliveries. A smaller number erases older content at once.',
  }),
  keepAnswers: flagSetting('keep_answers', {
    given: "Keeps the webhook endpoint's responses for the portal's delivery pages even when they are 2xx",
    shown:
      "True if the webhook endpoint's responses are kept for the portal's delivery pages even when they are 2xx; false by default: only responses to failed attempts are kept",
    part: 'kept',
    label:
      'Also 2xx answers of your receiver: their headers and first 2 KB. All other answers are always kept, as long as the log.',
  }),
  ordered: flagSetting('ordered', {
    given:
      'Delivers the events of one person one at a time and in order: the next waits until the one before is delivered or permanently failed',
    shown:
      'True if the events of one person are delivered one at a time and in order; false by default: retries change the order',
    part: 'events',
    label: 'Events of one person one at a time, in order: while one fails, the later ones wait',
  }),
};

/** One value for each setting, in order. */
export function perSetting<R>(make: <K extends keyof Settings>(key: K, setting: Setting<K>) => R): R[] {
  const one = <K extends keyof Settings>(key: K, setting: Setting<K> = settings[key]): R =>
    make(key, setting);
  return settingNames.map((key) => one(key));
}
