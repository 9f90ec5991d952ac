/** What the host can ask for and change while a session runs. */
import type { Kit, Script } from '../play.ts';

const done = { text: 'Done.' };
const call = (name: string, input: object) => ({ calls: [{ name, input }] });

type Named = readonly { readonly name?: string; readonly value?: string }[];

/** A session that has had a turn. */
async function afterTurn(kit: Kit, options: object = {}, prompt = 'hi', more: object = {}) {
  const session = kit.open(options);
  session.prompt(prompt, more);
  await session.next('result');
  return session;
}

export const requestScripts: readonly Script[] = [
  {
    name: 'a turn is interrupted',
    covers: ['interrupt'],
    async play(kit) {
      kit.script({ hangs: true }, done);
      const session = kit.open();
      session.prompt('wait');
      await kit.waitForCalls(1);
      const receipt = await session.query.interrupt();
      const { is_error } = await session.next('result');
      session.prompt('again');
      const second = await session.next('result');
      await session.end();
      return { queued: (receipt as { still_queued?: unknown })?.still_queued, is_error, second };
    },
  },
  {
    name: 'the query is closed',
    covers: ['close'],
    async play(kit) {
      kit.script({ hangs: true });
      const session = kit.open();
      session.prompt('wait');
      await kit.waitForCalls(1);
      session.query.close();
      await session.end();
      return session.messages.some(({ type }) => type === 'result');
    },
  },
  {
    name: 'the query is aborted',
    covers: ['abortController'],
    async play(kit) {
      kit.script({ hangs: true });
      const abortController = new AbortController();
      const running = kit
        .run('wait', { abortController })
        .catch((error: Error) => error.constructor.name.length > 0);
      await kit.waitForCalls(1);
      abortController.abort();
      return running;
    },
  },
  {
    name: 'the model changes in the session',
    covers: ['setModel'],
    async play(kit) {
      kit.script(done, done, done);
      const session = await afterTurn(kit);
      await session.query.setModel('claude-opus-4-8');
      session.prompt('again');
      await session.next('result');
      await session.query.setModel();
      session.prompt('again');
      await session.next('result');
      await session.end();
      return kit.calls.slice(0, 2).map(({ model }) => model);
    },
  },
  {
    name: 'thinking changes in the session',
    covers: ['setMaxThinkingTokens'],
    async play(kit) {
      kit.script(done, done, done);
      const session = await afterTurn(kit, { model: 'claude-haiku-4-5', thinking: { type: 'disabled' } });
      await session.query.setMaxThinkingTokens(3000);
      session.prompt('again');
      await session.next('result');
      await session.query.setMaxThinkingTokens(0);
      session.prompt('again');
      await session.next('result');
      await session.end();
      return kit.calls.map(
        ({ thinking }) => (thinking as { budget_tokens?: number } | undefined)?.budget_tokens,
      );
    },
  },
  {
    name: 'what there is',
    covers: [
      'supportedCommands',
      'supportedModels',
      'supportedAgents',
      'accountInfo',
      'initializationResult',
    ],
    async play(kit) {
      kit.script(done);
      const agents = { looker: { description: 'Looks', prompt: 'You look.' } };
      const session = await afterTurn(kit, { agents });
      const { query } = session;
      const commands = ((await query.supportedCommands()) as Named).map(({ name }) => name);
      const models = (await query.supportedModels()) as Named;
      const agentNames = ((await query.supportedAgents()) as Named).map(({ name }) => name);
      const account = await query.accountInfo();
      const result = (await query.initializationResult()) as Record<string, unknown>;
      await session.end();
      return {
        commands: ['compact', 'context', 'init'].filter((name) => commands.includes(name)),
        hasModels: models.length > 0 && models.every(({ value }) => typeof value === 'string'),
        agents: agentNames.includes('looker'),
        account: typeof account,
        style: result.output_style,
      };
    },
  },
  {
    name: 'initialising again',
    covers: ['reinitialize'],
    async play(kit) {
      kit.script(done);
      const session = await afterTurn(kit);
      const again = (await session.query.reinitialize()) as { commands?: unknown[] };
      await session.end();
      return (again.commands ?? []).length > 0;
    },
  },
  {
    name: 'the fill of the context window',
    covers: ['getContextUsage'],
    async play(kit) {
      kit.script(done);
      const session = await afterTurn(kit);
      const usage = (await session.query.getContextUsage()) as Record<string, unknown>;
      await session.end();
      const { totalTokens, maxTokens, percentage, categories } = usage as {
        totalTokens: number;
        maxTokens: number;
        percentage: number;
        categories: { id: string; kind: string }[];
      };
      return {
        isFilled: totalTokens > 0 && totalTokens < maxTokens && percentage <= 100,
        kinds: [...new Set(categories.map(({ kind }) => kind))].sort().filter((kind) => kind !== 'deferred'),
        ids: ['system_prompt', 'system_tools', 'messages'].filter((id) =>
          categories.some((one) => one.id === id),
        ),
      };
    },
  },
  {
    name: 'files are rewound',
    covers: ['rewindFiles', 'enableFileCheckpointing'],
    async play(kit) {
      kit.script(call('Write', { file_path: kit.path('made.txt'), content: 'made\n' }), done);
      const options = {
        enableFileCheckpointing: true,
        permissionMode: 'acceptEdits',
        extraArgs: { 'replay-user-messages': null },
      };
      const session = await afterTurn(kit, options);
      const before = await kit.read('made.txt');
      const prompt = session.messages.find(
        ({ type, isReplay }) => type === 'user' && isReplay === true,
      )?.uuid;
      const dry = await session.query.rewindFiles(prompt, { dryRun: true });
      const still = await kit.read('made.txt');
      const real = (await session.query.rewindFiles(prompt)) as { canRewind?: boolean };
      const after = await kit.read('made.txt');
      const unknown = (await session.query
        .rewindFiles('00000000-0000-4000-8000-000000000000')
        .catch(() => ({ canRewind: false }))) as { canRewind?: boolean };
      await session.end();
      const { canRewind, filesChanged } = dry as { canRewind: boolean; filesChanged?: string[] };
      return {
        before,
        dry: { canRewind, filesChanged },
        still,
        real: real.canRewind,
        after,
        unknown: unknown.canRewind,
      };
    },
  },
  {
    name: 'a file is read for the host',
    covers: ['readFile'],
    async play(kit) {
      await kit.write('long.txt', 'x'.repeat(100));
      await kit.write('secret.txt', 'SECRET\n');
      kit.script(done);
      const settings = { permissions: { deny: ['Read(./secret.txt)'] } };
      const session = await afterTurn(kit, { settings });
      const { query } = session;
      const text = await query.readFile('a.txt');
      const cut = await query.readFile('long.txt', { maxBytes: 10 });
      const base64 = await query.readFile(kit.path('a.txt'), { encoding: 'base64' });
      const missing = await query.readFile('nosuch.txt');
      const denied = await query.readFile('secret.txt');
      const outside = await query.readFile('/etc/hostname');
      await session.end();
      return { text, cut, base64, missing, denied, outside };
    },
  },
  {
    name: 'settings change in the session',
    covers: ['applyFlagSettings'],
    async play(kit) {
      const read = call('Read', { file_path: kit.path('a.txt') });
      kit.script(done, read, done, read, done);
      const session = await afterTurn(kit);
      const apply = async (settings: object): Promise<unknown> => {
        await session.query.applyFlagSettings(settings);
        session.prompt('read');
        await session.next('result');
        return JSON.stringify(kit.calls.at(-1)?.messages.slice(-3)).includes('two');
      };
      const denied = await apply({ permissions: { deny: ['Read(./a.txt)'] } });
      const allowed = await apply({ permissions: null });
      await session.end();
      return { denied, allowed };
    },
  },
  {
    name: 'the model changes through settings',
    covers: ['applyFlagSettings'],
    async play(kit) {
      kit.script(done, done);
      const session = await afterTurn(kit);
      await session.query.applyFlagSettings({ model: 'claude-opus-4-8', effortLevel: 'low' });
      session.prompt('again');
      await session.next('result');
      await session.end();
      return { model: kit.calls[1]?.model, effort: kit.calls[1]?.output_config?.effort };
    },
  },
  {
    name: 'a background task is stopped',
    covers: ['stopTask', 'perTaskStopAffordance'],
    async play(kit) {
      const command = { command: 'sleep 60', description: 'Sleeps', run_in_background: true };
      kit.script(call('Bash', command), done);
      const session = kit.open({ allowedTools: ['Bash(sleep 60)'] });
      session.prompt('sleep');
      const started = await session.next('system', 'task_started');
      await session.next('result');
      await session.query.stopTask(started.task_id);
      const ended = await session.next('system', 'task_notification');
      await session.end();
      return { isSame: ended.task_id === started.task_id, status: ended.status };
    },
  },
  {
    name: 'a running command moves to the background',
    covers: ['backgroundTasks'],
    async play(kit) {
      const command = { command: 'sleep 30', description: 'Sleeps' };
      kit.script(call('Bash', command), done);
      const session = kit.open({ allowedTools: ['Bash(sleep 30)'] });
      session.prompt('sleep');
      await session.next('assistant');
      let moved: unknown;
      for (const until = Date.now() + 20_000; kit.calls.length < 2 && Date.now() < until; ) {
        moved = await session.query.backgroundTasks();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      const { subtype } = await session.next('result');
      await session.end();
      return { moved, subtype };
    },
  },
  {
    name: 'the host has read a file',
    covers: ['seedReadState'],
    async play(kit) {
      const { stat } = await import('node:fs/promises');
      const edit = { file_path: kit.path('a.txt'), old_string: 'one', new_string: 'ONE' };
      kit.script(done, call('Edit', edit), done);
      const session = await afterTurn(kit, { permissionMode: 'acceptEdits' });
      await session.query.seedReadState(
        kit.path('a.txt'),
        Math.floor((await stat(kit.path('a.txt'))).mtimeMs),
      );
      session.prompt('edit');
      await session.next('result');
      await session.end();
      return { text: await kit.read('a.txt') };
    },
  },
  {
    name: 'skills are read again',
    covers: ['reloadSkills'],
    async play(kit) {
      const { mkdir } = await import('node:fs/promises');
      kit.script(done);
      const session = await afterTurn(kit);
      await mkdir(kit.path('.claude/skills/late'), { recursive: true });
      await kit.write('.claude/skills/late/SKILL.md', '---\nname: late\ndescription: Late\n---\nDo it.\n');
      const { skills } = (await session.query.reloadSkills()) as { skills: Named };
      await session.end();
      return skills.some(({ name }) => name === 'late');
    },
  },
  {
    name: 'plugins are read again',
    covers: ['reloadPlugins'],
    async play(kit) {
      kit.script(done);
      const session = await afterTurn(kit);
      const found = (await session.query.reloadPlugins()) as Record<string, unknown>;
      await session.end();
      return ['commands', 'agents', 'plugins', 'mcpServers'].filter((name) => Array.isArray(found[name]));
    },
  },
  {
    name: 'output styles are read again',
    covers: ['reloadOutputStyles'],
    async play(kit) {
      kit.script(done);
      const session = await afterTurn(kit);
      const found = await session.query.reloadOutputStyles();
      await session.end();
      return JSON.stringify(found).includes('default');
    },
  },
  {
    name: 'what the session used',
    covers: ['usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET'],
    async play(kit) {
      kit.script(done);
      const session = await afterTurn(kit);
      const usage = (await session.query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()) as {
        session: { total_cost_usd: number; model_usage: object };
        rate_limits_available: boolean;
      };
      await session.end();
      return {
        models: Object.keys(usage.session.model_usage),
        costs: usage.session.total_cost_usd > 0,
        limits: usage.rate_limits_available,
      };
    },
  },
];
