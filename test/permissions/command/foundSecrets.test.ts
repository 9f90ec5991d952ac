/** A program that gets the names of found files prints them whole: they are judged as if the command named them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bash, root } from '../harness.ts';

mkdirSync(join(root, 'found/config'), { recursive: true });
mkdirSync(join(root, 'found/src'), { recursive: true });
writeFileSync(join(root, 'found/config/redis.yml'), 'password: Maple-Tractor-19!\n');
writeFileSync(join(root, 'found/config/plain.yml'), 'host: x\n');
writeFileSync(join(root, 'found/src/a.ts'), 'const password = "Maple-Tractor-19!";\n');

test.each([
  'cat found/config/redis.yml',
  'find found/config -name redis.yml -exec cat {} +',
  'find found/config -name redis.yml -exec head -5 {} \\;',
  'find found -type f -exec cat {} +',
  "find found -name '*.yml' | xargs tail -n 3",
  'find found -name redis.yml -print0 | xargs -0 cat',
  'cat $(find found/config -name redis.yml)',
  'for f in $(find found/config -type f); do head -5 "$f"; done',
  'find found/config -type f | while read -r f; do cat "$f"; done',
])('%s asks', async (command) => {
  expect((await bash(command)).behavior).toBe('ask');
});

test.each([
  'find found/config -name plain.yml -exec cat {} +',
  'find found/src -type f -exec cat {} +',
  "find found -name '*.ts' | xargs cat",
  'find found -type f | xargs wc -l',
  'find found -type f -exec wc -l {} +',
  'find found -type f -exec sha256sum {} +',
  'find found -type f | xargs grep -l password',
  'find found -type f -exec ls -l {} +',
  'grep -rn password found',
])('%s runs', async (command) => {
  expect((await bash(command)).behavior).toBe('allow');
});
