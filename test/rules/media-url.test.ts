/** Valid values of `media_url`. [spec: Sending messages; operator-interface §2 WEBHOOK_ALLOW_INSECURE] */
import { describe, expect, test } from '@jest/globals';
import { mediaUrlProblem } from '../../src/rules/messages/media-url.ts';

const ownHosts = ['trunkline.example', '10.0.0.7', 'localhost', '127.0.0.1', '[::1]'];
const strict = { allowInsecure: false, ownHosts };
const insecure = { allowInsecure: true, ownHosts };

describe('accepted', () => {
  test.each([
    'https://files.example.com/cake.jpg',
    'https://files.example.com:8443/cake.jpg?X-Amz-Signature=a%2Fb&x=%F0%9F%8D%B0#top',
    'https://bücher.example/ä ö'.replace(' ', ''),
    'https://93.184.216.34/cake.jpg',
    'https://trunkline.example/logo.png',
    'https://trunkline.example/%zz.png',
    `https://files.example.com/${'a'.repeat(2_048 - 26)}`,
    `https://files.example.com/${'😀'.repeat(2_048 - 26)}`,
  ])('%.80s', (url) => {
    expect(mediaUrlProblem(url, strict)).toBeNull();
  });

  test.each(['http://files.example.com/cake.jpg', 'http://127.0.0.1:9000/cake.jpg', 'http://localhost/a'])(
    '%s only with WEBHOOK_ALLOW_INSECURE',
    (url) => {
      expect([mediaUrlProblem(url, strict), mediaUrlProblem(url, insecure)]).toEqual([
        'must be an HTTPS URL',
        null,
      ]);
    },
  );
});

describe('refused', () => {
  const local = 'must not target a loopback, private or reserved address';
  test.each([
    ['', 'must be a valid absolute URL'],
    ['cake.jpg', 'must be a valid absolute URL'],
    ['/files/cake.jpg', 'must be a valid absolute URL'],
    ['//files.example.com/cake.jpg', 'must be a valid absolute URL'],
    ['https:files.example.com/cake.jpg', 'must be a valid absolute URL'],
    ['https://', 'must be a valid absolute URL'],
    ['ftp://files.example.com/cake.jpg', 'must be an HTTPS URL'],
    ['data:image/png;base64,iVBORw0KGgo=', 'must be an HTTPS URL'],
    ['file:///etc/passwd', 'must be an HTTPS URL'],
    ['javascript:alert(1)', 'must be an HTTPS URL'],
    ['https://mia:secret@files.example.com/cake.jpg', 'must not have a user name or password'],
    ['https://@files.example.com/cake.jpg', 'must not have a user name or password'],
    ['https://files.example.com\\cake.jpg', 'must not have spaces, control characters or backslashes'],
    ['https://files.example.com/a b', 'must not have spaces, control characters or backslashes'],
    ['https://files.example.com/a\n', 'must not have spaces, control characters or backslashes'],
    ['https://127.0.0.1/cake.jpg', local],
    ['https://127.1/cake.jpg', local],
    ['https://0x7f000001/cake.jpg', local],
    ['https://[::1]/cake.jpg', local],
    ['https://[::ffff:10.0.0.1]/cake.jpg', local],
    ['https://192.168.1.4/cake.jpg', local],
    ['https://169.254.169.254/latest/meta-data/', local],
    ['https://localhost./cake.jpg', local],
    ['https://nas.local/cake.jpg', local],
    ['https://intranet/cake.jpg', local],
    [`https://files.example.com/${'a'.repeat(2_048)}`, 'must have at most 2048 characters'],
    ['x'.repeat(1_000_000), 'must have at most 2048 characters'],
  ])('%.60j: %s', (url, problem) => {
    expect(mediaUrlProblem(url, strict)).toBe(problem);
  });

  test.each([
    'https://trunkline.example/api/v1/media/0f6b1d2e',
    'https://TRUNKLINE.example:8443/api/v1/media/0f6b1d2e?x=1',
    'https://trunkline.example/behind/a/proxy/api/v1/media/0f6b1d2e',
    'https://trunkline.example/api/v1/%6dedia/0f6b1d2e',
    'https://trunkline.example/x/../api/v1/media/0f6b1d2e',
    'https://10.0.0.7/api/v1/media/0f6b1d2e',
  ])('a download_url of our own: %s', (url) => {
    expect(mediaUrlProblem(url, strict)).toMatch(/^must not be a download_url of this service/);
    expect(mediaUrlProblem(url, insecure)).toMatch(/^must not be a download_url of this service/);
  });
});
