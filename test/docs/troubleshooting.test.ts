/** docs/troubleshooting.md quotes messages: the program must still print each of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const checkout = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(checkout, 'docs/troubleshooting.md'), 'utf8');
const sources = ['src', 'bin', 'node_modules/commander/lib']
  .flatMap((folder) =>
    readdirSync(join(checkout, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  )
  .filter((file) => /\.(?:tsx?|m?js)$/.test(file))
  .map((file) => readFileSync(join(checkout, file), 'utf8'))
  .join('\n');

const quoted = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, message = '']) => message);

test('the table is not empty', () => {
  expect(quoted.length).toBeGreaterThan(30);
});

test.each(quoted)('the program still prints: %s', (message) => {
  const gone = message.split('…').filter((part) => !sources.includes(part.trim()));
  expect(gone).toEqual([]);
});
