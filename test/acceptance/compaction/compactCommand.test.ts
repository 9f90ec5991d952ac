/**
 * `/compact`.
 *
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { setUpProgram } from '../../e2e/support/testProgram.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { keys } from '../../ui/screen.ts';
import { openProject, runPrint, SILENT, SUMMARY, use } from '../support/project.ts';

const talk = { text: `It scans. ${'And there is more to say about it. '.repeat(300)}`, ...SILENT };

test('/compact reports sizes and files, is recorded, and has the same result after a resume', async () => {
  const { server, ready, work } = await setUpProgram();
  server.script(
    { calls: [use('Read', { file_path: 'lib/constants.js', limit: 400 })], ...SILENT },
    talk,
    { text: 'Nothing else.', ...SILENT },
    { text: SUMMARY, ...SILENT },
    { text: 'One.', ...SILENT },
    { text: 'Two.', ...SILENT },
  );
  const first = await ready();
  await first.submit('look at lib/constants.js');
  await first.waitForPrinted('It scans.');
  await first.waitForIdle();
  await first.submit('anything else?');
  await first.waitForPrinted('Nothing else.');
  await first.waitForIdle();
  await first.submit('/compact the escaping rules');
  await first.waitForPrinted(/Conversation compacted: [\d.k]+ → [\d.k]+ tokens .*focus: the escaping rules/);
  await first.waitForPrinted(/files? kept: .*lib\/constants\.js/);
  await first.waitForIdle();
  await first.submit('what now?');
  await first.waitForPrinted('One.');
  await first.waitForIdle();
  await first.pressUntil(keys.ctrl('c'));
  expect(await first.exited).toBe(0);
  expect(textOf(server.requests()[3]?.messages.at(-1))).toContain('the escaping rules');

  const id = (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
  const second = await ready(['--resume', id]);
  await second.submit('and now?');
  await second.waitForPrinted('Two.');
  const [before, after] = server.requests().slice(-2);
  expect(JSON.stringify(before?.messages)).toContain('leave nothing out');
  expect(after?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
  expect(after?.messages.slice(-2).map(textOf)).toEqual(['One.', 'and now?']);
});

test('with too little to compact, /compact says so and makes no request', async () => {
  const { again } = await runPrint('hello', { replies: [{ text: 'Hi.' }] });
  const { stdout, stderr, requests, entries } = await again('/compact', { format: 'text' });
  expect(`${stdout}${stderr}`).toMatch(/nothing to compact/i);
  expect(requests).toEqual([]);
  expect(entries.some(({ subtype }) => subtype === 'compact_boundary')).toBe(false);
});

test('Ctrl+C during /compact leaves the history unchanged', async () => {
  const project = await openProject();
  const first = await project.run('look', { replies: [talk] });
  const second = await project.run('and?', { resume: first.sessionId, replies: [{ text: 'That is it.' }] });
  project.server.script({ ...SILENT, text: SUMMARY.repeat(20), latency: 60, chunkSize: 5 });
  const running = project.startPrint(['-p', '--resume', first.sessionId, '/compact']);
  await project.server.waitForRequests(3);
  running.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 130 });
  const third = await project.run('still there?', { resume: first.sessionId, replies: [{ text: 'Yes.' }] });
  const before = second.requests[0]?.messages ?? [];
  expect(third.requests[0]?.messages.slice(0, before.length)).toEqual(before);
  expect(third.requests[0]?.messages.slice(-2).map(textOf)).toEqual(['That is it.', 'still there?']);
  expect(third.entries.some(({ subtype }) => subtype === 'compact_boundary')).toBe(false);
});

test.each([
  { tail: 'as large as by default', settings: {} },
  { tail: 'smaller than the answer', settings: { context: { compact: { retain: 0.005 } } } },
])(
  'right after a resume in another state of the repository, a question keeps its answer, with a tail $tail',
  { tags: 'long' },
  async ({ settings }) => {
    const project = await openProject({ settings });
    const answer = `At the scanner. ${'It was half done. '.repeat(70)}`;
    const first = await project.run('look', { replies: [talk] });
    const resume = first.sessionId;
    await project.run('Where were we?', { resume, replies: [{ text: answer }] });
    // When the session is reopened, a note tells the model the branch: it is newer than the reply.
    execFileSync('git', ['checkout', '-qb', 'another'], { cwd: project.work.repository });
    const compacted = await project.run('/compact', { resume, replies: [{ text: SUMMARY }] });
    expect(compacted.entries.filter(({ subtype }) => subtype === 'environment')).toHaveLength(1);
    expect(compacted.entries.filter(({ subtype }) => subtype === 'compact_boundary')).toHaveLength(1);
    const { requests } = await project.run('What is open?', { resume, replies: [{ text: 'Nothing.' }] });
    const texts = requests[0]?.messages.map(textOf) ?? [];
    expect(texts[texts.indexOf('Where were we?') + 1]).toBe(answer);
    expect(texts.some((text) => text.includes('another'))).toBe(true);
  },
);

test('a preview does not treat pasted text as constraints, decisions or unread files', {
  tags: 'long',
}, async () => {
  const pasted = [
    'const limit = 10; // callers must never pass more, and always check it first',
    '| format | we use tabs instead of spaces, decided in May |',
    'Error: expected 3 but got 4 at lib/parse.js:12',
  ];
  const project = await openProject();
  const first = await project.run(`What is this?\n\n${pasted.join('\n')}`, { replies: [talk] });
  const resume = first.sessionId;
  await project.run('and?', { resume, replies: [{ text: 'That is it.' }] });
  const { stdout } = await project.run('/compact --preview', {
    resume,
    format: 'text',
    replies: [{ text: SUMMARY }],
  });
  expect(stdout).toContain('Preview: compaction would take the context from');
  for (const line of pasted) expect(stdout).not.toContain(line);
  expect(stdout).not.toMatch(/constraint|Files quoted/i);
  expect(stdout).toContain('Nothing is lost');
});
