/**
 * Runs effects through the ports; each result comes back as a message. Effects start in list order, and the store keeps that order per
 * channel. Inside one effect, persist comes before act: without a stored claim there is no call. [architecture §2.1, §5]
 */
import { fault } from '../../../src/kernel/faults.ts';
import type { ChannelEffect } from '../messages.ts';
import { claimAndCall, postpone, withdraw } from './claims.ts';
import { loadDeliveries, loadInbound, loadSettings, reload, resolveFacts } from './look-ups.ts';
import { commit } from './commits.ts';
import { readReplay, revive } from './replays.ts';
import { fetchFile, quarantineFiles } from './files.ts';
import { askForEchoes } from './questions.ts';
import { awaitTurn, postWebhook, quarantineDelivery } from './webhooks.ts';
import type { ChannelWork, OwnPorts } from './channel-ports.ts';

const nothing = Promise.resolve();

/** Throws only FencedError: every other failure is reported or retried. */
export function perform(
  ports: OwnPorts,
  effects: readonly ChannelEffect[],
  work: ChannelWork,
): Promise<void> {
  const started: Promise<void>[] = [];
  for (const effect of effects) {
    const pending = run(ports, effect, work);
    if (pending !== undefined) started.push(pending);
  }
  // Most turns start one effect: `Promise.all` would cost a send a dozen closures. [performance §4]
  return started.length > 1 ? Promise.all(started).then(() => undefined) : (started[0] ?? nothing);
}

function run(ports: OwnPorts, effect: ChannelEffect, work: ChannelWork): Promise<void> | undefined {
  switch (effect.effect) {
    case 'claim-and-call':
      return claimAndCall(ports, effect, work);
    case 'postpone':
      return postpone(ports, effect, work);
    case 'withdraw':
      return withdraw(ports, effect, work);
    case 'reload':
      return reload(ports, effect, work);
    case 'commit':
      return commit(ports, effect, work);
    case 'resolve-facts':
      return resolveFacts(ports, effect, work);
    case 'post-webhook':
      return postWebhook(ports, effect, work);
    case 'fetch-file':
      fetchFile(ports, effect, work);
      return undefined;
    case 'ask-for-echoes':
      void askForEchoes(ports, effect, work);
      return undefined;
    case 'quarantine-files':
      return quarantineFiles(ports, effect, work);
    case 'await-turn':
      awaitTurn(ports, effect, work);
      return undefined;
    case 'quarantine-delivery':
      return quarantineDelivery(ports, effect, work);
    case 'load-inbound':
      return loadInbound(ports, effect, work);
    case 'load-deliveries':
      return loadDeliveries(ports, effect, work);
    case 'read-replay':
      return readReplay(ports, effect, work);
    case 'revive':
      return revive(ports, effect, work);
    case 'load-settings':
      return loadSettings(ports, effect, work);
    case 'reply':
      for (const ask of effect.asks) work.answer(ask, effect.reply);
      return undefined;
    case 'refuse':
      for (const ask of effect.asks) work.refuse(ask, fault(effect.code, effect.details));
      return undefined;
    case 'log':
      ports.log.info(effect.fields, effect.event);
      return undefined;
    default:
      return effect satisfies never;
  }
}
