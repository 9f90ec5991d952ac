/**
 * Real language servers in the sandbox, with default settings; each is skipped if it is not installed.
 *
 * @module-tag long
 */
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const servers = [
  {
    program: 'typescript-language-server',
    file: 'a.ts',
    text: 'const x: number = "a";\n',
    found: /\[2322\]/,
  },
  { program: 'pyright-langserver', file: 'a.py', text: 'x: int = "a"\n', found: /\[reportAssignmentType\]/ },
];
/** The server for TypeScript starts the tsserver of the TypeScript next to it; TypeScript 7 has none. */
function canRun(program: string): boolean {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
  if (path === undefined) return false;
  if (program !== 'typescript-language-server') return true;
  try {
    return existsSync(createRequire(realpathSync(path)).resolve('typescript/lib/tsserver.js'));
  } catch {
    return false;
  }
}

for (const { program, file, text, found } of servers)
  test.skipIf(!hasSandbox || !canRun(program))(`${program} reports an error in an edit`, async () => {
    const setup = await setUpProgram();
    const { server } = setup;
    server.script(
      { calls: [{ name: 'Write', input: { file_path: file, content: text } }] },
      { text: 'Written.' },
    );
    const terminal = await setup.ready(['--permission-mode', 'acceptEdits']);
    await terminal.submit('write it');
    await terminal.waitForPrinted('Written.');
    const sent = (): string => (server.requests().at(-1)?.messages ?? []).map(textOf).join('\n');
    for (let turn = 1; !found.test(sent()); turn++) {
      server.script({ text: `Reply ${turn}.` });
      await terminal.submit('and now?');
      await terminal.waitForPrinted(`Reply ${turn}.`);
    }
    expect(sent()).toMatch(found);
    await terminal.submit('/lsp');
    await terminal.waitForPrinted(/running in the sandbox/);
  });
