import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Grant } from '../../src/protocol/permissions.ts';
import { createValueRedactor } from '../../src/tools/shell/valueRedactor.ts';
import { openWorkbench } from './workbench.ts';

test('a secret is found however the text is split, and nothing else changes', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 40 });
  const secret = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 8 }),
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      (pieces, values) => {
        const secrets = values.map((value) => ({ value, mark: '#' }));
        const redactor = createValueRedactor(secrets);
        const out = pieces.map((piece) => redactor.write(piece)).join('') + redactor.flush();
        for (const value of values) expect(out).not.toContain(value);
        if (!values.some((value) => pieces.join('').includes(value))) expect(out).toBe(pieces.join(''));
      },
    ),
  );
});

test('values of a .env file are redacted in command output, unless the file was asked for', {
  tags: 'long',
}, async () => {
  const bench = await openWorkbench({
    knownSecrets: () => [{ value: 'hunter2hunter2', mark: '[redacted: PASSWORD of .env]' }],
  });
  await writeFile(
    join(bench.root, 'app.sh'),
    'echo "pw=$(cat .env)"; printf hunter2; sleep 0.1; printf hunter2',
  );
  await writeFile(join(bench.root, '.env'), 'hunter2hunter2\n');
  const run = async (
    command: string,
    basis: Grant['basis'],
    rule?: { text: string; source: string },
  ): Promise<string> => {
    const prepared = await bench.prepare('Bash', { command });
    if (prepared.type === 'invalid') throw new Error(prepared.message);
    return (await prepared.run({ basis, ...(rule && { rule }) })).text;
  };
  const printed = await run('sh app.sh', 'user');
  expect(printed).not.toContain('hunter2hunter2');
  expect(printed.match(/\[redacted: PASSWORD of \.env\]/g)).toHaveLength(2);
  expect(await run('sh app.sh # process.env', 'user')).not.toContain('hunter2hunter2');
  expect(await run('cat .env', 'user')).toContain('hunter2hunter2');
  expect(await run('cat .env', 'read-only')).not.toContain('hunter2hunter2');
  const rule = (text: string) => ({ text, source: 'session' });
  expect(await run('cat .env', 'rule', rule('Bash(cat .env)'))).toContain('hunter2hunter2');
  expect(await run('cat $(printf .env)', 'rule', rule('Bash'))).not.toContain('hunter2hunter2');
  await bench.close();
});

test('a value that a background command prints in two halves is redacted, even if it is read in between', async () => {
  const bench = await openWorkbench({
    knownSecrets: () => [{ value: 'hunter2hunter2', mark: '[redacted: PASSWORD of .env]' }],
  });
  const command = 'printf "pw=hunter2hu"; while [ ! -f go ]; do sleep 0.05; done; echo nter2, done';
  const started = await bench.call('Bash', { command, run_in_background: true }, undefined, {
    basis: 'user',
  });
  const read = async (input = {}) => (await bench.call('BashOutput', { task_id: 'b1', ...input })).text;
  const first = started.text + (await read());
  await writeFile(join(bench.root, 'go'), '');
  const all = first + (await read({ wait: 20_000 }));
  expect(all).not.toMatch(/hunter|nter2/);
  expect(all).toContain('[redacted: PASSWORD of .env], done');
  await bench.close();
});

test('a secret is found in the forms in which programs print it', () => {
  const value = 'p@ss/wo"rd&1 #x';
  const redactor = createValueRedactor([{ value, mark: '[redacted]' }]);
  const printed = [
    value,
    JSON.stringify({ value }),
    `postgres://u:${encodeURIComponent(value)}@h`,
    Buffer.from(value).toString('hex'),
    ...['', 'u:', 'user:', 'admin:'].map((before) => btoa(`${before}${value}`)),
    Buffer.from(`u:${value}?>`).toString('base64url'),
    Buffer.from(`=${value}`, 'utf16le').toString(),
  ];
  for (const text of printed) {
    const shown = redactor.write(`${text}\n`);
    expect(shown, text).toContain('[redacted]');
    expect(shown.replaceAll('\0', ''), text).not.toContain('ss/wo');
  }
});
