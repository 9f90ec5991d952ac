import { expect, test } from 'vitest';
import { findSecrets } from '../../src/redact/findSecrets.ts';
import { redact } from '../../src/redact/redact.ts';
import { kindCount, syntheticSecrets } from './syntheticSecrets.ts';

/** The places in a session where secrets appear. */
const places: Readonly<Record<string, (text: string) => string>> = {
  'by itself': (text) => text,
  'in a sentence': (text) => `It says ${text}.`,
  'in JSON': (text) => JSON.stringify({ content: `first\n${text}\nlast` }),
  'in JSON within JSON': (text) => JSON.stringify(JSON.stringify(`first\n${text}\nlast`)),
  'in a file with line numbers': (text) =>
    text
      .split('\n')
      .map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
      .join('\n'),
  'in a diff': (text) => text.replace(/^/gm, '+'),
  'in color': (text) => `\u001b[32m${text}\u001b[0m`,
  'in Markdown': (text) => `\`${text}\``,
};

test.each(Object.entries(places))('every kind of secret is found %s', (_, put) => {
  for (const { secret, text } of syntheticSecrets(2 * kindCount, 'kinds')) {
    const shown = redact(put(text));
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
  }
});

test('there are more than a hundred kinds', () => {
  expect(kindCount).toBeGreaterThan(100);
});

test('matches lie within the text, in order, without duplicates', () => {
  const text = syntheticSecrets(kindCount, 'order')
    .map((one) => one.text)
    .join('\n');
  const secrets = findSecrets(text);
  expect(secrets.length).toBeGreaterThanOrEqual(kindCount);
  let end = 0;
  for (const secret of secrets) {
    expect(secret.start).toBeGreaterThanOrEqual(end);
    expect(secret.end).toBeGreaterThan(secret.start);
    end = secret.end;
  }
  expect(end).toBeLessThanOrEqual(text.length);
});

test.each([
  ['AKIAQYLPMN5HHHFPZAM2', 'aws-access-key'],
  [`ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`, 'github-token'],
  ['postgres://app:hk38Gt2q@db/main', 'url-password'],
  ['Authorization: Bearer mF9B5f41JqMkL2xTzQ', 'bearer-token'],
  ['PASSWORD="Tr0ub4dor&3"', 'password'],
  ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzKe9Ya', 'key'],
])('%s is found as %s', (text, kind) => {
  expect(findSecrets(text).map((secret) => secret.kind)).toEqual([kind]);
});

test('only the password in a URL is replaced, so that the URL stays readable', () => {
  expect(redact('see https://me:hk38Gt2q@git.host.io/x.git now')).toMatch(
    /^see https:\/\/me:\[redacted: url-password [0-9a-f]{4}\]@git\.host\.io\/x\.git now$/,
  );
});

test.each([
  ['the beginning of a key', (lines: string[]) => lines.slice(0, 9)],
  ['the end of a key', (lines: string[]) => lines.slice(9)],
])('%s is a secret too, because outputs are cut', (_, part) => {
  const [key] = syntheticSecrets(kindCount, 'cut').filter(({ text }) => text.startsWith('-----BEGIN RSA'));
  const lines = part(key?.text.split('\n') ?? []);
  const shown = redact(['before', ...lines, 'after this, nothing'].join('\n'));
  for (const line of lines) expect(shown).not.toContain(line);
  expect(shown).toContain('before');
  expect(shown).toContain('after this, nothing');
});

test.each([
  'password: string;',
  'const token = this.tokenizer.next();',
  'apiKey: process.env.API_KEY',
  'password = "changeme"',
  'api_key: "your-api-key-goes-here-123"',
  'token: "<paste your token here>"',
  'const secret = `$' + '{prefix}_$' + '{id}`;',
  'https://user:password@host/',
  'http://user:hunter22@example.com',
  'AKIAIOSFODNN7EXAMPLE',
  '"integrity": "sha512-Zx9hc0NzQ7Vq2uKDFYrfGsb8T1lXG8mJb9vN4WbL1nQ=="',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'id: 123e4567-e89b-12d3-a456-426614174000',
  'commit 2cd6eff0b3a1c4d5e6f708192a3b4c5d6e7f8091',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----',
  "if (pem.startsWith('-----BEGIN PRIVATE KEY-----') && pem.endsWith('-----END PRIVATE KEY-----')) return pem;",
  'nextToken = Int32Array.from(token)',
  'Bearer authentication is required',
  'postgres://localhost:5432/main',
  'http://localhost:3000/@scope/name',
  'passwordless login, tokens: 4096, max_tokens=128000',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
])('%s is not a secret', (text) => {
  expect(findSecrets(text)).toEqual([]);
});

test('the user’s own key is a secret, whatever it looks like', () => {
  const own = ['local-key'];
  expect(redact('sent local-key to the server', { own })).toMatch(
    /^sent \[redacted: own-key [0-9a-f]{4}\] to/,
  );
  expect(redact('a short one is a word: abc', { own: ['abc'] })).toContain('abc');
});
