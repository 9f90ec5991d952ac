import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor, redact } from '../../src/redact/redact.ts';
import { tokenFormats } from '../../src/redact/tokenFormats.ts';
import { cpuClock } from '../cpuTime.ts';

const pieces = [
  ...tokenFormats.flatMap(({ literals }) => literals),
  ...[
    'eyJ',
    'eyJ-',
    'eyJa.',
    '://',
    '://a:',
    'a:b@',
    'password=',
    'password is ',
    'token = "',
    'pwd',
    'api_key',
    '_auth',
  ],
  ...[
    '-----BEGIN RSA PRIVATE KEY-----',
    '-----END RSA PRIVATE KEY-----\n',
    `${'A'.repeat(64)}\n`,
    'Private-MAC: 00000000',
  ],
  ...[
    'PuTTY-User-Key-File-3: ',
    'bearer ',
    'LS0tLS1CRUdJTi',
    'uid=a;pwd=',
    'pwd=a;a;',
    'a:b@tcp(',
    'jdbc:oracle:thin:a/',
    '"kty":"RSA",',
    '"d":"aB3dE6gH9jK2mN5p",',
    '{"value":"',
    'password: >-\n  ',
    '<token>',
    'secret: a1.',
    'db_key = a-b_c/',
    '--password ',
    '\\n',
    '\u001b[0m',
    '1234567890',
  ],
  ...[
    'M',
    'MMMMMMMMMMMMMMMMMMMMMMMMa.aaaaaa.',
    ':AA',
    'aA1',
    '=',
    '"',
    "'",
    ' ',
    '\n',
    '\ud800',
    '-',
    '_',
    '.',
    'x',
  ],
];

/** Far more than it takes on any machine that can run the tests; a quadratic search takes hours. */
const CEILING_MS = 15_000;

test('a megabyte of anything that looks like the start of a secret is read in linear time', {
  tags: 'long',
  timeout: 180_000,
}, () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 4 }), (parts) => {
      const unit = parts.join('');
      const text = unit.repeat(Math.ceil(1e6 / unit.length));
      const spentMs = cpuClock();
      redact(text, { keyLines: true, isSettings: true });
      expect(spentMs()).toBeLessThan(CEILING_MS);
    }),
    { numRuns: 25 },
  );
});

test('redacts any text, at once or in chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      const redactor = createRedactor();
      expect(parts.map((part) => redactor.write(part)).join('') + redactor.flush()).toBe(
        redact(parts.join('')),
      );
    }),
    { numRuns: 300 },
  );
});
