import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, redact, redactDeep } from '../../src/redact/redact.ts';
import { kindCount, syntheticSecrets } from './syntheticSecrets.ts';

const token = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`;

test('the same secret gets the same mark, and another secret another', () => {
  const [first, again, other] = redact(`${token} ${token} ${token.replace('a', 'z')}`).split(/(?<=\]) /);
  expect(first).toBe(again);
  expect(other).not.toBe(first);
});

test('redacted text is not redacted again', () => {
  for (const { text } of syntheticSecrets(kindCount, 'again')) {
    const once = redact(text);
    expect(redact(once)).toBe(once);
  }
});

test('text without secrets is unchanged to the character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      expect(redact(text)).toBe(text);
    }),
  );
});

test('every replacement is reported', () => {
  const marks: string[] = [];
  const text = redact(`a ${token} b ${token}`, { onRedacted: (mark) => marks.push(mark) });
  expect(marks).toHaveLength(2);
  for (const mark of marks) expect(text).toContain(mark);
});

test('in a value every string is redacted, field names included, and nothing else', () => {
  const value = { list: [1, token, { deep: `x ${token}` }], [token]: null, flag: true };
  expect(JSON.stringify(redactDeep(value))).not.toContain(token);
  expect(redactDeep(value)).toMatchObject({
    list: [1, expect.stringMatching(/^\[redacted/), {}],
    flag: true,
  });
});

test('a value without secrets is returned, not copied', () => {
  const value = { a: [1, { b: 'c' }] };
  expect(redactDeep(value)).toBe(value);
});

test('a field name can show that its value is a password', () => {
  expect(redactDeep({ dbPassword: 'hT7#kq2Lm9x' })).toEqual({
    dbPassword: expect.stringMatching(/^\[redacted/),
  });
  expect(redactDeep({ password: 'the user’s own', api_key: 'your-key' })).toEqual({
    password: 'the user’s own',
    api_key: 'your-key',
  });
});

test('JSON text is still JSON', () => {
  for (const { text } of syntheticSecrets(kindCount, 'json')) {
    expect(() => JSON.parse(redact(JSON.stringify({ text: `\n${text}\n` })))).not.toThrow();
  }
});

test('images are unchanged; text that only claims to be one is redacted', () => {
  const image = { type: 'image', mediaType: 'image/png', data: `${'iVBORw0KGgo'.repeat(9)}=` };
  expect(redactDeep({ content: [image] })).toEqual({ content: [image] });
  const other = { type: 'image', data: `see ${token}`, password: 'hT7#kq2Lm9x' };
  expect(JSON.stringify(redactDeep(other))).not.toMatch(/ghp_|hT7/);
});

/** Ordinary lines with secrets among them, `length` characters or a little more. */
function output(
  length: number,
  seed: string,
): { readonly text: string; readonly secrets: readonly string[] } {
  const parts: string[] = [];
  const secrets: string[] = [];
  let size = 0;
  for (let round = 0; size < length; round++) {
    for (const { secret, text } of syntheticSecrets(kindCount, `${seed}${round}`)) {
      const filler = `line ${size}: compiled src/module${size % 97}.ts in ${size % 13} ms\n`.repeat(
        1 + (size % 40),
      );
      parts.push(filler, text, '\n');
      secrets.push(secret);
      size += filler.length + text.length;
    }
  }
  return { text: parts.join(''), secrets };
}

function inPieces(text: string, sizes: readonly number[]): { readonly out: string; readonly most: number } {
  const redactor = createRedactor();
  const out: string[] = [];
  let held = 0;
  let most = 0;
  for (let at = 0, index = 0; at < text.length; index++) {
    const piece = text.slice(at, at + (sizes[index % sizes.length] ?? 1));
    at += piece.length;
    const passed = redactor.write(piece);
    held += piece.length - passed.length;
    most = Math.max(most, held);
    out.push(passed);
  }
  out.push(redactor.flush());
  return { out: out.join(''), most };
}

test('shows complete lines at any time, and no secret in them', () => {
  const { text } = output(60_000, 'released');
  const whole = redact(text);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 }), (sizes) => {
      const redactor = createRedactor();
      let out = '';
      for (let at = 0, index = 0; at < text.length; index++) {
        const piece = text.slice(at, at + (sizes[index % sizes.length] ?? 1));
        at += piece.length;
        out += redactor.write(piece) + redactor.release();
      }
      expect(out + redactor.flush()).toBe(whole);
    }),
    { numRuns: 20 },
  );
  const redactor = createRedactor();
  expect(redactor.write('one\ntwo') + redactor.release()).toBe('one\n');
  expect(redactor.write(' three\n') + redactor.release()).toBe('two three\n');
});

describe('a key whose beginning is not shown', () => {
  const keys = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${randomBytes(1400).toString('base64').replace(/.{70}/g, '$&\n')}`,
  ].map(String);
  const shown = (text: string): string => {
    const redactor = createRedactor({ keyLines: true });
    return [
      ...text.split(/(?<=\n)/).map((line) => redactor.write(line) + redactor.release()),
      redactor.flush(),
    ].join('');
  };

  test.each([
    ['lines of it', (line: string) => line],
    ['numbered lines', (line: string, at: number) => `${at}:${line}`],
    ['context of a search', (line: string, at: number) => `keys/LICENSE-${at}-${line}`],
    ['lines of a diff', (line: string) => `+${line}`],
    ['lines of a diff beside a graph', (line: string) => `| +${line}`],
    ['numbered lines of a diff', (line: string, at: number) => `${at}\t+${line}`],
    ['lines in UTF-16', (line: string) => [...line].join('\0')],
    ['strings of code', (line: string) => `  "${line}\\n" +`],
  ])('%s', (_, form) => {
    for (const key of keys) {
      const body = key.split('\n').filter((line) => /^.{64}(?:.{6})?$/.test(line) && !line.startsWith('-'));
      const out = shown(body.map((line, at) => `${form(line, at)}\n`).join(''));
      const left = body.filter((line) => out.replaceAll('\0', '').includes(line));
      expect(left.length).toBeLessThanOrEqual(body.length / 20);
      expect(out.split('\n')).toHaveLength(body.length + 1);
    }
  });

  test('does not resemble hashes, alphabets or encoded files', () => {
    const text = [
      createHash('sha256').update('a').digest('hex'),
      `"integrity": "sha512-${randomBytes(64).toString('base64')}",`,
      `const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';`,
      randomBytes(600).toString('base64').replace(/.{76}/g, '$&\n'),
    ].join('\n');
    expect(shown(text)).toBe(text);
  });
});

test('holds back a key until its end, or until it cannot be one', () => {
  const [key = ''] = syntheticSecrets(kindCount, 'held')
    .map(({ text }) => text)
    .filter((text) => text.startsWith('-----BEGIN RSA'));
  const redactor = createRedactor();
  let out = 'a\n';
  redactor.write(out);
  redactor.release();
  for (const line of key.split(/(?<=\n)/)) out += redactor.write(line) + redactor.release();
  out += redactor.write('\nb\n') + redactor.release();
  expect(out).toMatch(/^a\n\[redacted: private-key \w+\]\nb\n$/);
  const begun = createRedactor();
  expect(begun.write('-----BEGIN PRIVATE KEY-----\n') + begun.release()).toBe('');
  expect(begun.write(`is how it begins\n${'x y\n'.repeat(9000)}`) + begun.release()).toMatch(/^-----BEGIN/);
});

test('gives the same result for chunks of any size as for the whole text', { tags: 'long' }, () => {
  const { text } = output(600_000, 'pieces');
  const whole = redact(text);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 8 }), (sizes) => {
      expect(inPieces(text, sizes).out).toBe(whole);
    }),
    { numRuns: 15 },
  );
});

test('no secret slips through between two chunks', { tags: 'long' }, () => {
  const { text, secrets } = output(400_000, 'edges');
  for (const size of [1000, 4096, 65_536]) {
    const { out } = inPieces(text, [size]);
    for (const secret of secrets) expect(out).not.toContain(secret);
  }
});

test('nothing is missed in an endless line, and memory stays bounded', { tags: 'long' }, () => {
  const { text, secrets } = output(1_000_000, 'line');
  const { out, most } = inPieces(text.replaceAll('\n', ' '), [8192]);
  for (const secret of secrets.filter((one) => !one.includes('/'))) expect(out).not.toContain(secret);
  expect(most).toBeLessThan(500_000);
});

test('a surrogate pair is not split', () => {
  const text = '😀'.repeat(200_000);
  const redactor = createRedactor();
  const parts = [redactor.write(`x${text}`), redactor.write(text), redactor.flush()];
  for (const part of parts) expect(part.isWellFormed()).toBe(true);
  expect(parts.join('')).toBe(`x${text}${text}`);
});
