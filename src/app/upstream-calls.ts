import type { UpstreamCalls } from '../use-cases/deps.ts';
import type { Outside } from './open-outside.ts';

export function makeUpstreamCalls({
  admin,
  profiles,
  health,
  templates,
}: ReturnType<Outside['upstream']['under']>): UpstreamCalls {
  return { upstream: admin, profiles, health, upstreamTemplates: templates };
}
