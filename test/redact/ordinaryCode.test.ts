import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/redact/findSecrets.ts';

const root = resolve(import.meta.dirname, '../..');

/** Text files in a folder, in order, up to this many bytes. */
function textFiles(folder: string, maxBytes: number): string[] {
  const files: string[] = [];
  let bytes = 0;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  for (const name of names) {
    if (bytes >= maxBytes) break;
    if (!/\.(?:[cm]?[jt]sx?|json|md|ya?ml|css|html|svg|map)$/.test(name)) continue;
    const file = join(folder, name);
    const stat = statSync(file);
    if (!stat.isFile() || stat.size > 2e6) continue;
    files.push(file);
    bytes += stat.size;
  }
  return files;
}

/** Secrets by their form, published in the packages’ own tests and documents. */
const known = [
  'node_modules/@mixmark-io/domino/test/domino.js', // https://joe:smith@other.net
  'node_modules/es-toolkit/README.md', // the token of a badge
  'node_modules/zod/src/v4/classic/tests/string.test.ts', // a password in an address
  'node_modules/zod/src/v4/mini/tests/string.test.ts', // JSON Web Tokens
];

test('ten megabytes of ordinary code contain no secrets', { tags: 'long' }, () => {
  const files = textFiles(join(root, 'node_modules'), 11e6);
  let characters = 0;
  const hits: string[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    characters += text.length;
    const name = relative(root, file);
    if (known.includes(name)) continue;
    for (const { kind, start, end } of findSecrets(text))
      hits.push(`${name} ${kind} ${text.slice(start, end)}`);
  }
  expect(hits).toEqual([]);
  expect(characters).toBeGreaterThan(10e6);
});

test('a lock file full of hashes contains none, and neither does this program', { tags: 'long' }, () => {
  const files = [join(root, 'package-lock.json'), ...textFiles(join(root, 'src'), 1e8)];
  for (const file of files) expect([file, findSecrets(readFileSync(file, 'utf8'))]).toEqual([file, []]);
});

test('base64 images, hashes and ids contain none', () => {
  const bytes = Buffer.from(
    Array.from({ length: 300_000 }, (_, index) => (index * index * 31 + index * 7) % 251),
  );
  const text = [
    `data:image/png;base64,${bytes.toString('base64')}`,
    bytes.toString('hex'),
    Array.from({ length: 500 }, () => crypto.randomUUID()).join('\n'),
    Array.from(
      { length: 500 },
      (_, index) => `sha512-${bytes.subarray(index, index + 64).toString('base64')}`,
    ).join('\n'),
  ].join('\n');
  expect(findSecrets(text)).toEqual([]);
});
