import { asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';

/**
 * Whether the number also lives in the phone's business app; null if upstream does not say. `platform_type` lags after a sign-up, and an
 * echo may come before it is right. [upstream §2.4: dual-use test]
 */
export function isDualUse(number: Json): boolean | null {
  const isOnApp = number['is_on_biz_app'];
  return typeof isOnApp === 'boolean' ? isOnApp : null;
}

/** The number's throughput level; undefined if upstream does not say. [upstream §3.8] */
export function readThroughput(number: Json): string | undefined {
  return asText(asRecord(number['throughput'])?.['level']) ?? undefined;
}
