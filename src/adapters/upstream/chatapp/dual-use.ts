import type { Json } from '../wire/read.ts';

/** Whether the number also lives in the phone's business app; null: upstream does not say. [upstream §2.4: dual-use test] */
export function isDualUse(number: Json): boolean | null {
  const isOnApp = number['is_on_biz_app'];
  return typeof isOnApp === 'boolean' ? isOnApp && number['platform_type'] === 'CLOUD_API' : null;
}
