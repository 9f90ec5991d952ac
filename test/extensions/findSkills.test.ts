import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findSkills, readSkillFile, type SkillFolders } from '../../src/extensions/findSkills.ts';

let folder: string;
let places: SkillFolders;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-skills-')));
  places = {
    home: join(folder, 'home'),
    dataRoot: join(folder, 'home/.clawdcode'),
    root: join(folder, 'repo'),
    cwd: join(folder, 'repo'),
    isSensitive: (path) => path.endsWith('.env'),
  };
  await mkdir(places.root, { recursive: true });
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function names(): Promise<string[]> {
  return (await findSkills(places)).skills.map(({ name }) => name);
}

const skill = (description: string, more = ''): string =>
  `---\ndescription: ${description}\n${more}---\nDo it.\n`;

describe('skills and commands that are found', () => {
  test('are those of every folder', { tags: 'long' }, async () => {
    for (const place of [
      'home/.clawdcode',
      'home/.claude',
      'home/.agents',
      'repo/.clawdcode',
      'repo/.claude',
      'repo/.agents',
    ])
      await write(`${place}/skills/${place.replace(/\W+/g, '-')}/SKILL.md`, skill('A skill.'));
    await write('repo/.claude/commands/git/commit.md', 'Commit.');
    await write('home/.clawdcode/commands/hello.md', '# Say hello\n\nNow.');
    expect(await names()).toEqual([
      'git:commit',
      'hello',
      ...['home-agents', 'home-claude', 'home-clawdcode', 'repo-agents', 'repo-claude', 'repo-clawdcode'],
    ]);
    const { skills } = await findSkills(places);
    expect(skills.find(({ name }) => name === 'hello')).toMatchObject({
      kind: 'command',
      scope: 'user',
      description: 'Say hello',
      modelCanUse: false,
      userCanUse: true,
    });
  });

  test('the skill of the nearest folder up to the root applies', async () => {
    places = { ...places, cwd: join(places.root, 'packages/app') };
    await write('repo/.claude/skills/build/SKILL.md', skill('Of the root.'));
    await write('repo/packages/app/.claude/skills/build/SKILL.md', skill('Of the package.'));
    await write('repo/packages/other/.claude/skills/other/SKILL.md', skill('Not on the way.'));
    const { skills } = await findSkills(places);
    expect(skills.map(({ description }) => description)).toEqual(['Of the package.']);
  });

  test("the user's own override the repository's, skills override commands, ours override others", async () => {
    await write('repo/.clawdcode/skills/a/SKILL.md', skill('Of the repository.'));
    await write('home/.claude/skills/a/SKILL.md', skill('Mine for another agent.'));
    await write('home/.clawdcode/skills/a/SKILL.md', skill('Mine.'));
    await write('home/.clawdcode/commands/a.md', 'A command.');
    const { skills } = await findSkills(places);
    expect(skills.map(({ description }) => description)).toEqual(['Mine.']);
  });

  test("the user's own override the repository’s whatever the case of the name", async () => {
    await write('repo/.claude/skills/Release/SKILL.md', skill('Of the repository.'));
    await write('repo/.claude/commands/RELEASE.md', 'Of the repository.');
    await write('home/.claude/skills/release/SKILL.md', skill('Mine.'));
    const { skills } = await findSkills(places);
    expect(skills.map(({ description }) => description)).toEqual(['Mine.']);
  });

  test("the user's own command overrides a skill of the repository", async () => {
    await write('repo/.clawdcode/skills/release/SKILL.md', skill('Of the repository.'));
    await write('home/.claude/commands/release.md', 'Mine.');
    const { skills } = await findSkills(places);
    expect(skills.map(({ kind, scope }) => `${scope} ${kind}`)).toEqual(['user command']);
  });

  test('context: fork names a subagent; without it, the model is for the turn, and its other keys have no effect', async () => {
    const file = (more: string) => skill('Does it.', more);
    await write('home/.claude/skills/a/SKILL.md', file('context: fork\nagent: tools:critic\nmodel: big-1\n'));
    await write('home/.claude/skills/b/SKILL.md', file('context: fork\nmodel: sonnet\n'));
    await write('home/.claude/skills/c/SKILL.md', file('context: other\nagent: explore\nmodel: big-1\n'));
    const { skills } = await findSkills(places);
    expect(skills.map(({ fork, model, ignored }) => [fork, model, ignored])).toEqual([
      [{ agent: 'tools:critic', model: 'big-1' }, undefined, []],
      [{ agent: 'general-purpose' }, undefined, ['model']],
      [undefined, 'big-1', ['agent', 'context']],
    ]);
  });

  test("rules of the repository's skills are not granted, and can be approved only if they can be shown", async () => {
    const rules = (text: string) => skill('Does it.', `allowed-tools: ${text}\n`);
    await write('repo/.claude/skills/a/SKILL.md', rules('Bash(git *), Read'));
    await write('repo/.claude/skills/b/SKILL.md', rules(`Bash(${'x'.repeat(2000)})`));
    await write('home/.claude/skills/c/SKILL.md', rules('Read'));
    const { skills } = await findSkills(places);
    expect(skills.map(({ allowedTools, asks, ignored }) => [allowedTools, asks?.tools, ignored])).toEqual([
      [[], ['Bash(git *)', 'Read'], []],
      [[], undefined, ['allowed-tools']],
      [['Read'], undefined, []],
    ]);
  });

  test('descriptions and hints without invisible characters', async () => {
    const hidden = '\u200B\u{E0041}\uFE01\u3164';
    await write('repo/.claude/skills/a/SKILL.md', skill(`Do${hidden} it.`, `argument-hint: "x${hidden}"\n`));
    await write('repo/.claude/commands/b.md', `# Do${hidden} that.`);
    const { skills } = await findSkills(places);
    expect(skills.map(({ description }) => description)).toEqual(['Do it.', 'Do that.']);
    expect(skills[0]?.argumentHint).toBe('x');
  });

  test('what the front matter says', async () => {
    const more = [
      'when_to_use: When asked.',
      'argument-hint: [issue]',
      'disable-model-invocation: true',
      'allowed-tools: Bash(git diff:*), Read',
      'model: opus',
    ];
    const file = await write('home/.claude/skills/fix/SKILL.md', skill('Fix it.', `${more.join('\n')}\n`));
    const own = (await findSkills(places)).skills[0];
    expect(own).toEqual({
      name: 'fix',
      kind: 'skill',
      description: 'Fix it. When asked.',
      argumentHint: '[issue]',
      file,
      scope: 'user',
      modelCanUse: false,
      userCanUse: true,
      allowedTools: ['Bash(git diff:*)', 'Read'],
      ignored: ['model'],
    });
  });
});

describe('skills that are not used', () => {
  test('a name that cannot be typed', async () => {
    await write('repo/.claude/commands/two words.md', 'x');
    expect(await findSkills(places)).toMatchObject({
      skills: [],
      problems: [{ message: expect.stringContaining('two words') }],
    });
  });

  test.each([
    ['out of the project', '../secret.md'],
    ['to a secret', '../../../.env'],
  ])('a link to %s', async (_, target) => {
    await write('secret.md', 'private');
    await write('repo/.env', 'KEY=1');
    await mkdir(join(places.root, '.claude/skills/evil'), { recursive: true });
    const out = target.startsWith('../secret') ? join(folder, 'secret.md') : join(places.root, '.env');
    await symlink(out, join(places.root, '.claude/skills/evil/SKILL.md'));
    const { skills, problems } = await findSkills(places);
    expect(skills).toEqual([]);
    expect(problems).toMatchObject([
      { message: expect.stringContaining('leads out of the project or to a secret') },
    ]);
  });

  test('a file that was replaced by a link after it was found', async () => {
    const file = await write('repo/.claude/skills/a/SKILL.md', skill('A.'));
    const [own] = (await findSkills(places)).skills;
    await rm(file);
    await symlink(await write('secret.md', 'private'), file);
    expect(own && (await readSkillFile(own, places))).toEqual({
      problem: expect.stringContaining('leads out'),
    });
  });

  test('a circular link, a folder called SKILL.md, a file of a megabyte', async () => {
    await mkdir(join(places.root, '.claude/commands'), { recursive: true });
    await symlink('..', join(places.root, '.claude/commands/round'));
    await mkdir(join(places.root, '.claude/skills/dir/SKILL.md'), { recursive: true });
    await write('repo/.claude/skills/big/SKILL.md', 'x'.repeat(1_000_000));
    const { skills, problems } = await findSkills(places);
    expect(skills).toEqual([]);
    expect(problems.map(({ file }) => file.slice(places.root.length))).toEqual([
      '/.claude/skills/big/SKILL.md',
      '/.claude/skills/dir/SKILL.md',
    ]);
  });
});
