/**
 * Golden screens of onboarding: a new folder, local servers found or not, a key that is requested, rejected and
 * accepted; in a dark and in a light terminal.
 *
 * @module-tag long
 */
import { test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { type Actor, openScenes } from './support/goldenScenes.ts';
import { type LocalServer, lmStudio, ollama, type Route, saying, sendJson } from './support/localServers.ts';
import { long } from './support/long.ts';
import { serve, settled } from './support/onboarding.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram } from './support/testProgram.ts';

const { enter, escape: esc, ctrl, paste } = keys;

/** All servers together have 300 ms, which a busy machine may need for itself: then it searches again. */
async function found(terminal: Terminal, wanted: RegExp): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    await settled(terminal, '❯ 1.');
    if (wanted.test(terminal.screen())) return;
    await terminal.press('r');
  }
  await terminal.waitFor(wanted);
}

async function openAmongServers(background: 'dark' | 'light', columns: number): Promise<Actor> {
  const setup = await setUpProgram();
  const settings = { permissions: { allow: ['Bash(npm test:*)'] }, statusLine: { command: 'echo 時刻 🕰️' } };
  await setup.work.write('.clawdcode.json', JSON.stringify(settings));
  const studio = await serve(lmStudio([{ id: 'モデル👩‍💻-7b', maxContext: 131_072 }]));
  const models = [
    { name: 'qwen3-coder:30b', maxContext: 262_144, running: 65_536 },
    { name: 'نموذج-7b', maxContext: 32_768 },
    { name: 'מודל-3b', maxContext: 8192 },
    { name: 'phi4', maxContext: 16_384, capabilities: ['completion'] },
  ];
  const local = await serve(ollama(models, { chat: saying('Hello.') }));
  const env = setup.work.screenEnv({ CLAWDCODE_LOCAL_SERVERS: `${studio.origin} ${local.origin}` });
  const terminal = setup.open([], { env, columns, rows: 24, background });
  return { setup, terminal, servers: [studio, local] };
}

async function amongServers(columns: number): Promise<void> {
  const { golden } = await openScenes(columns, (background) => openAmongServers(background, columns));
  await golden('onboarding-trust', ({ terminal }) => settled(terminal, /1\. Yes/));
  await golden('onboarding-found', async ({ terminal }) => {
    await terminal.press('n');
    await found(terminal, /machine:\s+Ollama,\s+LM\s+Studio\s+with\s+5\s+models[\s\S]*❯ 1\. qwen3/);
  });
  await golden('onboarding-models', async ({ terminal }) => {
    // Late details from servers may just have changed the choices.
    await terminal.answer('m');
    await terminal.waitFor('Filter:');
  });
  await golden('onboarding-ready', async ({ terminal }) => {
    await terminal.press(esc);
    await terminal.waitForGone('Filter:');
    await settled(terminal, '❯ 1.');
    await terminal.answer(enter);
    await terminal.waitFor(/\d%/);
    await terminal.waitForGone('(assumed');
  });
}

interface Alone extends Actor {
  readonly endpoint: LocalServer;
  /** Pending queries, oldest first. */
  readonly waiting: (() => void)[];
}

async function openAlone(background: 'dark' | 'light', columns: number): Promise<Alone> {
  const setup = await setUpProgram();
  const waiting: (() => void)[] = [];
  const held =
    (route: Route): Route =>
    (response, asked) =>
      void waiting.push(() => {
        const isRight = asked.headers.authorization === 'Bearer sk-right-one';
        if (!isRight) sendJson(response, { error: { message: 'Falscher Schlüssel 鍵 🔑, מפתח' } }, 401);
        else if (typeof route === 'function') route(response, asked);
        else sendJson(response, route);
      });
  const endpoint = await serve({
    '/v1/models': held({ object: 'list', data: [{ id: 'small-小' }, { id: 'large-coder' }] }),
    '/v1/chat/completions': held(saying('Proven.')),
  });
  const env = setup.work.screenEnv({ CLAWDCODE_LOCAL_SERVERS: 'none' });
  const terminal = setup.open([], { env, columns, rows: 24, background });
  return { setup, terminal, servers: [endpoint], endpoint, waiting };
}

/** Answers the program's queries, as often as it asks, until this is on screen. */
async function answered({ terminal, waiting }: Alone, wanted: string | RegExp): Promise<void> {
  await terminal.until(() => {
    for (const answer of waiting.splice(0)) answer();
    const screen = terminal.screen();
    return typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen);
  }, String(wanted));
}

async function alone(columns: number): Promise<void> {
  const { golden } = await openScenes(columns, (background) => openAlone(background, columns));
  await golden('onboarding-nothing', ({ terminal }) => settled(terminal, '❯ 1.'));
  await golden('onboarding-key', async ({ terminal }) => {
    await terminal.press(paste('sk-wrong-one'));
    await terminal.waitFor(/Not\s+an/);
  });
  await golden('onboarding-asking', async ({ terminal, endpoint }) => {
    await terminal.press(enter, ctrl('u'), paste(endpoint.baseUrl));
    await terminal.waitFor('/v1');
    await terminal.press(enter);
    await terminal.waitFor('Asking');
  });
  await golden('onboarding-refused', async (one) => {
    await answered(one, /rejected/);
    await settled(one.terminal, '❯ 1.');
  });
  await golden('onboarding-which', async (one) => {
    const { terminal } = one;
    await terminal.press('1');
    await terminal.waitFor(/Endpoint:|URL:/);
    await terminal.press(ctrl('u'), paste('sk-right-one'), enter, enter);
    await answered(one, 'Which');
  });
}

test('with servers on this machine, at 20, 80 and 200 columns', { ...long, timeout: 180_000 }, async () => {
  await Promise.all([20, 80, 200].map(amongServers));
});

test('with only a key, at 20, 80 and 200 columns', { ...long, timeout: 180_000 }, async () => {
  await Promise.all([20, 80, 200].map(alone));
});
