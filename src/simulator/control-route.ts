import type { Request, Response } from 'express';
import type { Bag } from './bag.ts';

/** A control call: its JSON body (or query, on GET) in, JSON out. An Error becomes 400 with its message. */
export type ControlRoute = (
  answer: (ask: Bag, req: Request) => unknown,
) => (req: Request, res: Response) => Promise<void>;
