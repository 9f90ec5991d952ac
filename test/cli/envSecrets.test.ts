import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { envSecrets } from '../../src/cli/envSecrets.ts';

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
  expect(
    envSecrets([folder, folder, '/nonexistent'])
      .map(({ value }) => value)
      .sort(),
  ).toEqual(['abc123def456', 'correct horse', 's3cretpw', 'zz99yy88xx77'].sort());
});
