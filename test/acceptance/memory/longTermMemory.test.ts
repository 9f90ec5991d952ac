/** What the user wants remembered. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LongTermMemory } from '../../../src/context/index.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { openProject, type Project } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

/**
 * With -p, `/memory add` needs a terminal, because a prompt may contain untrusted text, so the file is written
 * directly.
 */
async function save(project: Project, scope: 'project' | 'user', name: string, text: string): Promise<void> {
  const { stdout } = await project.run('/memory path', { format: 'text' });
  const [ofProject = '', ofUser = ''] = stdout.match(/\/\S+$/gm) ?? [];
  const folder = scope === 'project' ? ofProject : ofUser;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), text);
}

test('matching prompts include a saved note', { tags: 'long' }, async () => {
  // A busy machine may take longer than the default to build the first index.
  const project = await openProject({ settings: { context: { memory: { timeoutMs: 20_000 } } } });
  const notes = [
    'The deploy password rotation happens every Tuesday',
    'Release notes belong into CHANGELOG.md',
    'Cats sleep all day',
  ];
  await save(project, 'user', 'notes.md', notes.map((note) => `- ${note}\n`).join(''));
  expect((await project.run('/memory', { format: 'text' })).stdout).toContain('notes.md');
  const found = await project.run('/memory search deploy password rotation', { format: 'text' });
  expect(found.stdout).toContain('every Tuesday');
  const first = await project.run('When is the deploy password rotation?', {
    replies: [{ text: 'On Tuesdays.' }],
  });
  const messages = first.requests[0]?.messages ?? [];
  expect(textOf(messages.at(-1))).toBe('When is the deploy password rotation?');
  // It comes directly before the prompt, quoted, and is the only one.
  expect(textOf(messages.at(-2))).toContain('every Tuesday');
  expect(messages.at(-2)?.role).toBe('user');
  expect(JSON.stringify(messages)).not.toContain('Cats sleep');
  const other = await project.run('Explain how the parser reads brackets', { replies: [{ text: 'So.' }] });
  for (const note of notes) expect(JSON.stringify(other.requests[0]?.messages)).not.toContain(note);
});

test('a search respects its limit, similarity and category', async () => {
  const app = await createTestApp();
  const folder = join(app.dataRoot, 'memory');
  await mkdir(folder, { recursive: true });
  const many = Array.from({ length: 5 }, (_, n) => `- The scanner handles braces in way ${n}`).join('\n');
  const unrelated = [
    'tea at four',
    'ports are numbered upwards',
    'logs go to syslog',
    'main is protected',
    'ask Ann about money',
  ];
  const others = Array.from({ length: 4 }, (_, n) =>
    unrelated.map((text) => `- In case ${n}: ${text}`),
  ).flat();
  await writeFile(join(folder, 'style.md'), `---\ncategory: style\n---\n${many}\n`);
  await writeFile(
    join(folder, 'other.md'),
    ['- The scanner handles braces elsewhere', ...others, ''].join('\n'),
  );
  const memory = new LongTermMemory({
    folders: { user: folder, project: join(folder, 'none') },
    isSensitive: () => false,
  });
  const query = 'how the scanner handles braces';
  const three = await memory.search(query, { timeoutMs: 20_000 });
  expect(three).toHaveLength(3);
  for (const { similarity } of three) {
    expect(similarity).toBeGreaterThanOrEqual(0.6);
    expect(similarity).toBeLessThanOrEqual(1);
  }
  // The memory that 0.6 leaves out exists, and nothing else excludes it.
  const about = 'scanner braces handles elsewhere tea';
  const all = await memory.search(about, { limit: 50, minSimilarity: Number.MIN_VALUE, timeoutMs: 20_000 });
  const near = all.filter(({ similarity }) => similarity >= 0.6);
  expect(near.length).toBeGreaterThan(0);
  expect(all.filter(({ similarity }) => similarity > 0.55 && similarity < 0.6)).toHaveLength(5);
  expect(await memory.search(about, { limit: 50, timeoutMs: 20_000 })).toEqual(near);
  // And one just above the limit is found.
  const above = await memory.search('scanner braces elsewhere', { limit: 50, timeoutMs: 20_000 });
  expect(above.filter(({ similarity }) => similarity < 0.65)).toHaveLength(5);
  expect(await memory.search(query, { limit: 1, timeoutMs: 20_000 })).toHaveLength(1);
  expect(await memory.search('quarterly revenue of the bakery', { timeoutMs: 20_000 })).toEqual([]);
  const styled = await memory.search(query, { category: 'style', limit: 20, timeoutMs: 20_000 });
  expect(styled.every(({ category, file }) => category === 'style' && file === 'style.md')).toBe(true);
  expect(styled.length).toBeGreaterThan(3);
});

test('a category can be written, searched, and made the only one that prompts include', {
  tags: 'long',
}, async () => {
  const context = (category: string | null) => ({ context: { memory: { timeoutMs: 20_000, category } } });
  const project = await openProject({ settings: context('user_preference') });
  const run = (prompt: string) => project.run(prompt, { format: 'text' });
  const said = (category: string, what: string) =>
    `---\ncategory: ${category}\n---\n\n- The deploy password rotation ${what}\n`;
  await save(project, 'user', 'user_preference.md', said('user_preference', 'is announced in English'));
  await save(project, 'project', 'ops.md', said('ops', 'happens every Tuesday'));
  await save(project, 'user', 'notes.md', '- The deploy password rotation is boring\n');
  const found = await run('/memory search --category ops deploy password rotation');
  expect(found.stdout).toContain('every Tuesday');
  expect(found.stdout).not.toMatch(/English|boring/);
  const brought = async () => {
    const { requests } = await project.run('When is the deploy password rotation?', {
      replies: [{ text: 'So.' }],
    });
    const sent = JSON.stringify(requests[0]?.messages);
    return ['English', 'Tuesday', 'boring'].filter((word) => sent.includes(word));
  };
  expect(await brought()).toEqual(['English']);
  await project.configure(context(null));
  expect(await brought()).toEqual(['English', 'Tuesday', 'boring']);
});

test('a quick search leaves no timer behind', async () => {
  const quick = { search: async () => [] };
  const app = await createTestApp({
    deps: { memory: quick },
    settings: { context: { memory: { timeoutMs: 60_000 } } },
  });
  const open = await app.open();
  await open.ask('warm up', { text: 'Yes.' });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  for (let n = 0; n < 5; n++) await open.ask(`question ${n}`, { text: 'Yes.' });
  expect(timers()).toBeLessThanOrEqual(before);
});

test('a search that never ends times out after 500 ms and leaves no timer behind', async () => {
  expect(contextSettingsSchema.parse({}).memory.timeoutMs).toBe(500);
  const never = () => new Promise<never>(() => {});
  const slow = new LongTermMemory({
    folders: { user: '/nowhere', project: '/nowhere' },
    isSensitive: () => false,
    findFiles: never,
  });
  const app = await createTestApp({ deps: { memory: slow } });
  const open = await app.open();
  await open.ask('warm up', { text: 'Yes.' });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  app.server.script({ text: 'Here.', usage: { prompt_tokens: 0, completion_tokens: 0 } });
  open.agent.submit({ type: 'prompt', text: 'and now?' });
  await app.server.waitForRequests(2);
  await open.agent.idle();
  expect(timers()).toBeLessThanOrEqual(before);
  expect(app.server.requests().at(-1)?.messages.map(textOf).at(-1)).toBe('and now?');
});
