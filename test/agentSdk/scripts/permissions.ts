/** Which calls run, and the host's decisions. */
import type { Kit, Script } from '../play.ts';

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command, description: 'Runs it' } }] });
const write = ({ path }: Kit, name = 'made.txt') => ({
  calls: [{ name: 'Write', input: { file_path: path(name), content: 'made\n' } }],
});
const done = { text: 'Done.' };
const resultsIn = ({ calls }: Kit): string => JSON.stringify(calls.at(-1)?.messages.slice(-3));

type Answer = (input: Record<string, unknown>) => object;

/** Answers approval requests; records the names of the tools. */
function decider(answer: Answer) {
  const asked: string[] = [];
  return {
    asked,
    canUseTool: async (tool: string, input: Record<string, unknown>) => {
      asked.push(tool);
      return answer(input);
    },
  };
}

export const permissionScripts: readonly Script[] = [
  {
    name: 'a call that needs approval and gets none',
    covers: [],
    async play(kit) {
      kit.script(write(kit), done);
      return { messages: await kit.run('write'), made: await kit.read('made.txt') };
    },
  },
  {
    name: 'mode acceptEdits',
    covers: ['permissionMode'],
    async play(kit) {
      kit.script(write(kit), done);
      const messages = await kit.run('write', { permissionMode: 'acceptEdits' });
      return { messages, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'mode bypassPermissions',
    covers: ['allowDangerouslySkipPermissions'],
    async play(kit) {
      kit.script(bash('touch made.txt'), done);
      const options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
      const messages = await kit.run('touch', { ...options, env: { IS_SANDBOX: '1' } });
      return { messages, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'mode dontAsk',
    covers: ['permissionMode'],
    async play(kit) {
      kit.script(write(kit), done);
      const { canUseTool, asked } = decider(() => ({ behavior: 'allow' }));
      const messages = await kit.run('write', { permissionMode: 'dontAsk', canUseTool });
      return { messages, asked, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'allowed tools',
    covers: ['allowedTools'],
    async play(kit) {
      kit.script(bash('touch made.txt'), bash('touch other.txt'), done);
      const messages = await kit.run('touch', { allowedTools: ['Bash(touch made.txt)'] });
      return { messages, made: await kit.read('made.txt'), other: await kit.read('other.txt') };
    },
  },
  {
    name: 'disallowed tools',
    covers: ['disallowedTools'],
    async play(kit) {
      kit.script(done);
      const messages = await kit.run('hi', { disallowedTools: ['Bash', 'Write'] });
      const names = kit.calls[0]?.tools?.map(({ name }) => name) ?? [];
      return { messages, left: ['Bash', 'Write', 'Read', 'Edit'].filter((name) => names.includes(name)) };
    },
  },
  {
    name: 'a selection of built-in tools',
    covers: ['tools'],
    async play(kit) {
      kit.script(done, done);
      await kit.run('hi', { tools: ['Read', 'Edit'] });
      await kit.run('hi', { tools: [] });
      const known = ['Bash', 'Write', 'Read', 'Edit'];
      return kit.calls.map(({ tools = [] }) =>
        known.filter((name) => tools.some((one) => one.name === name)),
      );
    },
  },
  {
    name: 'the host allows a call',
    covers: ['canUseTool'],
    async play(kit) {
      kit.script(write(kit), done);
      const { canUseTool, asked } = decider((updatedInput) => ({ behavior: 'allow', updatedInput }));
      const messages = await kit.run('write', { canUseTool });
      return { messages, asked, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'the host denies a call',
    covers: ['canUseTool'],
    async play(kit) {
      kit.script(write(kit), done);
      const { canUseTool, asked } = decider(() => ({ behavior: 'deny', message: 'NOT TODAY' }));
      const messages = await kit.run('write', { canUseTool });
      return { messages, asked, isTold: resultsIn(kit).includes('NOT TODAY') };
    },
  },
  {
    name: 'the host denies a call and ends the turn',
    covers: ['canUseTool'],
    async play(kit) {
      kit.script(write(kit), done);
      const { canUseTool } = decider(() => ({ behavior: 'deny', message: 'STOP', interrupt: true }));
      await kit.run('write', { canUseTool }).catch(() => undefined);
      return { calls: kit.calls.length, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'the host changes a call',
    covers: ['canUseTool'],
    async play(kit) {
      kit.script(write(kit), done);
      const { canUseTool } = decider((input) => ({
        behavior: 'allow',
        updatedInput: { ...input, content: 'changed\n' },
      }));
      const messages = await kit.run('write', { canUseTool });
      return { messages, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'the host allows more than one call',
    covers: ['canUseTool'],
    async play(kit) {
      kit.script(write(kit), write(kit, 'other.txt'), done);
      const asked: string[] = [];
      const canUseTool = async (
        tool: string,
        updatedInput: object,
        { suggestions = [] }: { suggestions?: object[] },
      ) => {
        asked.push(tool);
        return { behavior: 'allow', updatedInput, updatedPermissions: suggestions };
      };
      const messages = await kit.run('write', { canUseTool });
      return { messages, asked, other: await kit.read('other.txt') };
    },
  },
  {
    name: 'questions of the model',
    covers: ['canUseTool'],
    async play(kit) {
      const question = {
        ...{ question: 'Which colour?', header: 'Colour', multiSelect: false },
        options: [
          { label: 'Red', description: 'Like fire' },
          { label: 'Blue', description: 'Like water' },
        ],
      };
      kit.script({ calls: [{ name: 'AskUserQuestion', input: { questions: [question] } }] }, done);
      const { canUseTool, asked } = decider((input) => ({
        behavior: 'allow',
        updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } },
      }));
      const messages = await kit.run('ask', { canUseTool });
      return { messages, asked, isTold: resultsIn(kit).includes('Blue') };
    },
  },
  {
    name: 'a plan',
    covers: ['permissionMode'],
    async play(kit) {
      kit.script(write(kit, 'early.txt'), done);
      const { canUseTool } = decider(() => ({ behavior: 'deny', message: 'Only plan.' }));
      const messages = await kit.run('plan', { permissionMode: 'plan', canUseTool });
      return { messages, early: await kit.read('early.txt') };
    },
  },
  {
    name: 'the mode changes in the session',
    covers: ['setPermissionMode'],
    async play(kit) {
      kit.script(write(kit), done);
      const session = kit.open();
      session.prompt('hi');
      kit.script();
      const set = await session.query.setPermissionMode('acceptEdits');
      await session.next('result');
      await session.end();
      return { set, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'nobody approves',
    covers: ['permissionPrompts'],
    async play(kit) {
      kit.script(write(kit), done);
      const { canUseTool, asked } = decider(() => ({ behavior: 'allow' }));
      const messages = await kit.run('write', { permissionPrompts: 'none', canUseTool });
      return { messages, asked, made: await kit.read('made.txt') };
    },
  },
  {
    name: 'a tool of a server approves',
    covers: ['permissionPromptToolName'],
    async play(kit) {
      const { sdk, z } = kit;
      kit.script(write(kit), write(kit, 'other.txt'), done);
      const asked: unknown[] = [];
      const approve = sdk.tool(
        'approve',
        'Approves calls',
        { tool_name: z.string(), input: z.any(), tool_use_id: z.string() },
        async ({ tool_name, input }: { tool_name: string; input: { file_path: string } }) => {
          asked.push(tool_name);
          const isAllowed = input.file_path.endsWith('made.txt');
          const answer = isAllowed
            ? { behavior: 'allow', updatedInput: input }
            : { behavior: 'deny', message: 'NOT THIS ONE' };
          return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
        },
      );
      const guard = sdk.createSdkMcpServer({ name: 'guard', version: '1.0.0', tools: [approve] });
      const options = { permissionPromptToolName: 'mcp__guard__approve', mcpServers: { guard } };
      const messages = await kit.run('write', options);
      const files = { made: await kit.read('made.txt'), other: await kit.read('other.txt') };
      return { messages, asked, ...files, isTold: resultsIn(kit).includes('NOT THIS ONE') };
    },
  },
  {
    name: 'another folder',
    covers: ['additionalDirectories'],
    async play(kit) {
      const { mkdtemp, realpath, writeFile } = await import('node:fs/promises');
      const { tmpdir } = await import('node:os');
      const { join } = await import('node:path');
      const other = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-other-')));
      await writeFile(join(other, 'b.txt'), 'SECOND FOLDER\n');
      const read = { calls: [{ name: 'Read', input: { file_path: join(other, 'b.txt') } }] };
      kit.script(read, done, read, done);
      await kit.run('read');
      const without = resultsIn(kit).includes('SECOND FOLDER');
      await kit.run('read', { additionalDirectories: [other] });
      return { without, with: resultsIn(kit).includes('SECOND FOLDER') };
    },
  },
  {
    name: 'settings from the host',
    covers: ['settings'],
    async play(kit) {
      const read = { calls: [{ name: 'Read', input: { file_path: kit.path('a.txt') } }] };
      kit.script(read, done);
      const messages = await kit.run('read', { settings: { permissions: { deny: ['Read(./a.txt)'] } } });
      return messages;
    },
  },
  {
    name: 'settings files',
    covers: ['settingSources'],
    async play(kit) {
      const { mkdir } = await import('node:fs/promises');
      await mkdir(kit.path('.claude'));
      await kit.write('.claude/settings.json', '{"permissions":{"deny":["Read(./a.txt)"]}}');
      const read = { calls: [{ name: 'Read', input: { file_path: kit.path('a.txt') } }] };
      kit.script(read, done, read, done);
      return [
        await kit.run('read', { settingSources: ['project'] }),
        await kit.run('read', { settingSources: [] }),
      ];
    },
  },
  {
    name: 'a sandbox',
    covers: ['sandbox'],
    async play(kit) {
      kit.script(bash('touch made.txt'), done);
      const sandbox = { enabled: true, autoAllowBashIfSandboxed: true, failIfUnavailable: false };
      const messages = await kit.run('touch', { sandbox });
      return { messages, made: await kit.read('made.txt') };
    },
  },
];
