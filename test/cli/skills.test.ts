/** The permission rules of a repository's skills, with real files. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Permissions } from '../../src/cli/permissions/permissions.ts';
import { allowedToolsOf, openSkills, skillGrants } from '../../src/cli/skills.ts';
import { findSkills } from '../../src/extensions/findSkills.ts';

async function project() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-approval-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const root = join(base, 'repo');
  const place = { home: join(base, 'home'), dataRoot: join(base, 'home/.clawdcode'), root, cwd: root };
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(join(base, file)), { recursive: true });
    await writeFile(join(base, file), text);
  };
  const rulesOf = async (trust: Parameters<typeof allowedToolsOf>[1]) => {
    const { skills } = await findSkills({ ...place, isSensitive: () => false });
    const allowed = allowedToolsOf(place, trust);
    return skills.map((skill) => [skill.name, allowed(skill)]);
  };
  return { place, write, rulesOf };
}

const skill = (rules: string, text = 'Do it.'): string =>
  `---\ndescription: Does it.\nallowed-tools: ${rules}\n---\n${text}\n`;

test('only the repository’s rules need approval, for exactly one file content', async () => {
  const { place, write, rulesOf } = await project();
  await write('repo/.claude/skills/make/SKILL.md', skill('Bash(make:*)'));
  await write('repo/.claude/skills/plain/SKILL.md', '---\ndescription: Plain.\n---\nDo.\n');
  await write('home/.claude/skills/mine/SKILL.md', skill('Read'));
  const granted = await skillGrants(place);
  expect(granted).toEqual([
    {
      kind: 'skills',
      text: expect.stringMatching(/^Bash\(make:\*\) \(skill make; content [0-9a-f]{32}\)$/),
      source: '.claude/skills/make/SKILL.md',
    },
  ]);
  const mine = ['mine', ['Read']];
  expect(await rulesOf({ isTrusted: true, granted: [] })).toEqual([['make', []], mine, ['plain', []]]);
  expect(await rulesOf({ isTrusted: false, granted })).toEqual([['make', []], mine, ['plain', []]]);
  const approved = [['make', ['Bash(make:*)']], mine, ['plain', []]];
  expect(await rulesOf({ isTrusted: true, granted })).toEqual(approved);

  await write('repo/.claude/skills/make/SKILL.md', skill('Bash(make:*)', 'Do something else.'));
  expect(await rulesOf({ isTrusted: true, granted })).toEqual([['make', []], mine, ['plain', []]]);
});

test.each([
  ['run', 'Bash(bash scripts/run.sh)'],
  ['run with any arguments', 'Bash(bash scripts/run.sh:*)'],
  ['run by its path', 'Bash(./scripts/run.sh *)'],
])('rules no longer apply once a script that they %s has changed', async (_how, rule) => {
  const { place, write, rulesOf } = await project();
  await write('repo/.claude/skills/make/SKILL.md', skill(rule));
  await write('repo/scripts/run.sh', '. ./scripts/lib.sh\n');
  await write('repo/scripts/lib.sh', 'echo one\n');
  const granted = await skillGrants(place);
  const trust = { isTrusted: true, granted };
  expect(await rulesOf(trust)).toEqual([['make', [rule]]]);
  const allowed: Parameters<Permissions['allowForTurn']>[0][] = [];
  const skills = await openSkills(
    { ...place, isSensitive: () => false },
    { current: () => ({ folders: [] }), problem: async () => undefined } as never,
    {
      isSafe: false,
      allowedTools: allowedToolsOf(place, trust),
      allowForTurn: (rules) => allowed.push(rules),
    },
  );
  const [make] = skills.found.skills;
  if (make === undefined) throw new Error('No skill was found.');
  const used = async () => {
    const prepared = await skills.prepare(make, '', 's');
    return 'problem' in prepared ? prepared.problem : prepared.skill.allowedTools;
  };
  expect(await used()).toEqual([rule]);
  skills.allow(make);
  const [ofTurn] = allowed;
  expect(ofTurn?.rules()).toEqual([rule]);
  expect(ofTurn?.scripts).toContain(join(place.root, 'scripts/lib.sh'));
  await write('repo/scripts/lib.sh', 'echo two\n');
  expect(ofTurn?.rules(), 'changed since the skill was used').toEqual([]);
  expect(await used(), 'changed since the list was read').toEqual([]);
  expect(await rulesOf(trust)).toEqual([['make', []]]);
  expect(await skillGrants(place)).not.toEqual(granted);
  await write('repo/scripts/lib.sh', 'echo one\n');
  expect(await rulesOf(trust)).toEqual([['make', [rule]]]);
});

test.each([
  ['Bash(scripts/run.sh:*)', 'bash "scripts/$1.sh"', 'scripts/lint.sh'],
  ['Bash(scripts/run.sh *)', '. "$(dirname "$0")/$1.sh"', 'scripts/lint.sh'],
  ["Bash(bash -c 'sh scripts/$1.sh' _:*)", '', 'scripts/lint.sh'],
])('%s also covers the scripts that the model can choose by an argument', async (rule, text, chosen) => {
  const { place, write, rulesOf } = await project();
  await write('repo/.claude/skills/make/SKILL.md', skill(rule));
  await write('repo/scripts/run.sh', text);
  await write(`repo/${chosen}`, 'echo one\n');
  const granted = await skillGrants(place);
  expect(await rulesOf({ isTrusted: true, granted })).toEqual([['make', [rule]]]);
  await write(`repo/${chosen}`, 'echo two\n');
  expect(await rulesOf({ isTrusted: true, granted })).toEqual([['make', []]]);
});

test.each([
  ...['Bash', 'Bash(npm run:*)', 'Bash(git:*)', 'Bash(npx prettier:*)', 'Bash(make lint)', 'Read'],
  ...['Bash(python3 scripts/x.py:*)', 'Bash(docker compose:*)', 'Bash(node:*)', 'Bash(scripts/run.sh:*)'],
])('%s applies as before', async (rule) => {
  const { place, write, rulesOf } = await project();
  await write('repo/.claude/skills/make/SKILL.md', skill(rule));
  await write('repo/scripts/run.sh', 'npx eslint "$@"');
  const granted = await skillGrants(place);
  expect(await rulesOf({ isTrusted: true, granted })).toEqual([['make', [rule]]]);
});

test("a skill replaced by the user's own needs no approval", async () => {
  const { place, write } = await project();
  await write('repo/.claude/skills/make/SKILL.md', skill('Bash'));
  await write('home/.claude/skills/make/SKILL.md', skill('Read'));
  expect(await skillGrants(place)).toEqual([]);
});
