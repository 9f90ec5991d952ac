import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEnvSecrets } from '../../../src/cli/permissions/envSecrets.ts';

test('the secrets of .env files are known, and words that would be found in any text are not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, '.env'),
    [
      '# comment',
      'NODE_ENV=development',
      'PORT=3000',
      'API_URL=http://localhost:3000/api',
      'DB_PASSWORD="correct horse"',
      'export STRIPE_SECRET=abc123def456',
      'DATABASE_URL=postgres://app:s3cretpw@db/app',
      'SESSION_TOKEN=dev',
    ].join('\n'),
  );
  writeFileSync(join(folder, '.env.local'), "OTHER_TOKEN='zz99yy88xx77'\n");
  writeFileSync(join(folder, '.env.example'), 'API_TOKEN=put-yours-here\n');
  writeFileSync(
    join(folder, '.env.pem'),
    [
      'PRIVATE_KEY="-----BEGIN PRIVATE KEY-----',
      'MIIEvQIBADANBgkqhkiG9w0B',
      '-----END PRIVATE KEY-----"',
      'SIGNING_SECRET="first-line-of-it-1\\nsecond-line-of-it"',
      'NEXT_SECRET="with \\"quotes\\" in it" # note',
      'CRLF_SECRET=ends-with-crlf',
    ].join('\r\n'),
  );
  const inLines = createEnvSecrets()([folder])
    .filter(({ mark }) => /PRIVATE|SIGNING|NEXT|CRLF/.test(mark))
    .map(({ value }) => value);
  for (const value of [
    'MIIEvQIBADANBgkqhkiG9w0B',
    'first-line-of-it-1',
    'second-line-of-it',
    'ends-with-crlf',
  ])
    expect(inLines).toContain(value);
  rmSync(join(folder, '.env.pem'));
  expect(
    createEnvSecrets()([folder, folder, '/nonexistent'])
      .map(({ value }) => value)
      .sort(),
  ).toEqual(['abc123def456', 'correct horse', 's3cretpw', 'zz99yy88xx77'].sort());
});

test('those of packages are known as soon as they are there, those of what is installed are not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['packages/a', 'packages/b/deploy', 'node_modules/x'])
    mkdirSync(join(folder, name), { recursive: true });
  const secrets = createEnvSecrets();
  const values = (): readonly string[] =>
    secrets([folder, join(folder, 'packages/a')]).map(({ value }) => value);
  writeFileSync(join(folder, 'packages/a/.env'), 'A_TOKEN=abc123def456\n');
  writeFileSync(join(folder, 'node_modules/x/.env'), 'X_TOKEN=xxx123def456\n');
  expect(values()).toEqual(['abc123def456']);
  writeFileSync(join(folder, 'packages/a/.env'), 'A_TOKEN=abc123def457\n');
  writeFileSync(join(folder, 'packages/b/deploy/.env.local'), 'B_TOKEN=bbb123def456\n');
  expect(values()).toEqual(['abc123def457', 'bbb123def456']);
});
