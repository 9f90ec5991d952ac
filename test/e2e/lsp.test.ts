/** Language servers in the installed program, with default settings. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installServer } from '../lsp/support/install.ts';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { keys } from '../ui/screen.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const write = (content: string) => ({
  calls: [{ name: 'Write', input: { file_path: 'a.py', content } }],
});
const sent = ({ server }: TestProgram): string =>
  (server.requests().at(-1)?.messages ?? []).map(textOf).join('\n');

test.skipIf(!hasSandbox)(
  'new problems after an edit reach the model, and /lsp shows the server',
  async () => {
    const setup = await setUpProgram();
    const { work, server, access } = setup;
    const bin = join(work.home, '.local/bin');
    await installServer(bin, 'pyright-langserver');
    const env = work.env({ ...access, PATH: `${bin}:${process.env.PATH ?? ''}` });
    server.script(write('fine\nERROR here\n'), { text: 'Written.' });
    const terminal = await setup.ready([], { env });
    await terminal.submit('/lsp');
    await terminal.waitForPrinted(/Python\s+starts with the first edit/);
    await terminal.submit('write it');
    await terminal.waitFor('a.py');
    await terminal.answer('2');
    await terminal.press(keys.enter);
    await terminal.waitForPrinted('Written.');
    // The server starts in the meantime: a later request has its problems.
    for (let turn = 1; !sent(setup).includes('about ERROR here'); turn++) {
      server.script({ text: `Reply ${turn}.` });
      await terminal.submit('and now?');
      await terminal.waitForPrinted(`Reply ${turn}.`);
    }
    expect(sent(setup)).toContain('2:1 error: about ERROR here [fake]');
    await terminal.submit('/lsp');
    await terminal.waitForPrinted(/Python\s+running in the sandbox/);
  },
);

test('"lsp": false turns them off', { tags: 'long' }, async () => {
  const { print } = await setUpProgram();
  const { stdout } = await print(['-p', '/lsp', '--settings', JSON.stringify({ lsp: false })]);
  expect(stdout).toContain('Edits are not checked');
  expect((await print(['-p', '/lsp'])).stdout).toContain('Python');
});
