/** People that the simulator knows, and the channels that the demo connects. */
import type { ChannelType } from '../../rules/vocabulary.ts';

/** The second and the third person are for failures. */
export const people: Readonly<Record<ChannelType, readonly [string, string, string]>> = {
  chatapp: ['4915900000777', '4915900000778', '4915900000799'],
  photoapp: ['9900000000000007', '9900000000000008', '9900000000000009'],
  pagechat: ['8800000000000001', '8800000000000002', '8800000000000003'],
};

export const addresses: Readonly<Record<ChannelType, string>> = {
  chatapp: '422300000000002',
  photoapp: '17840000000000006',
  pagechat: '520000000000005',
};
