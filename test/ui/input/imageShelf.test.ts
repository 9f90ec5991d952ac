import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createImagePort, readClipboardImage } from '../../../src/cli/terminal/images.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { ImagePart } from '../../../src/protocol/files/images.ts';
import {
  createImageShelf,
  createImages,
  mayNameImages,
  mentionedImages,
  pathsInPaste,
} from '../../../src/ui/input/images.ts';
import { promptText } from '../../../src/ui/print/entry.ts';
import { cpuClock } from '../../cpuTime.ts';
import { state } from '../../headless/scriptedAgent.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const pixel: ImagePart = { type: 'image', mediaType: 'image/png', data: PIXEL };
const other: ImagePart = { type: 'image', mediaType: 'image/gif', data: 'R0lGODlh' };

const prompt = (content: unknown): JSONLEntry => ({
  v: 1,
  seq: 0,
  uuid: 'u',
  parentUuid: null,
  sessionId: 's',
  timestamp: '',
  type: 'user',
  subtype: 'prompt',
  cwd: '/',
  version: '1',
  message: { role: 'user', content },
});

describe('a paste', () => {
  test.each([
    ['/tmp/a.png', [['/tmp/a.png']]],
    ["'/tmp/my shot.png'", [['/tmp/my shot.png']]],
    ['"/tmp/my shot.PNG" ', [['/tmp/my shot.PNG']]],
    ['/tmp/my\\ shot\\(1\\).jpg', [['/tmp/my shot(1).jpg']]],
    ['file:///tmp/my%20shot.webp', [['/tmp/my shot.webp']]],
    ['/tmp/a.png /tmp/b.gif', [['/tmp/a.png /tmp/b.gif'], ['/tmp/a.png', '/tmp/b.gif']]],
    ["'/tmp/a b.png' '/tmp/c d.png'", [['/tmp/a b.png', '/tmp/c d.png']]],
    ['/tmp/a.png\n/tmp/图 片.jpeg', [['/tmp/a.png', '/tmp/图 片.jpeg']]],
    ['/tmp/Screenshot 2026-11-21 at 10.00.00.png', [['/tmp/Screenshot 2026-11-21 at 10.00.00.png']]],
    ['C:\\shots\\new.png', [['C:\\shots\\new.png']]],
    ['see /tmp/a.png please', []],
    ['const icon = "a.svg"', []],
    ['', []],
    [`${'x'.repeat(9000)}.png`, []],
  ])('of %j may mean %j', (pasted, paths) => {
    expect(pathsInPaste(pasted)).toEqual(paths);
  });

  test('of any text is searched quickly and without an error', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (text) => {
        for (const paths of pathsInPaste(`${text}.png`)) expect(paths.length).toBeGreaterThan(0);
        expect(Array.isArray(mentionedImages(text))).toBe(true);
      }),
    );
    const hostile = `${"'".repeat(4000)}${'\\'.repeat(4000)}.png`;
    const spentMs = cpuClock();
    pathsInPaste(hostile);
    mentionedImages(`@${'\\ '.repeat(50_000)}`);
    expect(spentMs()).toBeLessThan(10_000);
  });
});

test.each([
  ['look at @shot.png, and @"my shot.jpg".', ['shot.png', 'my shot.jpg']],
  ['(see) @docs/a.gif; @docs/a.gif', ['docs/a.gif']],
  ['me@mail.png is no mention, @src/a.ts is no image', []],
  ['@my\\ shot.webp', ['my shot.webp']],
])('%j mentions %j', (text, paths) => {
  expect(mentionedImages(text)).toEqual(paths);
});

describe('the shelf', () => {
  test('numbers images and finds those that a text names, in order', () => {
    const shelf = createImageShelf(() => []);
    expect([shelf.add(pixel), shelf.add(other)]).toEqual(['[Image #1]', '[Image #2]']);
    expect(shelf.named('[Image #2] before [Image #1], [Image #2]')).toEqual([other, pixel]);
    expect(shelf.named('[Image #3]')).toEqual([]);
  });

  test('continues the numbers of a resumed session and finds its images', () => {
    const sent = prompt([{ type: 'text', text: '[Image #4] and [Image #2]' }, pixel, other]);
    const shelf = createImageShelf(() => [sent, prompt('[Image #9] in words only')]);
    expect(shelf.add(pixel)).toBe('[Image #5]');
    expect(shelf.named('[Image #2]')).toEqual([other]);
    expect(shelf.named('[Image #4]')).toEqual([pixel]);
  });

  test('keeps the newest forty', () => {
    const shelf = createImageShelf(() => []);
    for (let count = 0; count < 45; count++) shelf.add(pixel);
    expect(shelf.named('[Image #5]')).toEqual([]);
    expect(shelf.named('[Image #6]')).toEqual([pixel]);
  });
});

describe('files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-images-')));
    await writeFile(join(folder, 'shot.png'), Buffer.from(PIXEL, 'base64'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const port = () => createImagePort({ cwd: folder, home: folder, env: {} });

  test.each(['shot.png', './shot.png', '~/shot.png'])(
    'are read by any name the user gives: %s',
    async (path) => {
      expect(await port().read(path)).toMatchObject({
        type: 'image',
        image: pixel,
        bytes: 70,
        header: { width: 1 },
      });
    },
  );

  test('that are not images, missing, folders, pipes or broken links are not accepted', async () => {
    await writeFile(join(folder, 'text.png'), 'text');
    await writeFile(join(folder, 'empty.png'), '');
    await promisify(execFile)('mkfifo', [join(folder, 'pipe.png')]);
    for (const path of ['text.png', 'empty.png', 'gone.png', '.', 'pipe.png', 'a\0b.png'])
      expect(await port().read(path)).toEqual({ type: 'none' });
  });

  test('that are too large are rejected with advice', async () => {
    const large = Buffer.concat([Buffer.from(PIXEL, 'base64'), Buffer.alloc(6 * 1024 * 1024)]);
    await writeFile(join(folder, 'large.png'), large);
    const read = await port().read('large.png');
    expect(read).toMatchObject({ type: 'refused' });
    expect(read.type === 'refused' ? read.message : '').toMatch(
      /^large\.png is 6\.0 MB; .* 5 MB\. Make a smaller copy/,
    );
  });

  const program = async (name: string, script: string): Promise<void> => {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  };
  const here = () => ({ PATH: `${folder}:/usr/bin:/bin`, WAYLAND_DISPLAY: 'wayland-0' });

  test('the clipboard is read by an installed program', async () => {
    await program(
      'wl-paste',
      `echo "$@" >> ${folder}/asked; [ "$3" = image/png ] && exec cat ${folder}/shot.png; exit 1`,
    );
    expect(await readClipboardImage('linux', here())).toMatchObject({ type: 'image', image: pixel });
    expect(await readFile(join(folder, 'asked'), 'utf8')).toBe('--no-newline --type image/png\n');
  });

  test('no program from the project reads the clipboard', async () => {
    await program('wl-paste', `touch ${folder}/ran`);
    const read = await createImagePort({ cwd: folder, env: here(), platform: 'linux' }).clipboard();
    expect(read).toMatchObject({ type: 'none' });
    expect(await readdir(folder)).not.toContain('ran');
  });

  test('text in the clipboard is not an image, and a program that prints without end is stopped', {
    tags: 'long',
  }, async () => {
    await program('wl-paste', 'echo "only text"');
    expect(await readClipboardImage('linux', here())).toMatchObject({
      type: 'none',
      message: expect.stringContaining('No image on the clipboard'),
    });
    await program('wl-paste', 'exec cat /dev/zero');
    expect(await readClipboardImage('linux', here())).toMatchObject({ type: 'refused' });
  });

  test('AppleScript’s hexadecimal and PowerShell’s base64 are decoded', async () => {
    const hex = Buffer.from(PIXEL, 'base64').toString('hex').toUpperCase();
    await program('osascript', `printf '\\253data PNGf${hex}\\273\\n'`);
    await program('powershell.exe', `echo ${PIXEL}`);
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    expect(await readClipboardImage('darwin', env)).toMatchObject({ type: 'image', image: pixel });
    expect(await readClipboardImage('win32', env)).toMatchObject({ type: 'image', image: pixel });
    expect(await readClipboardImage('linux', { ...env, WSL_DISTRO_NAME: 'Ubuntu' })).toMatchObject({
      type: 'image',
    });
  });

  test.each([
    [{ WAYLAND_DISPLAY: 'w' }, 'install wl-clipboard'],
    [{ DISPLAY: ':0' }, 'install xclip'],
    [{}, 'no desktop clipboard here'],
  ])('if no program can read it, with %j, the message says how to enable it', async (env, words) => {
    const read = await readClipboardImage('linux', { PATH: folder, ...env });
    expect(read).toMatchObject({ type: 'none', message: expect.stringContaining(words) });
  });

  describe('images in prompts', () => {
    const made = (seesImages?: boolean) => {
      const said: string[] = [];
      const model = { ...state.model, id: 'm', ...(seesImages === undefined ? {} : { seesImages }) };
      const images = createImages({
        port,
        agent: { entries: () => [], state: () => ({ ...state, model }) },
        showNotice: (level, text) => said.push(`${level}: ${text}`),
      });
      return { images, said };
    };

    test('become labels and are sent with the prompt that names them', async () => {
      const { images, said } = made(true);
      expect(images.attach('just text')).toBeUndefined();
      expect(await images.attach(`'${join(folder, 'shot.png')}'`)).toEqual(['[Image #1]']);
      expect(await images.attach('shot.png\nshot.png')).toEqual(['[Image #2]', '[Image #3]']);
      expect(await images.attach('gone.png')).toBeUndefined();
      expect(await images.of('[Image #1] and @shot.png')).toEqual([pixel, pixel]);
      expect(said).toEqual([]);
    });

    test('are not sent to a model without image input, and this is reported first', async () => {
      const { images, said } = made(false);
      await images.attach('shot.png');
      expect(await images.of('[Image #1] what is it?')).toBe('hold');
      expect(await images.of('move @shot.png to assets')).toEqual([]);
      expect(said).toEqual([
        'warning: [Image #1] shot.png (PNG, 1×1): m has no image input. Switch models with /model.',
        'warning: Not sent: m has no image input. Switch models with /model. Remove the image to send it.',
        'info: m does not support images: it gets only the path shot.png.',
      ]);
    });

    test('are sent to a model with unknown image support, and this is reported once', async () => {
      const { images, said } = made();
      await images.attach('shot.png');
      expect(await images.of('[Image #1]')).toEqual([pixel]);
      expect(await images.of('[Image #1]')).toEqual([pixel]);
      expect(said).toEqual([
        'info: Image support of m is unknown: images are sent, and dropped if it rejects them.',
      ]);
    });
  });
});

test.each([
  ['[Image #1] hi', true],
  ['look at @a.png', true],
  ['hello', false],
  ['/rename [Image #1]', false],
  ['!echo @a.png', false],
])('%j may name images: %s', (text, is) => {
  expect(mayNameImages(text)).toBe(is);
});

test.each([
  [[{ type: 'text', text: '[Image #1] what?' }, pixel], '[Image #1] what?'],
  [[{ type: 'text', text: 'see @a.png' }, pixel], 'see @a.png\n[image]'],
  ['plain', 'plain'],
])('a prompt with %j is printed as %j', (content, printed) => {
  expect(promptText(prompt(content))).toBe(printed);
});
