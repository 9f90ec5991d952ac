import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { linesOf } from './support/jsonLines.ts';
import { firstIsQuick } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

for (const { row: flag, options } of firstIsQuick(['--safe-mode', '--bare']))
  test(`${flag} starts without additions by the user and the repository`, options, async () => {
    const { server, work, print } = await setUpProgram();
    await work.write('AGENTS.md', 'Always speak of marmots.');
    const write = async (path: string, text: string): Promise<void> => {
      const file = join(work.home, '.clawdcode', path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, text);
    };
    await write('skills/badger/SKILL.md', '---\nname: badger\ndescription: Digs.\n---\nDig.');
    await write('agents/otter.md', '---\nname: otter\ndescription: Swims.\n---\nSwim.');
    const hook = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo weasel' }] }] };
    const mcpServers = { stoat: { command: 'false' } };
    await write('config.json', JSON.stringify({ hooks: hook, mcpServers }));
    const init = async (...flags: string[]) => {
      server.script({ text: 'Hello.' });
      const { stdout } = await print(['-p', 'hi', '--output-format', 'stream-json', ...flags]);
      const request = server.requests().at(-1);
      const said = JSON.stringify([request?.messages.map(textOf), request?.tools]);
      const words = ['marmots', 'badger', 'otter', 'weasel'].filter((word) => said.includes(word));
      return [words, linesOf(stdout)[0]?.mcp_servers];
    };
    expect(await init()).toEqual([
      ['marmots', 'badger', 'otter', 'weasel'],
      [{ name: 'stoat', status: 'failed' }],
    ]);
    expect(await init(flag)).toEqual([[], []]);
  });
