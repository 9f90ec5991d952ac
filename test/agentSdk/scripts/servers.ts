/** MCP servers, in the host and as programs; agents, skills and plugins. */
import { join } from 'node:path';
import type { Kit, Script } from '../play.ts';

const SERVER = join(import.meta.dirname, '../../mcp/support/server.mjs');
const done = { text: 'Done.' };
const call = (name: string, input: object) => ({ calls: [{ name, input }] });
const toldLast = ({ calls }: Kit, word: string): boolean =>
  JSON.stringify(calls.at(-1)?.messages.slice(-3)).includes(word);

/** A server in the host that adds numbers. */
function sums({ sdk, z }: Kit, name = 'sums'): object {
  const add = sdk.tool(
    'add',
    'Adds',
    { a: z.number(), b: z.number() },
    async ({ a, b }: { a: number; b: number }) => ({
      content: [{ type: 'text', text: `SUM ${a + b}` }],
    }),
  );
  return sdk.createSdkMcpServer({ name, version: '1.0.0', tools: [add] });
}
const program = { type: 'stdio', command: process.execPath, args: [SERVER] };

interface Status {
  readonly name: string;
  readonly status: string;
  readonly tools?: readonly { readonly name: string }[];
}
const states = (given: unknown): unknown =>
  (given as readonly Status[]).map(({ name, status }) => `${name}: ${status}`).sort();

export const serverScripts: readonly Script[] = [
  {
    name: 'a server in the host',
    covers: ['mcpServers', 'createSdkMcpServer', 'tool'],
    async play(kit) {
      kit.script(call('mcp__sums__add', { a: 2, b: 3 }), done);
      const options = { mcpServers: { sums: sums(kit) }, allowedTools: ['mcp__sums__add'] };
      return { messages: await kit.run('add', options), told: toldLast(kit, 'SUM 5') };
    },
  },
  {
    name: 'a server as a program',
    covers: ['mcpServers'],
    async play(kit) {
      kit.script(call('mcp__notes__echo', { text: 'hi' }), done);
      const options = { mcpServers: { notes: program }, allowedTools: ['mcp__notes'] };
      return { messages: await kit.run('echo', options), told: toldLast(kit, 'hi') };
    },
  },
  {
    name: 'a server that standard input names',
    covers: ['mcpServersDelivery'],
    async play(kit) {
      kit.script(call('mcp__notes__echo', { text: 'hi' }), done);
      const options = { mcpServers: { notes: program }, mcpServersDelivery: 'initialize' };
      return kit.run('echo', { ...options, allowedTools: ['mcp__notes'] });
    },
  },
  {
    name: 'only the servers of the host',
    covers: ['strictMcpConfig'],
    async play(kit) {
      await kit.write('.mcp.json', JSON.stringify({ mcpServers: { other: program } }));
      kit.script(done);
      const options = { mcpServers: { notes: program }, strictMcpConfig: true };
      const session = kit.open(options);
      session.prompt('hi');
      await session.next('result');
      const status = states(await session.query.mcpServerStatus());
      await session.end();
      return status;
    },
  },
  {
    name: 'the state of servers, and connecting again',
    covers: ['mcpServerStatus', 'reconnectMcpServer'],
    async play(kit) {
      kit.script(done);
      const session = kit.open({ mcpServers: { notes: program, sums: sums(kit) } });
      session.prompt('hi');
      await session.next('result');
      await session.query.reconnectMcpServer('notes');
      const status = states(await session.query.mcpServerStatus());
      const unknown = await session.query.reconnectMcpServer('nosuch').catch(() => 'rejected');
      await session.end();
      return { status, unknown };
    },
  },
  {
    name: 'a server is switched off and on',
    covers: ['toggleMcpServer'],
    async play(kit) {
      kit.script(done, done, done);
      const session = kit.open({ mcpServers: { sums: sums(kit) }, allowedTools: ['mcp__sums'] });
      const offered: boolean[] = [];
      const look = async (): Promise<unknown> => {
        session.prompt('hi');
        await session.next('result');
        offered.push(kit.calls.at(-1)?.tools?.some(({ name }) => name === 'mcp__sums__add') === true);
        return states(await session.query.mcpServerStatus());
      };
      const first = await look();
      await session.query.toggleMcpServer('sums', false);
      const second = await look();
      await session.query.toggleMcpServer('sums', true);
      const third = await look();
      const unknown = await session.query.toggleMcpServer('nosuch', false).catch(() => 'rejected');
      await session.end();
      return { first, second, third, offered, unknown };
    },
  },
  {
    name: 'other servers in the session',
    covers: ['setMcpServers'],
    async play(kit) {
      kit.script(
        done,
        call('mcp__more__add', { a: 1, b: 1 }),
        done,
        call('mcp__notes__echo', { text: 'HEARD' }),
        done,
      );
      const session = kit.open({
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        env: { IS_SANDBOX: '1' },
      });
      session.prompt('hi');
      await session.next('result');
      const added = await session.query.setMcpServers({ more: sums(kit, 'more') });
      session.prompt('add');
      await session.next('result');
      const told = toldLast(kit, 'SUM 2');
      const changed = await session.query.setMcpServers({ notes: program });
      session.prompt('echo');
      await session.next('result');
      const heard = toldLast(kit, 'HEARD');
      const status = states(await session.query.mcpServerStatus());
      const removed = await session.query.setMcpServers({});
      await session.end();
      return { added, told, changed, heard, status, removed };
    },
  },
  {
    name: 'agents of the host',
    covers: ['agents'],
    async play(kit) {
      const input = {
        description: 'Look',
        prompt: 'LOOK AT IT',
        subagent_type: 'looker',
        run_in_background: false,
      };
      kit.script(call('Agent', input), { text: 'Seen it.' }, done);
      const agents = { looker: { description: 'Looks', prompt: 'You are a LOOKER.', tools: ['Read'] } };
      const messages = await kit.run('look', { agents });
      const child = kit.calls[1];
      return {
        result: messages.at(-1),
        isTold:
          JSON.stringify(child?.system).includes('LOOKER') ||
          JSON.stringify(child?.messages).includes('LOOKER'),
        tools: child?.tools
          ?.map(({ name }) => name)
          .filter((name) => ['Read', 'Write', 'Bash'].includes(name)),
        told: toldLast(kit, 'Seen it.'),
      };
    },
  },
  {
    name: 'the words of agents',
    covers: ['forwardSubagentText'],
    async play(kit) {
      const input = {
        description: 'Look',
        prompt: 'Look',
        subagent_type: 'looker',
        run_in_background: false,
      };
      kit.script(call('Agent', input), { text: 'Seen it.' }, done);
      const agents = { looker: { description: 'Looks', prompt: 'You look.', tools: ['Read'] } };
      const messages = await kit.run('look', { agents, forwardSubagentText: true });
      return messages.some(
        ({ type, parent_tool_use_id, message }) =>
          type === 'assistant' && parent_tool_use_id != null && JSON.stringify(message).includes('Seen it.'),
      );
    },
  },
  {
    name: 'an agent for the session itself',
    covers: ['agent'],
    async play(kit) {
      kit.script(done);
      const agents = { counter: { description: 'Counts', prompt: 'You count SHEEP.', tools: ['Read'] } };
      await kit.run('hi', { agents, agent: 'counter' });
      const names = kit.calls[0]?.tools?.map(({ name }) => name) ?? [];
      return {
        isTold: JSON.stringify(kit.calls[0]?.system).includes('SHEEP'),
        tools: ['Read', 'Write', 'Bash'].filter((name) => names.includes(name)),
      };
    },
  },
  {
    name: 'a selection of skills',
    covers: ['skills'],
    async play(kit) {
      const { mkdir } = await import('node:fs/promises');
      for (const name of ['greet', 'leave']) {
        await mkdir(kit.path(`.claude/skills/${name}`), { recursive: true });
        const text = `---\nname: ${name}\ndescription: SKILL-${name.toUpperCase()}\n---\nDo it.\n`;
        await kit.write(`.claude/skills/${name}/SKILL.md`, text);
      }
      kit.script(done, done);
      await kit.run('hi', { skills: ['greet'], settingSources: ['project'] });
      const first = JSON.stringify(kit.calls[0]);
      return { greet: first.includes('SKILL-GREET'), leave: first.includes('SKILL-LEAVE') };
    },
  },
  {
    name: 'a plugin from a folder',
    covers: ['plugins', 'pluginDelivery'],
    async play(kit) {
      const { mkdir } = await import('node:fs/promises');
      await mkdir(kit.path('plug/.claude-plugin'), { recursive: true });
      await mkdir(kit.path('plug/commands'), { recursive: true });
      await kit.write('plug/.claude-plugin/plugin.json', '{"name":"plug","version":"1.0.0"}');
      await kit.write('plug/commands/shout.md', '---\ndescription: Shouts\n---\nSHOUT $ARGUMENTS\n');
      kit.script({ text: 'LOUD' }, { text: 'LOUD' });
      const plugins = [{ type: 'local', path: kit.path('plug') }];
      await kit.run('/plug:shout hey', { plugins });
      await kit.run('/plug:shout hey', { plugins, pluginDelivery: 'initialize' });
      return kit.calls.map((one) => JSON.stringify(one.messages).includes('SHOUT hey'));
    },
  },
];
