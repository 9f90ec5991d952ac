/** A rule covers the words of a command, not its input, which the program may run. */
import { describe, expect, test } from 'vitest';
import { bash } from '../harness.ts';

const feeds: readonly (readonly [string, (command: string) => string])[] = [
  ['a pipe', (command) => `echo rm -rf x | ${command}`],
  ['a pipe into a group', (command) => `echo rm -rf x | { true; ${command}; }`],
  ['a pipe into a subshell', (command) => `echo rm -rf x | (${command})`],
  ['a pipe into another shell', (command) => `echo rm -rf x | bash -c '${command}'`],
  ['a pipe into a wrapper', (command) => `echo rm -rf x | timeout 9 ${command}`],
  ['a pipe into a substitution', (command) => `echo rm -rf x | echo "$(${command})"`],
  ['a pipe into a loop', (command) => `echo rm -rf x | while true; do ${command}; done`],
  ['a pipe into a condition', (command) => `echo rm -rf x | if ${command}; then true; fi`],
  ['a file', (command) => `${command} < a.txt`],
  ['a file for a group', (command) => `{ ${command}; } < a.txt`],
  ['a here-document', (command) => `${command} <<'EOF'\nrm -rf x\nEOF`],
  ['a pipe after a here-document', (command) => `cat <<'EOF' | ${command}\nrm -rf x\nEOF`],
  ['a here-string', (command) => `${command} <<< 'rm -rf x'`],
  ['a process substitution', (command) => `echo rm -rf x > >(${command})`],
  ['a process substitution as an argument', (command) => `tee >(${command})`],
  ['a redirection that stays', (command) => `exec < a.txt; ${command}`],
  ['a function in a pipeline', (command) => `cat() { ${command}; }; echo rm -rf x | cat`],
];

describe.each(feeds)('%s', (_, feed) => {
  test.each([
    ['docker run -i img', 'docker run -i img'],
    ['docker run:*', 'docker run -i img'],
    ['vim -es a.txt', 'vim -es a.txt'],
    ['deno run -', 'deno run -'],
    ['bun run -', 'bun run -'],
    ['sudo sh', 'sudo sh'],
    ['irb', 'irb'],
    ['ssh host:*', 'ssh host -p 22'],
    ['python3', 'python3'],
    ['python3 -i a.py', 'python3 -i a.py'],
    ['npm exec', 'npm exec'],
    ['make -f -', 'make -f -'],
    ['/usr/bin/foo', '/usr/bin/foo'],
  ])('is not covered by Bash(%s)', async (rule, command) => {
    const rules = [
      `allow Bash(${rule})`,
      'allow Bash(echo:*)',
      'allow Bash(cat:*)',
      'allow Bash(true)',
      'allow Bash(tee:*)',
      'allow Bash(exec:*)',
    ];
    expect((await bash(feed(command), rules)).behavior).toBe('ask');
  });
});

test.each([
  ['docker run -i img', 'docker run -i img'],
  ['docker run -i img', 'docker run -i img | tail -5'],
  ['docker run -i img', 'docker run -i img < /dev/null'],
  ['docker run -i img', 'echo a | wc -l && docker run -i img'],
  ['python3 a.py', 'cat a.txt | python3 a.py'],
  ['./solve', './solve < a.txt'],
  ['npm test', 'yes | npm test'],
  ['npx prettier --stdin-filepath a.ts', 'cat a.txt | npx prettier --stdin-filepath a.ts'],
  ['git commit:*', "git commit -F msg.txt <<'EOF'\nfix: x\nEOF"],
  ['gh pr create:*', 'cat a.txt | gh pr create --body-file -'],
  ['kubectl apply -f -:*', 'cat a.txt | kubectl apply -f -'],
  ['bash -s:*', 'cat a.txt | bash -s'],
])('Bash(%s) covers %s', async (rule, command) => {
  expect(await bash(command, [`allow Bash(${rule})`, 'allow Bash(yes)'])).toMatchObject({
    behavior: 'allow',
  });
});

test('the reason says why the rule does not cover the call', async () => {
  const { reason } = await bash('cat a.txt | docker run -i img', ['allow Bash(docker run -i img)']);
  expect(reason).toMatch(/does not cover what is piped into docker/);
});

describe('a pipe into a program that may run its input is not covered', () => {
  test.each([
    ...[
      'bash -o pipefail',
      'bash -euo pipefail',
      'sh -eux -o pipefail',
      'bash --norc -o errexit',
      'python3 -X dev',
    ],
    ...[
      'python3 -W ignore',
      'node --import tsx',
      'node -r x',
      'node --env-file f',
      'node inspect a.js',
      'perl -I lib',
    ],
    ...[
      'ruby -I lib',
      'julia -t 4',
      'osascript -l JavaScript',
      'ts-node -P f',
      'lua -l x',
      'bun repl',
      'deno',
    ],
    ...[
      'sqlite3 -separator , a.db',
      'sqlite3 a.db -separator ,',
      "sqlite3 -cmd '.mode csv' a.db",
      'redis-cli -p 6380',
    ],
    ...[
      'gdb -ex run ./prog',
      'gdb -c core ./prog',
      'ed -E a.txt',
      "ex -c 'set nu' a.txt",
      'sftp -r host',
      'psql app',
    ],
    ...['sed -nf- a.txt', 'curl -sK-', 'make -sf-', 'make --makef=-'],
    ...[
      'yarn tsx',
      'pnpm tsx',
      'yarn run tsx',
      'yarn -s exec node',
      'pnpm --filter a exec node',
      'npm explore x',
    ],
    ...[
      'npm --prefix a exec tsx',
      'yarn workspace a tsx',
      'bun x',
      'npx tsx',
      'npx vite-node',
      'uv run python',
    ],
    ...[
      'git apply',
      'git am',
      'git fast-import',
      'git log -p --stdin',
      'git cat-file --batch',
      'git -C . apply',
    ],
    ...['git restore --pathspec-from-file=-', 'git add --pathspec-from-file -', 'sort --files0-from=-'],
    ...[
      'pytest --pdb -s',
      'python manage.py shell',
      'bin/rails console',
      'php artisan tinker',
      'xmllint --noent -',
    ],
    ...['.venv/bin/ipython', 'vendor/bin/psysh', 'node_modules/.bin/vite-node', 'docker load', 'go tool x'],
  ])('%s', async (command) => {
    const rules = [`allow Bash(${command})`, `allow Bash(${command}:*)`, 'allow Bash(echo:*)'];
    const { behavior, suggestion } = await bash(`echo x | ${command}`, rules);
    expect({ behavior, suggestion }).toEqual({ behavior: 'ask', suggestion: undefined });
  });
});

test.each(['just -f -', 'rake -f -', 'jq -f -'])(
  'an exact rule for %s does not cover a pipe',
  async (command) => {
    const { behavior, suggestion } = await bash(`echo x | ${command}`, [`allow Bash(${command})`]);
    expect({ behavior, suggestion }).toEqual({ behavior: 'ask', suggestion: undefined });
  },
);

describe('a pipe into a program that does not run its input is covered', () => {
  test.each([
    ...[
      'bash a.sh',
      'bash -eux a.sh',
      "bash -c 'wc -l'",
      'python3 -u a.py',
      "python3 -c 'print(1)'",
      'node a.js x',
    ],
    ...[
      'node --enable-source-maps ./a.js',
      "node -e '1'",
      "perl -ne 'print'",
      "ruby -e 'p 1'",
      'deno run -A a.ts',
    ],
    ...[
      "sqlite3 -json a.db 'select 1'",
      "psql -c 'select 1'",
      'redis-cli get x',
      'cargo run',
      'go test',
      'npm run x',
    ],
    ...[
      'npx prettier --stdin-filepath a.ts',
      'jq .a',
      'sed -n 1p',
      "awk '{print}'",
      'sort -u',
      'tee out/a.log',
    ],
  ])('%s', async (command) => {
    expect(await bash(`echo x | ${command}`, [`allow Bash(${command})`, 'allow Bash(echo:*)'])).toMatchObject(
      {
        behavior: 'allow',
      },
    );
  });
});
