/** The settings of a channel as a client meets them: the one table that tests read. The compiler asks for a row for each. */
import type { Settings } from '../../src/rules/channels/settings.ts';

type Value = string | number | boolean | null | string[];

interface Row {
  /** In PATCH; with `?` it may be null. */
  given: string;
  /** In ChannelOut, in the same way. */
  shown: string;
  /** In ChannelOut of a new channel. */
  atFirst: Value;
  /** What PATCH takes, and what ChannelOut shows and the audit log records then. */
  next: Value;
  /** What PATCH refuses with 422 at the field: beyond each limit, and of another type. */
  refused: unknown[];
  shownNext?: Value;
  auditedNext?: RegExp;
}

const rows: Record<keyof Settings, Row> = {
  webhookUrl: {
    given: 'webhook_url?',
    shown: 'webhook_url?',
    atFirst: null,
    next: 'https://hooks.example.com/next?token=1',
    refused: ['ftp://hooks.example.com/x', `https://hooks.example.com/${'x'.repeat(2_048)}`, 7],
    auditedNext: /^hooks\.example\.com #[0-9a-f]{8}$/,
  },
  webhookSecret: {
    given: 'webhook_secret?',
    shown: 'has_webhook_secret',
    atFirst: false,
    next: 'whsec_next',
    refused: ['', 7, 'x'.repeat(10_000)],
    shownNext: true,
    auditedNext: /^set #[0-9a-f]{8}$/,
  },
  webhookEvents: {
    given: 'webhook_events?',
    shown: 'webhook_events?',
    atFirst: null,
    next: ['message.received', 'message.read'],
    refused: [['message.eaten'], 'message.received', [7]],
    auditedNext: /^message\.received message\.read$/,
  },
  echoStatuses: {
    given: 'echo_statuses',
    shown: 'echo_statuses',
    atFirst: false,
    next: true,
    refused: [null, 'true', 1],
  },
  failedRetentionDays: {
    given: 'failed_retention_days',
    shown: 'failed_retention_days',
    atFirst: 0,
    next: 7,
    refused: [-1, 31, 1.5, '7', null],
  },
  keepAnswers: {
    given: 'keep_answers',
    shown: 'keep_answers',
    atFirst: false,
    next: true,
    refused: [null, 'true', 1],
  },
  ordered: { given: 'ordered', shown: 'ordered', atFirst: false, next: true, refused: [null, 'true', 1] },
};

export const settingRows: readonly Row[] = Object.values(rows);

export const bare = (name: string): string => name.replace('?', '');

/** Fields of ChannelOut of a new channel. */
export const shownAtFirst = Object.fromEntries(
  settingRows.map(({ shown, atFirst }) => [bare(shown), atFirst]),
);

/** A body of PATCH that changes every setting. */
export const everySetting = Object.fromEntries(settingRows.map(({ given, next }) => [bare(given), next]));
