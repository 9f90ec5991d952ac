import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { bash, home, outside, policyFor, root } from '../harness.ts';

describe('"always" for a command saves', () => {
  test.each([
    ['npm run build', ['Bash(npm run build)']],
    ['npm test -- --exec x', ['Bash(npm test -- --exec x)']],
    ['npm test -- -u', ['Bash(npm test:*)']],
    ['npx vitest run --config a.txt', ['Bash(npx vitest:*)']],
    ['npx vitest run --config ./x', ['Bash(npx vitest run --config ./x)']],
    ['npm test -- src/app.ts', ['Bash(npm test:*)']],
    ['python -m pytest -x src', ['Bash(python -m pytest:*)']],
    ['python -m http.server', ['Bash(python -m http.server)']],
    ['npx vitest run src', ['Bash(npx vitest:*)']],
    ['npx vitest --config x', ['Bash(npx vitest --config x)']],
    ['pytest -p x', ['Bash(pytest -p x)']],
    ['cargo test foo', ['Bash(cargo test:*)']],
    ['npm install lodash', ['Bash(npm install lodash)']],
    ['npm run lint -- src', ['Bash(npm run lint:*)']],
    ['touch src/new.ts', ['Bash(touch:*)']],
    ['git log --output=x', ['Bash(git log --output=x)']],
    ['grep -rP foo src sub --include=*.json', undefined],
    ['find . -exec touch x +', ['Bash(find . -exec touch x +)']],
    ['cd src && npm test', ['Bash(cd src && npm test)']],
    ['cd src && pytest -x', ['Bash(cd src && pytest:*)']],
    ['git commit -m "x*"', ['Bash(git commit:*)']],
    ['git push origin main', ['Bash(git push origin main)']],
    // Other forms of these discard changes, branches or stashes.
    ['git stash list --foo', ['Bash(git stash list --foo)']],
    ['git stash push -m x', ['Bash(git stash push:*)']],
    ['git stash', ['Bash(git stash)']],
    ['git stash drop', ['Bash(git stash drop)']],
    ['git checkout main', ['Bash(git checkout main)']],
    ['git checkout -b x', ['Bash(git checkout -b:*)']],
    ['git switch main', ['Bash(git switch main)']],
    ['git branch -D x', ['Bash(git branch -D x)']],
    ['git tag v1', ['Bash(git tag v1)']],
    ['mocha -O output=src/a.ts', ['Bash(mocha -O output=src/a.ts)']],
    ['eslint --mcp', ['Bash(eslint --mcp)']],
    ['kubectl get pods', ['Bash(kubectl get pods)']],
    ['docker inspect x', ['Bash(docker inspect x)']],
    ['rm -rf build', ['Bash(rm -rf build)']],
    ['sudo npm test', ['Bash(sudo npm test)']],
    ['node -e "1"', ['Bash(node -e "1")']],
    ['python x.py', ['Bash(python x.py)']],
    ['bash x.sh', ['Bash(bash x.sh)']],
    ['npx cowsay hi', ['Bash(npx cowsay hi)']],
    ['FOO=1 npm test', ['Bash(FOO=1 npm test)']],
    ['ls && npm test && npm run lint', ['Bash(npm test)', 'Bash(npm run lint)']],
    ['npm test; npm test', ['Bash(npm test)']],
    ['timeout 5 npm test', ['Bash(npm test)']],
    ["bash -c 'npm test'", ['Bash(npm test)']],
    ['sqlite3 x.db "select 1"', ['Bash(sqlite3 x.db "select 1")']],
    ['cat a.txt | python3 x.py', ['Bash(python3 x.py)']],
    // Programs that run what they read, and words that are not shown.
    ['cat a.txt | bash', undefined],
    ['bash -s x < a.txt', undefined],
    ["python3 <<'EOF'\nprint(1)\nEOF", undefined],
    ['cat a.txt | python3.12', undefined],
    ['cat a.txt | node', undefined],
    ['psql app < a.txt', undefined],
    ['sqlite3 x.db < a.txt', undefined],
    ['find . -name x | xargs rm', undefined],
    ['ls | xargs cat', undefined],
  ])('%s', async (command, rules) => {
    const { suggestion } = await bash(command);
    if (rules === undefined) return expect(suggestion).toBeUndefined();
    expect(suggestion).toMatchObject({
      rules,
      destination: 'local',
      file: join(root, '.clawdcode.local.json'),
    });
    for (const rule of rules) expect(suggestion?.label).toContain(rule);
    expect(suggestion?.detail).toContain('saved to .clawdcode.local.json');
    // Once saved, the same command needs no approval.
    expect(
      (
        await bash(
          command,
          rules.map((rule) => `allow ${rule}`),
        )
      ).behavior,
    ).toBe('allow');
  });

  test('only the parts that no rule allows yet', async () => {
    const { suggestion } = await bash('npm test && npm run lint', ['allow Bash(npm test)']);
    expect(suggestion?.rules).toEqual(['Bash(npm run lint)']);
  });
});

test('a rule saved by "always" covers nothing outside the workspace, and no word known only to the shell', {
  tags: 'long',
}, async () => {
  const asked = [
    'npm test -- src/app.ts',
    'npm run lint -- src',
    'pytest src',
    'npx vitest run src',
    'npx eslint src',
    'tsc -p .',
    'git commit -m x',
    'git add src',
    'git checkout -b x',
    'cargo test x',
    'go test ./...',
    'mkdir x',
    'touch x',
    'prettier --check src',
    'mypy src',
  ];
  const more = [
    `${outside}/x`,
    '~/.ssh/id_rsa',
    '../../x',
    '.env',
    '"$X"',
    '$X',
    '{.e,}nv',
    '$(id)',
    'link/x',
    '; curl x',
  ];
  for (const command of asked) {
    const { suggestion } = await bash(command);
    const rules = (suggestion?.rules ?? []).map((rule) => `allow ${rule}`);
    expect(rules, command).not.toEqual([]);
    for (const word of more)
      expect(await bash(`${command} ${word}`, rules), `${command} ${word}`).not.toMatchObject({
        behavior: 'allow',
      });
  }
});

describe('nothing is suggested for', () => {
  test.each([
    'cat .env',
    'ls "',
    '$X',
    'npm test > out',
    'npm test && cat .env',
    'foo *',
    'a; b; c; d; e; f',
    'cd ..',
    'PATH=/x',
    'ls ~',
    `foo ${'x'.repeat(400)}`,
    'foo "a\nb"',
    'touch ../x',
    'touch .git/hooks/x',
    'mkdir /tmp/x',
    'npm test ~/x',
    'grep -f x ~/.ssh',
    "grep -rh '' ~",
    'cp a.txt /tmp',
    'pytest /tmp/x',
    'cd "$X" && npm test',
    'cd src || cd docs; npm test',
    'make -C ../x',
    'make -f -',
    'make -f /dev/stdin',
    'at now',
    'sudo sh',
    'docker exec -i box sh',
    'ssh host',
    'rbash',
    'kubectl apply -f -',
    "printf 'x:\\n' | make -f - x",
    'docker compose -f - up',
    'npm test $X',
    'git commit -F ~/.ssh/id_rsa',
  ])('%s', async (command) => expect((await bash(command)).suggestion).toBeUndefined());

  test('a call that an ask rule names', async () => {
    expect((await bash('npm test', ['ask Bash(npm:*)'])).suggestion).toBeUndefined();
  });
});

test('acceptEdits is suggested for an edit, but not of secrets or files outside the workspace', async () => {
  const policy = await policyFor();
  const ask = (path: string) =>
    decide({ tool: 'Edit', access: { type: 'write', paths: [join(root, path)] } }, policy).suggestion;
  expect(ask('a.txt')).toMatchObject({ destination: 'mode', rules: [] });
  expect(ask('.env')).toBeUndefined();
  expect(ask('.git/config')).toBeUndefined();
  expect(ask('../x')).toBeUndefined();
});

test('a rule for the directory is suggested for a read outside the workspace, but never for the home directory', async () => {
  const policy = await policyFor();
  const ask = (tool: string, path: string) =>
    decide({ tool, access: { type: 'read', paths: [path] } }, policy).suggestion;
  expect(ask('Read', join(outside, 'secret.txt'))).toMatchObject({
    rules: [`Read(/${outside}/**)`],
    destination: 'session',
  });
  expect(ask('Grep', outside)?.rules).toEqual([`Read(/${outside}/**)`]);
  expect(ask('Read', join(root, 'link/secret.txt'))?.rules).toEqual([`Read(/${outside}/**)`]);
  expect(ask('Read', join(home, 'x.txt'))?.rules).toEqual([`Read(/${join(home, 'x.txt')})`]);
  // A system folder contains files of many programs.
  expect(ask('Read', '/etc/passwd')?.rules).toEqual(['Read(//etc/passwd)']);
  expect((await bash('cat /etc/passwd')).suggestion?.rules).toEqual(['Read(//etc/passwd)']);
  for (const path of [home, '/']) expect(ask('Grep', path)).toBeUndefined();
  expect(ask('Read', join(home, '.ssh/id_rsa'))).toBeUndefined();
  expect((await bash(`cat ${outside}/secret.txt`)).suggestion?.rules).toEqual([`Read(/${outside}/**)`]);
});
