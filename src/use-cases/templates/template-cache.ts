/** Templates that may be sent, as they were found at most a second ago. */
import type { Template } from '../../domain/templates/template.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ReadThroughCache } from '../read-through-cache.ts';

/** A few kB each. */
const max = 2_000;
const ttlMs = 1_000;

export class TemplateCache extends ReadThroughCache<Template> {
  constructor(clock: Clock) {
    super({ max, ttlMs, clock });
  }
}
