/** Skills and custom commands, as a repository and a home that are set up for other agents have them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { type Stage, setStage } from './support/stage.ts';
import { textOf } from './support/wire.ts';

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function withSkills(): Promise<Stage> {
  const stage = await setStage();
  const { repository, home } = stage.work;
  await write(
    join(repository, '.claude/skills/review/SKILL.md'),
    '---\ndescription: >\n  Review\n  a change.\nallowed-tools: Bash(touch:*)\n---\nCount: !`ls lib | wc -l`. Made: !`touch made`. Look at $ARGUMENTS.\n',
  );
  await write(join(home, '.claude/commands/git/say.md'), 'Say $1 and $2.\n');
  return stage;
}

test('a command of the home and a skill of the project are typed, listed and sent', async () => {
  const { server, ready } = await withSkills();
  server.otherwise(() => ({ text: 'Done so.' }));
  const terminal = await ready();
  await terminal.submit('/skills');
  await terminal.waitFor('no effect here: allowed-tools');
  await terminal.submit('/git:say hello "two words"');
  await terminal.waitFor('Done so.');
  expect(textOf(server.requests().at(-1)?.messages.at(-1))).toBe('Say hello and two words.\n');
  await terminal.submit('/review the parser');
  await terminal.waitFor('Run this command?');
  // The other command only looks, so it did not ask.
  await terminal.waitFor('touch made');
  await terminal.press(keys.escape);
  await terminal.waitFor('❯ /review the parser');
  expect(JSON.stringify(server.requests())).not.toContain('the parser');
});

test('without a screen, the model loads a skill; its command is refused and the rest arrives', async () => {
  const { server, print } = await withSkills();
  server.script(
    { calls: [{ name: 'Skill', input: { skill: 'review', args: 'the parser' } }] },
    { text: 'Reviewed.' },
  );
  const { code, stdout } = await print(['-p', 'please review', '--output-format', 'stream-json']);
  expect(code).toBe(0);
  const [first, second] = server.requests();
  const tool = first?.tools?.find((one) => JSON.stringify(one).includes('"Skill"'));
  expect(JSON.stringify(tool)).toContain('- review: Review a change.');
  const instructions = textOf(second?.messages.at(-1));
  expect(instructions).toMatch(
    /Count: *\d+\. Made: \(This call was not approved; it did not run\..*\)\. Look at the parser\./s,
  );
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ skills: ['review'] });
});

test('the rules of a skill that was stopped before its turn end with it', async () => {
  const { server, ready, work } = await withSkills();
  await write(
    join(work.home, '.claude/skills/mine/SKILL.md'),
    '---\ndescription: Mine.\nallowed-tools: Bash(touch:*)\n---\nMade: !`mkdir made`.\n',
  );
  server.script({ calls: [{ name: 'Bash', input: { command: 'touch later' } }] }, { text: 'Done so.' });
  const terminal = await ready();
  await terminal.submit('/mine');
  await terminal.waitFor('mkdir made');
  await terminal.press(keys.escape);
  await terminal.waitFor('❯ /mine');
  await terminal.press('\u0015');
  await terminal.submit('something else');
  await terminal.waitFor('touch later');
  await terminal.waitFor('Run this command?');
});
