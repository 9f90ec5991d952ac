/**
 * Golden screens of work in progress: a reply while it streams, the questions, a slow command, a retry, a compaction;
 * in a dark and in a light terminal, each moment held until it has been compared.
 *
 * @module-tag long
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { type Actor, openScenes } from './support/goldenScenes.ts';
import { type HeldModel, startHeldModel } from './support/heldModel.ts';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

interface Held extends Actor {
  readonly model: HeldModel;
}

const code = `Ich sehe es 👀: \`scan\` liest **jede** Zeile zweimal.

\`\`\`ts
// 一行ずつ読む
const lines = text.split('\\n'); // שורות`;
const table = `
\`\`\`

| Datei | 説明 | Zeilen |
| --- | --- | ---: |
| lib/scan.js | 走査する 🔍 | 391 |`;
const rest = `
| lib/utils.js | עזר ו־عربي | 72 |
`;
const command = 'touch 始; seq 2000; echo 始まり 🚀; while [ ! -e 進め中 ]; do sleep 0.05; done';
const plan = `## 計画 🗺️

1. Lies \`lib/scan.js\`.
2. שנה את **הלולאה**.
3. اختبر كل شيء ✅`;
const summary = `1. Primary request and intent
一行ずつ読む; the user wants the loop changed.
5. Current work status
Nothing has changed yet.`;

async function open(background: 'dark' | 'light', columns: number): Promise<Held> {
  const setup = await setUpProgram();
  const model = await startHeldModel();
  // No fake sandbox creates the mounts that a sandboxed command waits for.
  await mkdir(setup.work.data, { recursive: true });
  await writeFile(join(setup.work.data, 'config.json'), '{ "sandbox": { "excludedCommands": ["*"] } }');
  const env = setup.work.screenEnv({ ...setup.access, OPENAI_BASE_URL: model.baseUrl });
  const terminal = setup.open([], { columns, rows: 24, background, env });
  return { setup, terminal, model, servers: [model] };
}

async function played(columns: number): Promise<void> {
  const { both, golden, goldenHeld } = await openScenes(columns, (background) => open(background, columns));
  await both(({ terminal }) => terminal.waitFor(/~?\d+%/));

  await goldenHeld('reply-asked', async (one) => {
    await one.terminal.submit('Why is 走査 so slow? 🐌 למה?');
    await one.model.asked();
    await one.terminal.waitFor(/למה\?\s+. Waiting(?: for mock-1)?…/);
  });
  await goldenHeld('reply-reasoning', async ({ terminal, model }) => {
    model.latest().think('The scanner reads each line twice: 一行を二回.');
    await terminal.waitFor('Reasoning…');
  });
  await goldenHeld('reply-code', async ({ terminal, model }) => {
    model.latest().say(code);
    await terminal.waitFor('ורות');
  });
  await goldenHeld('reply-half-table', async ({ terminal, model }) => {
    model.latest().say(table);
    await terminal.waitFor('391');
  });
  await goldenHeld('reply-table', async ({ terminal, model }) => {
    model.latest().say(rest);
    await terminal.waitFor('72');
  });
  await goldenHeld('reply-call', async ({ terminal, model }) => {
    model.latest().begin('Bash', '{"command":"');
    await terminal.waitFor('Preparing');
  });
  await golden('ask-command', async ({ terminal, model }) => {
    model.latest().more(`${command}"}`);
    model.latest().end();
    await terminal.waitFor('1. Yes');
  });
  await golden('ask-comment', async ({ terminal }) => {
    await terminal.answer(keys.tab);
    await terminal.waitFor(/^ {2}What.*\?/m);
    await terminal.type('説明して 🙏 בבקשה');
    await terminal.waitFor(/בבקשה/);
  });
  await goldenHeld('command', async ({ terminal }) => {
    await terminal.press(keys.escape);
    await terminal.waitForGone(/^ {2}What.*\?/m);
    await terminal.press('y');
    await terminal.waitFor(/^ +始まり 🚀$/m);
    await terminal.type('そして linter 🧹');
    await terminal.press(keys.enter);
    await terminal.waitFor(/ctrl\+b/);
  });
  await goldenHeld('again', async (one) => {
    await one.setup.work.write('進め中', '');
    await one.model.asked();
    one.model.latest().refuse(429, 'slow down 🐢, もう少し', { 'retry-after': '50' });
    await one.terminal.waitFor(/もう\s*少し/);
  });
  await golden('stopped', async ({ terminal }) => {
    await terminal.press(keys.escape);
    await terminal.waitForPrinted('Interrupted.');
  });
  await golden('plan', async (one) => {
    await one.terminal.press(keys.shiftTab, keys.shiftTab);
    await one.terminal.waitFor('plan');
    await one.terminal.submit('plan it');
    await one.model.asked();
    one.model.latest().call('ExitPlanMode', { plan });
    one.model.latest().end();
    await one.terminal.waitFor('1. Yes');
  });
  await golden('plan-accepted', async (one) => {
    await one.terminal.answer('y');
    await one.model.asked();
    one.model.latest().think('Erst nachdenken: 考える.');
    one.model.latest().say('好的, done. سأفعل');
    one.model.latest().end();
    await one.terminal.waitFor('سأفعل');
  });
  await goldenHeld('compact-runs', async (one) => {
    await one.terminal.submit('/compact 走査');
    await one.model.asked();
    await one.terminal.waitFor('Compacting');
  });
  await golden('compacted', async ({ terminal, model }) => {
    model.latest().say(summary);
    model.latest().end();
    await terminal.waitForPrinted('compacted');
  });
  await golden('vim', async ({ terminal }) => {
    await terminal.submit('/vim');
    await terminal.waitForPrinted('Vim mode');
    await terminal.type('漢字 🇩🇪 שלום');
    await terminal.press(keys.escape);
    await terminal.waitFor(/^N /m);
    await terminal.waitForGone('Vim mode');
  });
  await golden('vim-lines', async ({ terminal }) => {
    await terminal.press('V');
    await terminal.waitFor(/^V /m);
  });
}

test('at 20, 80 and 200 columns', { ...long, timeout: 180_000 }, async () => {
  await Promise.all([20, 80, 200].map(played));
});
