import type { Request, Response } from 'express';
import { readCall, type Call } from './call.ts';
import { GraphError } from './graph-error.ts';

/** Turns what a call answers (or throws) into an Express handler. */
export type GraphRoute = (
  answer: (call: Call, req: Request) => unknown,
) => (req: Request, res: Response) => Promise<void>;

/** The call of a request Express has read; its path comes without the version. */
export function toCall(req: Request): Call {
  const body: unknown = req.body;
  return readCall(req, Buffer.isBuffer(body) ? body : Buffer.alloc(0));
}

/** The one path parameter Express found, as text. */
export function param(req: Request, name: string): string {
  const value: unknown = req.params[name];
  if (typeof value === 'string') return value;
  throw new GraphError({ code: 100, message: `(#100) ${name} is missing` });
}
