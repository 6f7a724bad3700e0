import { validateHeaderName } from 'node:http';
import type { Router } from 'express';
import { asBag, asFlag, asNames, asNumber, asText, type Bag } from './bag.ts';
import { answerStatus, headerText, oneOf } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { acceptedByAct, isFaultAct, type Fault, type FaultMatch } from './faults.ts';
import type { DialogScript, World } from './world.ts';

const bigBodyBytes = 10 * 1_048_576;

/** Scripted answers: faults of calls, and dialogs that need no person. */
export function addScriptRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/faults',
    control((ask) => world.faults.add(faultOf(world, ask))),
  );
  router.get(
    '/faults',
    control(() => ({ faults: world.faults.list() })),
  );
  router.delete(
    '/faults',
    control(() => forgetFaults(world)),
  );
  router.post(
    '/faults/release',
    control(() => ({ released: world.faults.release() })),
  );
  router.post(
    '/dialog',
    control((ask) => layDownDialog(world, ask)),
  );
}

function faultOf(world: World, ask: Bag): Omit<Fault, 'id' | 'fired'> {
  const act = ask.act ?? 'ok';
  if (!isFaultAct(act)) throw new Error(`act must be one of ${Object.keys(acceptedByAct).join(', ')}`);
  const forMs = asNumber(ask.for_ms);
  return {
    match: matchOf(asBag(ask.match) ?? {}),
    act,
    // A fault with a duration acts on every call until its end, unless `times` is given.
    times: asNumber(ask.times) ?? (forMs === undefined ? 1 : 0),
    until: forMs === undefined ? null : world.now() + forMs,
    delay_ms: asNumber(ask.delay_ms) ?? 0,
    held: asFlag(ask.held) ?? false,
    accept: asFlag(ask.accept) ?? acceptedByAct[act],
    silent: asFlag(ask.silent) ?? false,
    early: asFlag(ask.early) ?? false,
    code: asNumber(ask.code),
    subcode: asNumber(ask.subcode),
    status: answerStatus(ask, 'status'),
    message: asText(ask.message),
    details: asText(ask.details),
    title: asText(ask.title),
    is_transient: asFlag(ask.is_transient),
    size_bytes: asNumber(ask.size_bytes) ?? bigBodyBytes,
    after_ms: asNumber(ask.after_ms) ?? 0,
    message_status: asText(ask.message_status),
    regain_minutes: asNumber(ask.regain_minutes),
    headers: headersOf(asBag(ask.headers) ?? {}),
  };
}

function headersOf(given: Bag): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(given)) {
    validateHeaderName(name);
    headers[name] = headerText(given, name) ?? '';
  }
  return headers;
}

const matchable = ['recipient', 'channel', 'kind', 'tag', 'text', 'type', 'path', 'method'] as const;

function matchOf(given: Bag): FaultMatch {
  const unknown = Object.keys(given).find((name) => !matchable.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`match knows no ${unknown}`);
  return Object.fromEntries(matchable.map((name) => [name, asText(given[name])]));
}

function forgetFaults(world: World): { ok: true } {
  world.faults.release();
  world.faults.clear();
  return { ok: true };
}

/** The assets for which each permission was granted, if not for all. */
function targetsOf(given: Bag): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(given).map(([scope, ids]) => [scope, asNames(ids)]));
}

function layDownDialog(world: World, ask: Bag): DialogScript {
  const script: DialogScript = {
    decision: oneOf(ask, 'auto', ['allow', 'deny'], 'allow'),
    assets: asNames(ask.assets),
    decline: asNames(ask.decline),
    targets: targetsOf(asBag(ask.targets) ?? {}),
    login: asText(ask.login) ?? null,
    times: asNumber(ask.times) ?? 1,
  };
  world.scripts.push(script);
  return script;
}
