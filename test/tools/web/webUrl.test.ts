import { describe, expect, test } from 'vitest';
import { isSameSite, readWebUrl } from '../../../src/tools/web/webUrl.ts';

describe('a URL is read as', () => {
  test.each([
    ['https://example.com', 'https://example.com/', 'example.com'],
    ['HTTP://EXAMPLE.com:80/a#part', 'http://example.com/a', 'example.com'],
    ['https://example.com:8443/a?b=c', 'https://example.com:8443/a?b=c', 'example.com'],
    ['https://example.com./a', 'https://example.com/a', 'example.com'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
    ['http://2130706433/', 'http://127.0.0.1/', '127.0.0.1'],
    ['http://0x7f.1/', 'http://127.0.0.1/', '127.0.0.1'],
    ['http://[::FFFF:127.0.0.1]/', 'http://[::ffff:7f00:1]/', '[::ffff:7f00:1]'],
  ])('%s', (text, href, domain) => {
    const read = readWebUrl(text);
    expect(read.ok && [read.url.href, read.domain]).toEqual([href, domain]);
  });
});

describe('a URL is rejected with a message that the model can act on', () => {
  test.each([
    ['', /write it in full/],
    ['example.com/a', /write it in full/],
    ['file:///etc/passwd', /only http and https/],
    ['ftp://example.com/', /only http and https/],
    ['data:text/html,x', /only http and https/],
    ['javascript:alert(1)', /only http and https/],
    ['https://user@example.com/', /user name or password/],
    ['https://user:secret@example.com/', /user name or password/],
    ['https://:secret@example.com/', /user name or password/],
    ['https://./', /has no host|write it in full/],
    [`https://example.com/${'a'.repeat(2000)}`, /longer than 2000/],
  ])('%s', (text, message) => {
    const read = readWebUrl(text);
    expect(!read.ok && read.message).toMatch(message);
  });
});

test.each([
  ['https://a.example/x', 'https://a.example/y?z', true],
  ['http://a.example/', 'https://a.example/', true],
  ['https://a.example/', 'http://a.example/', false],
  ['https://a.example/', 'https://b.a.example/', false],
  ['https://a.example/', 'https://www.a.example/', false],
  ['https://a.example/', 'https://a.example:8443/', false],
  ['http://a.example:8080/', 'https://a.example/', false],
  ['http://a.example:8080/', 'http://a.example:8080/b', true],
])('approval for %s covers %s: %s', (from, to, expected) =>
  expect(isSameSite(new URL(from), new URL(to))).toBe(expected),
);
