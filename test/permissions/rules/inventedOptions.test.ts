/**
 * No rule with a wildcard that "don't ask again" proposes covers an option that its program's table does not list.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { programRows } from '../../../src/permissions/options/programTable.ts';
import { newWorkspace, policyFor, root } from '../harness.ts';

newWorkspace();

const subcommands =
  'test t ls list outdated audit view build lint restore format add commit merge cherry-pick mv fetch log show diff blame check clippy fmt bench doc vet freeze ps images logs checkout switch stash push pull rebase'.split(
    ' ',
  );
const runners = ['npm exec', 'pnpm exec', 'bunx', 'uv run', 'bundle exec', 'npx c8'];
const run = runners.flatMap((runner) => ['mocha', 'pytest', 'eslint'].map((tool) => `${runner} ${tool}`));
const scripts = ['npm', 'pnpm', 'yarn', 'bun'].map((name) => `${name} run build -- src`);
const branches = [
  'git checkout -b x',
  'git switch -c x',
  ...['push', 'save x', 'pop', 'apply', 'list', 'show'].map((form) => `git stash ${form}`),
];

const programs = programRows.flatMap(({ programs: names, subcommands: some, allSubcommands: all }) =>
  names.split(' ').map((name) => ({ name, hasSubcommands: (some ?? all) !== undefined })),
);

const calls = [
  ...programs.flatMap(({ name, hasSubcommands }) => [
    name,
    `npx ${name}`,
    `c8 ${name}`,
    `python3 -m ${name}`,
    ...(hasSubcommands ? subcommands.map((word) => `${name} ${word}`) : []),
  ]),
  ...run,
  ...scripts,
  ...branches,
];

/** The prefixes of the rules that are proposed for any of these calls. */
async function proposed(): Promise<readonly string[]> {
  const policy = await policyFor();
  const found = new Set<string>();
  for (const command of calls) {
    const decision = decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy);
    const rules = decision.behavior === 'ask' ? (decision.suggestion?.rules ?? []) : [];
    for (const rule of rules) {
      const prefix = /^Bash\((.*):\*\)$/.exec(rule)?.[1];
      if (prefix !== undefined) found.add(prefix);
    }
  }
  return [...found];
}

test('no rule that "don\'t ask again" proposes covers an invented option', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  const prefixes = await proposed();
  expect(prefixes.length).toBeGreaterThan(60);
  expect(prefixes).toEqual(
    expect.arrayContaining(['mocha', 'npx mocha', 'go test', 'git fetch', 'npm run build']),
  );
  const covered: string[] = [];
  for (const prefix of prefixes) {
    const policy = await policyFor([`allow Bash(${prefix}:*)`]);
    for (const words of [
      '--zzz',
      '--zzz=x',
      '--zzz x',
      '--no-zzz',
      '-Z',
      '-Zx',
      'src --zzz-yyy=src/app.ts',
      '-zzz.yyy',
    ]) {
      const command = `${prefix} ${words}`;
      const { behavior } = decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy);
      if (behavior === 'allow') covered.push(command);
    }
  }
  expect(covered).toEqual([]);
});
