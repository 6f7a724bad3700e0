import type { ServerResponse } from 'node:http';
import { asText } from './bag.ts';
import { answerJson, answerText, answerError, answerRefusal, type Call } from './call.ts';
import type { Fault } from './faults.ts';
import { GraphError } from './graph-error.ts';
import type { World } from './world.ts';

/**
 * Applies a fault to the response. `answer` is the correct answer of an accepted send, null if nothing was accepted. Resolves when the
 * response is ended, destroyed, or (hang) left open until the client gives up.
 */
export async function actOut(
  world: World,
  fault: Fault,
  res: ServerResponse,
  call: Call,
  answer: Record<string, unknown> | null,
): Promise<void> {
  if (fault.delay_ms > 0) await new Promise<void>((resolve) => world.later(fault.delay_ms, resolve));
  for (const [name, value] of Object.entries(fault.headers)) res.setHeader(name, value);
  switch (fault.act) {
    case 'ok':
    case 'fail_later':
      return answerJson(res, 200, answer ?? { success: true });
    case 'refuse':
      return answerRefusal(world, res, refusalOf(fault));
    case 'leak_token':
      return answerError(res, leakOf(fault, call));
    case 'lost':
    case 'reset':
      res.destroy();
      return;
    case 'error_after_accept':
      return answerError(
        res,
        new GraphError({ ...fault, code: fault.code ?? 1, status: fault.status ?? 500 }),
      );
    case 'truncated':
      return truncate(res, JSON.stringify(answer ?? { success: true }));
    case 'html':
      return answerText(
        res,
        fault.status ?? 200,
        'text/html',
        '<!DOCTYPE html><title>Sorry</title><p>Something went wrong.</p>',
      );
    case 'empty':
      return answerText(res, fault.status ?? 200, 'application/json; charset=UTF-8', '');
    case 'big':
      return answerJson(res, fault.status ?? 200, {
        ...answer,
        filler: 'x'.repeat(fault.size_bytes),
      });
    case 'hang':
      return;
  }
}

function refusalOf(fault: Fault): GraphError {
  const { code = 131000, is_transient: isTransient, regain_minutes: regainMinutes } = fault;
  return new GraphError({ ...fault, code, isTransient, regainMinutes });
}

function leakOf(fault: Fault, call: Call): GraphError {
  const token = call.bearer ?? asText(call.bag.access_token) ?? asText(call.bag.code) ?? '';
  const message = `Error validating access token: ${token} has been revoked for application`;
  return new GraphError({ ...fault, code: fault.code ?? 190, message });
}

// The head promises the whole length, so the client sees the connection close within the JSON.
function truncate(res: ServerResponse, text: string): void {
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.write(text.slice(0, Math.floor(text.length / 2)), () => res.destroy());
}
