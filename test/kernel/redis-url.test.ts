/** [operator-interface §2] Valid values of REDIS_URL. */
import { expect, test } from '@jest/globals';
import { parseRedisUrl, redisHosts } from '../../src/kernel/redis-url.ts';

const plain = { name: null, user: {}, sentinelUser: {}, db: 0, tls: null };

test.each([
  ['redis://localhost', { hosts: [{ host: 'localhost', port: 6_379 }] }],
  ['redis://[::1]:7000/3', { hosts: [{ host: '::1', port: 7_000 }], db: 3 }],
  ['redis://a?db=2', { hosts: [{ host: 'a', port: 6_379 }], db: 2 }],
  ['redis://:p%40ss:word@a:1', { hosts: [{ host: 'a', port: 1 }], user: { password: 'p@ss:word' } }],
  [
    'rediss://trunkline:word@redis.example.com:6380?tlsCAFile=/etc/ca.pem',
    {
      hosts: [{ host: 'redis.example.com', port: 6_380 }],
      user: { username: 'trunkline', password: 'word' },
      tls: { caFile: '/etc/ca.pem' },
    },
  ],
  ['rediss://a', { hosts: [{ host: 'a', port: 6_379 }], tls: { caFile: null } }],
  [
    'redis+sentinel://user:pass@h1:26379,h2,[fd00::3]:5/name?tls=1&db=4&sentinelUser=s&sentinelPassword=t',
    {
      hosts: [
        { host: 'h1', port: 26_379 },
        { host: 'h2', port: 26_379 },
        { host: 'fd00::3', port: 5 },
      ],
      name: 'name',
      user: { username: 'user', password: 'pass' },
      sentinelUser: { username: 's', password: 't' },
      db: 4,
      tls: { caFile: null },
    },
  ],
])('%s', (url, address) => {
  expect(parseRedisUrl(url)).toEqual({ ...plain, ...address });
});

test.each([
  'http://a',
  'redis://',
  'redis://a,b',
  'redis://a:0',
  'redis://a:65536',
  'redis://[1]:1',
  'redis://a/nine',
  'redis://a?family=6',
  'redis://a?tls=1',
  'redis://a?tlsCAFile=/etc/ca.pem',
  'redis://%zz@a',
  'rediss://a?tlsCAFile=',
  'redis+sentinel://a:26379',
  'redis+sentinel://a/',
  'redis+sentinel://a,/name',
  'redis+sentinel://a/na me',
  'redis+sentinel://a/name?tls=yes',
  'redis+sentinel://a/name?tls=1&tls=0',
  'redis+sentinel://a/name?tlsCAFile=/etc/ca.pem',
  'redis-cluster://a',
])('%s is not a Redis URL', (url) => {
  expect(parseRedisUrl(url)).toBeNull();
});

test('hosts are named without passwords', () => {
  expect(redisHosts('redis+sentinel://user:pass@h1,[::1]:5/name')).toBe('h1:26379,[::1]:5');
});
