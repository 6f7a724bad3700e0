/** Caches sendable templates for a second. */
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
