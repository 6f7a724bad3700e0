import type { Request, Response } from 'express';
import { readCall, type Call } from './call.ts';
import { GraphError } from './graph-error.ts';

/** Makes an Express handler that sends what a call returns or throws. */
export type GraphRoute = (
  answer: (call: Call, req: Request) => unknown,
) => (req: Request, res: Response) => Promise<void>;

/** The call of a request that Express has read; its path has no version. */
export function toCall(req: Request): Call {
  const body: unknown = req.body;
  return readCall(req, Buffer.isBuffer(body) ? body : Buffer.alloc(0));
}

/** A path parameter as text. */
export function param(req: Request, name: string): string {
  const value: unknown = req.params[name];
  if (typeof value === 'string') return value;
  throw new GraphError({ code: 100, message: `(#100) ${name} is missing` });
}
