/** Command lines are split into steps, so that git can change git folders, and package managers dependencies. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { commandStepsOf } from '../../../src/permissions/command/commandSteps.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'of-steps');

beforeAll(() => {
  for (const name of ['objects', 'refs']) mkdirSync(join(project, '.git', name), { recursive: true });
  writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
  mkdirSync(join(project, 'sub'));
});

/** The steps; those that depend on the previous one begin with `&&`. */
async function stepsOf(command: string): Promise<readonly string[]> {
  const steps = commandStepsOf(command, project, await policyFor([], 'default', { root: project }));
  return steps.map((step) => (step.isConditional ? `&& ${step.command}` : step.command));
}

test('each step lists the folders it may end in', async () => {
  const line = 'cd sub && npm test && git add a; npm run lint && cd .. && git add b';
  const steps = commandStepsOf(line, project, await policyFor([], 'default', { root: project }));
  const sub = join(project, 'sub');
  expect(steps.map(({ command, endsIn }) => [command, endsIn])).toEqual([
    ['cd sub && npm test', [project, sub]],
    ['git add a', [project, sub]],
    ['npm run lint && cd ..', [project, join(project, '..'), sub]],
    ['git add b', [project, join(project, '..'), sub]],
  ]);
});

const message = `"$(cat <<'EOF'\nfix: a; b && c\n\nwhy\nEOF\n)"`;

test.each([
  ['npm test && git commit -m x', ['npm test', '&& git commit -m x']],
  ['npm test; git commit -m x', ['npm test', 'git commit -m x']],
  ['npm test\ngit commit -m x', ['npm test', 'git commit -m x']],
  ['npm test # all\n# then\ngit commit -m x', ['npm test', 'git commit -m x']],
  [
    'npm run build && npm test && git add -A && git commit -m x && git push',
    ['npm run build && npm test', '&& git add -A && git commit -m x && git push'],
  ],
  ['cd sub && npm test && git add . && git status', ['cd sub && npm test', '&& git add . && git status']],
  ['git add -A && npx tsc && git commit -m x', ['git add -A', '&& npx tsc', '&& git commit -m x']],
  [`npm test && git commit -m ${message}`, ['npm test', `&& git commit -m ${message}`]],
  [
    'npm test 2>&1 | tail -5 && git commit -m x 2>&1 | tail -1',
    ['npm test 2>&1 | tail -5', '&& git commit -m x 2>&1 | tail -1'],
  ],
  ['npm test > log 2>&1 && git add -A', ['npm test > log 2>&1', '&& git add -A']],
  ['npm test && git add -A > log', ['npm test', '&& git add -A > log']],
  ['(cd sub && npm test) && git add -A', ['(cd sub && npm test)', '&& git add -A']],
  ['! npm test && git add -A', ['! npm test', '&& git add -A']],
  ['FORCE_COLOR=0 npm test && git add -A', ['FORCE_COLOR=0 npm test', '&& git add -A']],
  ['pnpm install && pnpm test', ['pnpm install', '&& pnpm test']],
  ['cd sub && npm ci && npm run build', ['cd sub && npm ci', '&& npm run build']],
  ['npm ci && npm test && git commit -m x', ['npm ci', '&& npm test', '&& git commit -m x']],
  // `git add` and `git stash` run even if the tests fail.
  ['npm test && git add a; git stash', ['npm test', '&& git add a', 'git stash']],
])('splits %s', async (command, steps) => {
  expect(await stepsOf(command)).toEqual(steps);
});

test.each([
  'npm test',
  'git add -A && git commit -m x',
  'npm test && git status',
  'npm ci',
  'npm ci && ls node_modules',
  'npm test && npm run build',
  // Parts joined in other ways.
  'npm test || git stash',
  'npm test && git add a || git stash',
  'npm test & git add a',
  'npm test | git commit -F -',
  'for f in a b; do npm test; git add $f; done',
  'if npm test; then git add a; fi',
  '{ npm test; git add a; }',
  'f() { npm test; }; f && git add a',
  'cat <<EOF > x && npm test && git add x\na\nEOF',
  // Parts that depend on the state of the shell.
  'set -e; npm test; git add a',
  'export A=b && npm test && git add a',
  'x=1; npm test && git commit -m "$x"',
  'x=$(npm test) && git commit -m "$x"',
  'npm test; echo $?; git add a',
  'npm test; git commit -m "$_"',
  'npm test && git commit -m "${X:=a}" && echo $X',
  'printf -v m x; npm test; git commit -m "$m"',
  'read m < file; npm test; git commit -m "$m"',
  'source env.sh && npm test && git add a',
  'pushd sub && npm test && popd && git add a',
  'cd sub && npm test && cd - && git add a',
  'exec npm test; git add a',
  'npm test; exit 0; git add a',
  'umask 077; npm test; git add a',
  'alias g=git; npm test; git add a',
  "eval 'x=1'; npm test; git add a",
  'trap true EXIT; npm test; git add a',
  '$CMD && npm test && git add a',
  'i=0; npm test $((i++)); git add a',
  // No part may change git folders.
  'npm test && git -c core.sshCommand=./x push',
])('does not split %s', async (command) => {
  expect(await stepsOf(command)).toEqual([command]);
});
