/** Secrets that a command may show without naming them, with a rule that allows every command. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bash, root } from '../harness.ts';

const shows = [
  'cat $(printf .env)',
  'cat "$(printf %s .env)"',
  'f=$(printf .env); cat "$f"',
  'cat $(echo server.key)',
  'for f in $(ls -a); do cat "$f"; done',
  'ls -a | while read -r f; do base64 "$f"; done',
  'grep -r . .',
  'find . -type f -exec cat {} +',
  'find . -exec sh -c \'base64 "$1"\' _ {} \\;',
  'find . -type f -print0 | xargs -0 cat',
  'ls -a | xargs -I{} cat {}',
  'ls -a | xargs -I{} sh -c "base64 {}"',
  'ls -a | sudo -n xargs -n1 base64',
  'ls -a | parallel cat',
  'tar cf - . | base64',
  'cp -r . /tmp/copy',
  'sudo -n cat "$X"',
  'docker build -t x .',
  'kubectl create secret generic x --from-file=. --dry-run=client -o yaml',
];

describe('with the rule Bash', () => {
  test.each(shows)('%s asks if there are secrets', async (command) => {
    const decision = await bash(command, ['allow Bash']);
    expect(decision.behavior).toBe('ask');
    expect(decision.causes).toContainEqual(expect.objectContaining({ isSecret: true }));
  });

  test.each([
    'npm test -- "$X"',
    'node "$f"',
    'mkdir -p "$d"',
    'kill "$pid"',
    'for f in $(ls); do echo "$f"; done',
    'git commit -m "$(date)"',
    'grep -rn token src',
    'cp -r src docs',
    'find . -name "*.o" -exec rm {} +',
    'ls | xargs -n1 rm',
    'docker run "$IMAGE"',
  ])('%s runs', async (command) => {
    expect(await bash(command, ['allow Bash'])).toMatchObject({ behavior: 'allow' });
  });

  test.each(shows.slice(0, 16))('%s runs in a folder without secrets', async (command) => {
    const clean = join(root, 'docs/clean');
    mkdirSync(clean, { recursive: true });
    writeFileSync(join(clean, 'a.txt'), 'x\n');
    expect(await bash(command, ['allow Bash'], 'default', clean)).toMatchObject({ behavior: 'allow' });
  });
});

test.each(['cat "$f"', 'ls -a | xargs -0 base64', 'cp -r . /tmp/copy'])(
  'without a rule, %s needs approval even in a sandbox',
  async (command) => {
    const decision = await bash(command);
    expect(decision.behavior).toBe('ask');
    expect(decision.causes).toContainEqual(expect.objectContaining({ isSecret: true }));
  },
);

test('the reason names a long command on one line', async () => {
  const { reason } = await bash(`cat \\\n  "$X" ${'a'.repeat(200)}`, ['allow Bash']);
  expect(reason).toMatch(/^cat .{70,80}… may show \S+\.$/);
});
