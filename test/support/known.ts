/** Who the simulator knows at the start (src/simulator/README.md). */
export const asset = {
  chatapp: '422300000000002',
  photoapp: '17840000000000006',
  pagechat: '520000000000005',
} as const;
export const person = {
  chatapp: '4915900000777',
  photoapp: '9900000000000007',
  pagechat: '8800000000000001',
} as const;
