/**
 * Images: from a path, a paste and the clipboard to the request, and back from the log.
 *
 * @module-tag long
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { resizeDrawn } from './support/resizing.ts';
import { MODEL, setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const part = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };

async function withPictures(models: object): Promise<TestProgram> {
  const setup = await setUpProgram();
  const { work } = setup;
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify({ models }));
  await writeFile(join(work.repository, 'bild 图.png'), Buffer.from(PIXEL, 'base64'));
  return setup;
}

test('a pasted path and an @path are sent as images, once each, even after a resume', long, async () => {
  const { server, work, open, ready } = await withPictures({
    [MODEL]: { vision: true },
    blind: { vision: false },
  });
  server.script({ text: 'Two pixels.' }, { text: 'As I said.' }, { text: 'I see nothing.' });
  const terminal = await ready([], { columns: 80 });
  await terminal.press(keys.paste(`'${join(work.repository, 'bild 图.png')}'`));
  await terminal.waitFor('[Image #1]');
  await terminal.submit('and @"bild 图.png" are alike?');
  await terminal.waitFor('Two pixels.');
  expect(terminal.screen()).toMatch(/^> \[Image #1\] and @"bild 图\.png" are alike\?$/m);
  expect(server.requests()[0]?.messages.at(-1)?.content).toEqual([
    { type: 'text', text: '[Image #1] and @"bild 图.png" are alike?' },
    part,
    part,
  ]);
  await terminal.waitForIdle();
  await terminal.press(keys.ctrl('d'), keys.ctrl('d'));
  await terminal.exited;

  const again = open(['--continue'], { columns: 20 });
  await again.waitFor(/~?\d+%$/m);
  await again.waitForPrinted('[Image #1]');
  await again.submit('sure?');
  await again.waitFor('As I said.');
  expect(server.requests()[1]?.messages[1]?.content).toEqual(server.requests()[0]?.messages[1]?.content);

  // A model without image input gets text, and a prompt that would show it an image is returned.
  await again.waitForIdle();
  await resizeDrawn(again, 100, 30);
  await again.submit('/model blind');
  await again.waitFor('Model: blind');
  await again.submit('[Image #1] what now?');
  await again.waitFor('Not sent: blind has no image input.');
  expect(again.screen()).toMatch(/^❯ \[Image #1\] what now\?$/m);
  await again.press(keys.ctrl('u'));
  await again.submit('and now?');
  await again.waitFor('I see nothing.');
  const words = textOf(server.requests()[2]?.messages[1]);
  expect(words).toContain(
    '[An image (PNG, 1×1) that is not shown: this model or its server did not take it.]',
  );
  expect(JSON.stringify(server.requests()[2])).not.toContain(PIXEL);
});

test('an image that the server rejects does not end the session', long, async () => {
  const { server, work, ready } = await withPictures({});
  server.script(
    { error: { status: 400, message: 'image input is not supported by this model' } },
    { text: 'Words it is.' },
  );
  const terminal = await ready();
  await terminal.press(keys.paste(join(work.repository, 'bild\\ 图.png')));
  await terminal.waitFor('[Image #1]');
  await terminal.submit('?');
  await terminal.waitFor('Words it is.');
  await terminal.waitForPrinted(`Image support of ${MODEL} is unknown`);
  await terminal.waitForPrinted('does not support images: they are left out.');
  expect(JSON.stringify(server.requests()[1])).not.toContain(PIXEL);
  await terminal.waitForIdle();
});

test('Read shows an image to a model with image input, after the result of its call', {
  tags: 'long',
}, async () => {
  const { server, ready } = await withPictures({ [MODEL]: { vision: true } });
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'bild 图.png' } }] },
    { text: 'One white pixel.' },
  );
  const terminal = await ready();
  await terminal.submit('look at the picture');
  await terminal.waitFor('One white pixel.');
  await terminal.waitForPrinted('image, PNG, 1×1');
  const [call, result, shown] = server.requests()[1]?.messages.slice(-3) ?? [];
  expect(call?.tool_calls).toHaveLength(1);
  expect(textOf(result)).toContain('is an image (PNG, 1×1, 70 bytes). It follows in a separate message.');
  expect(shown).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: expect.stringMatching(/The image[\s\S]*<data>\n.*bild 图\.png:\n<\/data>/) },
      part,
    ],
  });
});

test('Ctrl+V pastes the image on the clipboard, and says if there is none', long, async () => {
  const { server, work, access, ready } = await withPictures({ [MODEL]: { vision: true } });
  const tool = join(work.temporary, 'wl-paste');
  await writeFile(
    tool,
    `#!/bin/sh\n[ -e ${work.temporary}/full ] && exec cat "${work.repository}/bild 图.png"\nexit 1\n`,
  );
  await chmod(tool, 0o755);
  server.script({ text: 'From the clipboard.' });
  const path = `${work.temporary}:${process.env.PATH}`;
  const env = work.env({ ...access, WAYLAND_DISPLAY: 'wayland-9', PATH: path });
  const terminal = await ready([], { env });
  await terminal.press(keys.ctrl('v'));
  await terminal.waitFor('No image on the clipboard.');
  await writeFile(join(work.temporary, 'full'), '');
  await terminal.type('this: ');
  await terminal.press(keys.ctrl('v'));
  await terminal.waitFor('this: [Image #1]');
  await terminal.press(keys.enter);
  await terminal.waitFor('From the clipboard.');
  expect(server.requests()[0]?.messages.at(-1)?.content).toEqual([
    { type: 'text', text: 'this: [Image #1]' },
    part,
  ]);
  expectTried(terminal, 'chat:imagePaste');
});
