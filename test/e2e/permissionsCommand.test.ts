/**
 * `clawdcode permissions`: the decision about a call, and rules from past approvals.
 *
 * @module-tag long
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

test('test prints the decision, with an exit code for scripts, and runs nothing', {
  tags: 'long',
}, async () => {
  const { work, print } = await setUpProgram();
  const on = (...args: string[]) => print(['permissions', 'test', ...args]);
  const allowed = await on('ls && cat package.json');
  expect(allowed).toMatchObject({ code: 0, stderr: '' });
  expect(allowed.stdout).toContain('read-only commands: ls');
  const asked = await on('--allowed-tools', 'Bash(npm test:*)', 'npm test --script-shell=./x && touch made');
  expect(asked).toMatchObject({ code: 1, stderr: '' });
  expect(asked.stdout).toMatch(/Bash\(npm test:\*\), in --allowed-tools: does not cover --script-shell/);
  expect(asked.stdout).toContain('touch made needs your approval.');
  const denied = await on('--disallowed-tools', 'Bash(git push:*)', '--json', 'git -C . push');
  expect(denied.code).toBe(2);
  expect(JSON.parse(denied.stdout)).toMatchObject({
    behavior: 'deny',
    rule: { text: 'Bash(git push:*)', source: '--disallowed-tools' },
    parts: [{ text: 'git -C . push' }],
  });
  expect((await on('--tool', 'Edit', '--mode', 'acceptEdits', 'new.txt')).code).toBe(0);
  expect((await on('--mode', 'wild', 'ls')).code).toBe(42);
  await expect(readFile(join(work.repository, 'made'))).rejects.toThrow();
});

test('test says what becomes of a search with hidden files if the sandbox is off', long, async () => {
  const { work, print } = await setUpProgram();
  await writeFile(join(work.repository, '.env'), 'TOKEN=supersecret\n');
  const args = ['permissions', 'test', '-s', 'danger-full-access', '--json', 'grep -r x .'];
  const { code, stdout } = await print(args);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    behavior: 'ask',
    hiding: [join(work.repository, '.env')],
    sandbox: { type: 'off', reason: 'sandbox mode danger-full-access' },
  });
});

test('learn proposes a rule for approved calls, and saves it on request', long, async () => {
  const { server, work, open, print } = await setUpProgram();
  for (const name of ['one', 'two'])
    server.script({ calls: [{ name: 'Bash', input: { command: `touch ${name}` } }] }, { text: 'Done.' });
  const terminal = open([], { below: ['env', 'TERM=dumb'] });
  await terminal.waitForPrinted('Ctrl+D quits');
  for (const [index, prompt] of ['first', 'second'].entries()) {
    await terminal.submit(prompt);
    await terminal.waitForPrinted(new RegExp(`(?:Answer y, a[^\\n]* or n[\\s\\S]*){${index + 1}}`));
    await terminal.waitForQuietTime();
    await terminal.submit('y');
    await terminal.waitForPrinted(new RegExp(`(?:Ready\\.[\\s\\S]*){${index + 1}}`));
  }
  await terminal.press('\u0004');
  await terminal.exited;
  // There was no user to answer, so this is not an answer.
  server.script({ calls: [{ name: 'Bash', input: { command: 'touch three' } }] }, { text: 'No.' });
  await print(['-p', 'third']);

  const shown = await print(['permissions', 'learn']);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain('You answered 2 approval prompts');
  expect(shown.stdout).toMatch(
    /Bash\(touch:\*\) {2}would have avoided 2 prompts:\n {2}1 × touch one\n {2}1 × touch two/,
  );
  const file = join(work.repository, '.clawdcode.local.json');
  await expect(readFile(file)).rejects.toThrow();

  expect((await print(['permissions', 'learn', '--save'])).code).toBe(0);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    permissions: { allow: ['Bash(touch:*)'] },
  });
  expect((await print(['permissions', 'test', 'touch four'])).code).toBe(0);
  expect((await print(['permissions', 'learn'])).stdout).toContain('No rule would have avoided enough');
});
