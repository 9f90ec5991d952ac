import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diffFiles, writeFileAtomic } from '../../src/tools/files/saveText.ts';
import { sha256 } from '../../src/tools/files/textFile.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench();
});
afterEach(() => bench.close());

const at = (name: string): string => join(bench.root, name);
const put = (name: string, content: string | Uint8Array): void => writeFileSync(at(name), content);
const text = (name: string): string => readFileSync(at(name), 'utf8');
const read = (file_path: string, more: Record<string, unknown> = {}) =>
  bench.call('Read', { file_path, ...more });
const write = (file_path: string, content: string) => bench.call('Write', { file_path, content });
const edit = (file_path: string, old_string: string, new_string: string, replace_all = false) =>
  bench.call('Edit', { file_path, old_string, new_string, replace_all });

describe('Read', () => {
  test('numbers the lines and hashes the whole file', async () => {
    put('a.txt', 'one\ntwo\n');
    expect(await read('a.txt')).toMatchObject({
      status: 'ok',
      kind: 'file',
      text: '     1\tone\n     2\ttwo',
      display: { title: 'a.txt', summary: '2 lines' },
      filesRead: [{ path: at('a.txt'), hash: sha256(Buffer.from('one\ntwo\n')) }],
    });
  });

  test('shows a range, names it and says how to continue', async () => {
    put('a.txt', Array.from({ length: 3000 }, (_, index) => `l${index + 1}`).join('\n'));
    const range = await read('a.txt', { offset: 10, limit: 2 });
    expect(range.text).toBe('    10\tl10\n    11\tl11\n(Lines 10-11 of 3000; more with offset 12.)');
    expect(range.display.title).toBe('a.txt:10-11');
    expect(range.excerpt).toEqual({ totalLines: 3000, notes: [] });
    const start = await read('a.txt');
    expect(start.text).toContain('  2000\tl2000\n(Lines 1-2000 of 3000; more with offset 2001.)');
    // The title names no range, so the summary must.
    expect(start.display).toEqual({ title: 'a.txt', summary: 'lines 1-2000 of 3000', totalLines: 3000 });
    expect(range.display.summary).toBe('2 lines');
    expect((await read('a.txt', { offset: 4000 })).text).toBe(
      '(The file has only 3,000 lines; offset 4000 is past its end.)',
    );
  });

  test.each([
    ['an empty file', '', '(The file exists and is empty.)'],
    ['no newline at the end', 'a\nb', '     1\ta\n     2\tb'],
    ['CRLF', 'a\r\nb\r\n', '     1\ta\n     2\tb'],
    ['other separators inside lines', 'a\u2028b\vc\fd\n', '     1\ta\u2028b\vc\fd'],
    ['a byte order mark before UTF-8', '\uFEFFa\n', '     1\ta'],
    ['UTF-16 LE', Buffer.from('\uFEFFä\n😀\n', 'utf16le'), '     1\tä\n     2\t😀'],
    ['UTF-16 BE', Buffer.from('\uFEFFä\nb\n', 'utf16le').swap16(), '     1\tä\n     2\tb'],
    [
      'bytes that are not UTF-8',
      Buffer.from('caf\xe9\n', 'latin1'),
      '     1\tcaf\uFFFD\n(Some bytes are not valid utf-8; each is shown as \uFFFD.)',
    ],
    [
      'a long line',
      `${'x'.repeat(1999)}😀 and more\nb\n`,
      `     1\t${'x'.repeat(1999)}\n     2\tb\n(1 line cut at 2000 characters.)`,
    ],
  ])('handles %s', async (_name, content, expected) => {
    put('file', content);
    expect((await read('file')).text).toBe(expected);
  });

  test('keeps characters intact at the borders of its chunks', async () => {
    const content = `${'é'.repeat(900)}\n`.repeat(500);
    put('a.txt', `x${content}`);
    const lines = (await read('a.txt')).text.split('\n');
    expect(lines[499]).toBe(`   500\t${'é'.repeat(900)}`);
    expect((await read('a.txt')).text).not.toContain('\uFFFD');
  });

  test.each([
    ['a directory', () => mkdirSync(at('x')), /is a directory\. Use Glob with path/],
    ['a binary file', () => put('x', Buffer.from([1, 2, 0, 3])), /binary file \(4 bytes\)/],
    ['a pipe', () => execFileSync('mkfifo', [at('x')]), /device, pipe or socket/],
    ['a circular link', () => symlinkSync('x', at('x')), /circle/],
    ['a typo in the name', () => put('X.txt', ''), /x does not exist\. Did you mean .*\/X\.txt\?/],
    ['a missing directory', () => undefined, /does not exist/],
  ])('rejects %s with an explanation', async (_name, prepare, expected) => {
    prepare();
    const outcome = await read('x');
    expect(outcome).toMatchObject({ status: 'error' });
    expect(outcome.text).toMatch(expected);
  });

  test('rejects a device', async () => {
    expect((await read('/dev/zero')).text).toMatch(/device, pipe or socket/);
  });

  test('finds files in the root if the shell is elsewhere', async () => {
    mkdirSync(at('sub'));
    put('a.txt', 'a');
    await bench.call('Bash', { command: 'cd sub' });
    const hint = `${at('sub/a.txt')} does not exist. Did you mean ${at('a.txt')}?`;
    expect((await read('a.txt')).text).toBe(hint);
    expect((await edit('a.txt', 'a', 'b')).text).toBe(hint);
    expect(text('a.txt')).toBe('a');
  });

  test.each(['a\0b', 'file:///100%'])('handles the path %j', async (path) => {
    expect(await read(path)).toMatchObject({ status: 'error' });
  });

  test('accepts ~ and file URLs', async () => {
    put('a b.txt', 'hello');
    expect((await read(`file://${encodeURI(at('a b.txt'))}`)).text).toContain('hello');
    const prepared = await bench.prepare('Read', { file_path: '~/x' });
    expect(prepared).toMatchObject({ access: { type: 'read', paths: [join(process.env.HOME ?? '', 'x')] } });
  });

  test('shows a range of a file of 1 GB without loading it', async () => {
    put('huge', `${'line\n'.repeat(2000)}`);
    truncateSync(at('huge'), 1_000_000_000);
    const before = process.memoryUsage().arrayBuffers;
    const outcome = await read('huge', { offset: 500, limit: 2 });
    expect(outcome.text).toBe(
      '   500\tline\n   501\tline\n(Lines 500-501 of a file of 1.0 GB; more with offset 502.)',
    );
    expect(outcome.filesRead).toBeUndefined();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });
});

describe('Write', () => {
  test('creates a file and its directories', async () => {
    const outcome = await write('a/b/c.txt', 'one\ntwo\n');
    expect(text('a/b/c.txt')).toBe('one\ntwo\n');
    expect(outcome).toMatchObject({
      status: 'ok',
      kind: 'edit',
      display: { title: 'a/b/c.txt', summary: '+2 −0' },
    });
    expect(outcome.filesChanged).toEqual([
      {
        path: at('a/b/c.txt'),
        kind: 'created',
        hash: sha256(Buffer.from('one\ntwo\n')),
        added: 2,
        removed: 0,
      },
    ]);
  });

  test('rejects a file that was not read, or has changed since', async () => {
    put('a.txt', 'mine\n');
    expect((await write('a.txt', 'yours')).text).toMatch(/has not been read in this session\. Read it first/);
    await read('a.txt');
    put('a.txt', 'changed\n');
    expect((await write('a.txt', 'yours')).text).toMatch(/changed on disk since it was read/);
    expect(text('a.txt')).toBe('changed\n');
  });

  test('may follow its own write, and leaves nothing else behind', async () => {
    await write('a.txt', 'one\n');
    expect(await write('a.txt', 'two\n')).toMatchObject({ status: 'ok', display: { summary: '+1 −1' } });
    expect(readdirSync(bench.root)).toEqual(['a.txt']);
  });

  test('keeps mode, byte order mark and line endings, and follows a link', async () => {
    put('real.sh', '\uFEFFa\r\nb\r\n');
    chmodSync(at('real.sh'), 0o751);
    symlinkSync('real.sh', at('link.sh'));
    await read('link.sh');
    const outcome = await write('link.sh', 'a\nc\n');
    expect(readFileSync(at('real.sh')).toString()).toBe('\uFEFFa\r\nc\r\n');
    expect(statSync(at('real.sh')).mode & 0o777).toBe(0o751);
    expect(lstatSync(at('link.sh')).isSymbolicLink()).toBe(true);
    expect(outcome.display.diff).toContain('\n a\n-b\n+c\n');
  });

  test('says if there is nothing to do', async () => {
    await write('a.txt', 'one\n');
    const outcome = await write('a.txt', 'one\n');
    expect(outcome).toMatchObject({ status: 'ok', display: { summary: 'unchanged' } });
    expect(outcome.filesChanged).toBeUndefined();
  });

  test.each([
    ['in a new file', undefined, 'rm a \\\r\n b\nc\n', '+rm a \\\r\n+ b\n+c\n', false],
    ['added to a file', 'a\nb\n', 'a\r\nb\n', '-a\n+a\r\n b\n', false],
    ['removed from a file', 'a\r\nb\r\n', 'a\r\r\nb\n\r\n', '-a\r\n-b\r\n+a\r\r\n+b\n+\r\n', false],
    ['throughout a new file', undefined, 'a\r\nb\r\n', '+a\n+b\n', true],
    ['throughout before and after', 'a\r\nb\r\n', 'a\r\nc\r\n', ' a\n-b\n+c\n', false],
  ])('shows carriage returns: %s', async (_, before, content, shown, isNoted) => {
    if (before !== undefined) {
      put('a.sh', before);
      await read('a.sh');
    }
    const prepared = await bench.prepare('Write', { file_path: 'a.sh', content });
    const preview = prepared.type === 'ready' ? await prepared.preview() : undefined;
    expect(preview?.type === 'diff' && preview.diff.replace(/^.*@@\n/s, '')).toBe(shown);
    expect(preview).toHaveProperty('isNew', before === undefined);
    expect(preview !== undefined && 'endsLinesWithPairs' in preview).toBe(isNoted);
  });

  test('previews the diff and changes nothing', async () => {
    const prepared = await bench.prepare('Write', { file_path: 'new.txt', content: 'hi\n' });
    if (prepared.type !== 'ready') throw new Error('not ready');
    expect(await prepared.preview()).toMatchObject({
      type: 'diff',
      isNew: true,
      path: at('new.txt'),
      diff: expect.stringContaining('+hi'),
    });
    expect(existsSync(at('new.txt'))).toBe(false);
  });

  test('previews all of a change that takes too long to compare', { tags: 'long' }, async () => {
    const lines = (sign: string) =>
      Array.from({ length: 30_000 }, (_, at) => `${sign}${at * 7919}`).join('\n');
    const diff = await diffFiles('a', `same\n${lines('a')}\nend\n`, `same\n${lines('b')}\nend`);
    expect([diff.added, diff.removed]).toEqual([30_001, 30_001]);
    expect(diff.diff).toContain('@@ -2,30001 +2,30001 @@\n-a0\n');
    expect(diff.diff).toContain('\n-end\n+b0\n');
    expect(diff.diff.trimEnd()).toMatch(/\n\+end\n\\ No newline at end of file$/);
  });

  test('fails if the path leads through a file', async () => {
    put('file', 'x');
    expect(await write('file/a.txt', 'x')).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/ENOTDIR/),
    });
  });
});

describe('Edit', () => {
  test('changes the file and shows the diff', async () => {
    put('a.txt', 'one\ntwo\nthree\n');
    await read('a.txt');
    const outcome = await edit('a.txt', 'two', '$& 2');
    expect(text('a.txt')).toBe('one\n$& 2\nthree\n');
    expect(outcome).toMatchObject({ status: 'ok', display: { summary: '+1 −1' } });
    expect(outcome.display.diff).toBe('--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+$& 2\n three\n');
    expect(await edit('a.txt', 'three', '3')).toMatchObject({ status: 'ok' });
  });

  test.each([
    [
      'a byte order mark and CRLF',
      Buffer.from('\uFEFFa\r\nb\r\n'),
      'b',
      'x\ny',
      Buffer.from('\uFEFFa\r\nx\r\ny\r\n'),
    ],
    [
      'UTF-16',
      Buffer.from('\uFEFFa\r\nä\r\n', 'utf16le'),
      'a\nä',
      'a\nö',
      Buffer.from('\uFEFFa\r\nö\r\n', 'utf16le'),
    ],
  ])('keeps %s', async (_name, before, oldText, newText, after) => {
    put('a.txt', before);
    chmodSync(at('a.txt'), 0o640);
    await read('a.txt');
    expect(await edit('a.txt', oldText, newText)).toMatchObject({ status: 'ok' });
    expect(readFileSync(at('a.txt'))).toEqual(after);
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o640);
  });

  test.each([
    ['same texts', 'x', 'x', /the same/],
    ['several matches', 'a', 'b', /occurs 3 times .*\(lines 1, 2, 3\).*replace_all/],
    [
      'no match',
      'const valu = 1;',
      'x',
      /was not found.*most similar lines are:\n {5}1\ta\n {5}2\tconst value = 1;/,
    ],
    ['copied line numbers', '     2\tconst value = 1;', 'x', /Leave out the line numbers/],
    ['an empty old text', '', 'x', /exists and is not empty/],
  ])('explains %s', async (_name, oldText, newText, expected) => {
    put('a.txt', 'a\nconst value = 1;\na\n');
    await read('a.txt');
    const outcome = await edit('a.txt', oldText, newText);
    expect(outcome).toMatchObject({ status: 'error' });
    expect(outcome.text).toMatch(expected);
    expect(text('a.txt')).toBe('a\nconst value = 1;\na\n');
  });

  test('replaces all, creates from nothing, and says when it was tolerant', async () => {
    expect(await edit('new.txt', '', 'a\n  a\n')).toMatchObject({
      status: 'ok',
      text: `Created ${at('new.txt')}.`,
    });
    expect((await edit('new.txt', 'a', 'b', true)).text).toContain('(2 replacements)');
    expect(text('new.txt')).toBe('b\n  b\n');
    expect((await edit('new.txt', '    b\n', '    c\n')).text).toContain('occurs 2 times');
    await edit('new.txt', 'b\n  b', 'if x:\n  y');
    expect((await edit('new.txt', '    if x:\n      y', '    if x:\n      z')).text).toContain(
      'only with indentation ignored',
    );
    expect(text('new.txt')).toBe('if x:\n  z\n');
  });

  describe('with several edits in one call', () => {
    const edits = (...pairs: readonly (readonly [string, string, boolean?])[]) =>
      bench.call('Edit', {
        file_path: 'a.txt',
        edits: pairs.map(([old_string, new_string, replace_all]) => ({
          old_string,
          new_string,
          ...(replace_all === undefined ? {} : { replace_all }),
        })),
      });

    test('applies each to the result of those before it, in one diff', async () => {
      put('a.txt', 'one\ntwo\none\n');
      await read('a.txt');
      const outcome = await edits(['one', 'two', true], ['two\ntwo\ntwo', 'three'], ['three', '3']);
      expect(outcome).toMatchObject({ status: 'ok', display: { summary: '+1 −3' } });
      expect(outcome.text).toContain(`Edited ${at('a.txt')} (3 edits, 4 replacements).`);
      expect(text('a.txt')).toBe('3\n');
    });

    test.each([
      [
        'the second text is not found',
        [
          ['one', '1'],
          ['nine', '9'],
        ],
        /^Edit 2 of 2 failed, so nothing was changed\. .*not found/,
      ],
      [
        'the first text is not unique',
        [
          ['o', '0'],
          ['two', '2'],
        ],
        /^Edit 1 of 2 failed.*occurs 2 times/,
      ],
      [
        'one edit changes nothing',
        [
          ['one', '1'],
          ['two', 'two'],
        ],
        /^Edit 2 of 2 failed.*are the same/,
      ],
      [
        'edits that undo each other',
        [
          ['one', '1'],
          ['1', 'one'],
        ],
        /undo each other/,
      ],
    ] as const)('applies all or none: %s', async (_name, pairs, expected) => {
      put('a.txt', 'one\ntwo\n');
      await read('a.txt');
      const outcome = await edits(...pairs);
      expect(outcome.status).toBe('error');
      expect(outcome.text).toMatch(expected);
      expect(text('a.txt')).toBe('one\ntwo\n');
    });

    test('may create the file with the first', async () => {
      expect(await edits(['', 'a b\n'], ['a', 'A'])).toMatchObject({
        status: 'ok',
        text: `Created ${at('a.txt')}.`,
      });
      expect(text('a.txt')).toBe('A b\n');
    });

    test.each([
      ['both forms', { old_string: 'a', new_string: 'b', edits: [{ old_string: 'a', new_string: 'b' }] }],
      ['neither', {}],
      ['a single text', { old_string: 'a' }],
      ['an empty list', { edits: [] }],
    ])('rejects %s', async (_name, input) => {
      put('a.txt', 'a\n');
      await read('a.txt');
      const outcome = await bench.call('Edit', { file_path: 'a.txt', ...input });
      expect(outcome).toMatchObject({ status: 'error', text: expect.stringMatching(/invalid input/) });
      expect(text('a.txt')).toBe('a\n');
    });
  });

  test('rejects a file that was not read, has changed since, is missing, or would be damaged', async () => {
    put('a.txt', 'a\n');
    expect((await edit('a.txt', 'a', 'b')).text).toMatch(/Read it first/);
    await read('a.txt');
    put('a.txt', 'a!\n');
    expect((await edit('a.txt', 'a', 'b')).text).toMatch(/changed on disk/);
    expect((await edit('b.txt', 'a', 'b')).text).toMatch(/does not exist\. Did you mean .*a\.txt/);
    put('latin1', Buffer.from('caf\xe9 a', 'latin1'));
    await read('latin1');
    expect((await edit('latin1', 'a', 'b')).text).toMatch(/not valid utf-8/);
  });

  test('advice about a missing or unread file is for the model only', async () => {
    const { text: whole, display } = await edit('missing.txt', 'a', 'b');
    expect(whole).toBe(`${at('missing.txt')} does not exist. Use Glob to find it.`);
    expect(display.modelNotes).toBe(' Use Glob to find it.');
    put('unread.txt', 'a');
    for (const refused of [await edit('unread.txt', 'a', 'b'), await write('unread.txt', 'b')])
      expect(refused.display.modelNotes).toBe(' Read it first, then try again.');
  });

  test('previews the real diff; if the edit is bound to fail, the model gets the error instead', async () => {
    put('a.txt', 'one\n');
    await read('a.txt');
    const preview = async (old_string: string) => {
      const prepared = await bench.prepare('Edit', { file_path: 'a.txt', old_string, new_string: 'x' });
      return prepared.type === 'ready' ? prepared.preview() : prepared;
    };
    expect(await preview('one')).toEqual({
      type: 'diff',
      path: at('a.txt'),
      isNew: false,
      diff: expect.stringContaining('-one\n+x\n'),
    });
    expect(await preview('two')).toMatchObject({
      type: 'settled',
      outcome: { status: 'error', text: expect.stringMatching(/^old_string was not found/) },
    });
    expect(text('a.txt')).toBe('one\n');
  });
});

/** A call that waits for approval. */
async function waiting(tool: string, input: Record<string, unknown>) {
  const prepared = await bench.prepare(tool, input);
  if (prepared.type !== 'ready') throw new Error('not ready');
  return { ...prepared, run: () => prepared.run({ basis: 'user' }) };
}

describe('errors that are known before approval', () => {
  const settled = async (tool: string, input: Record<string, unknown>) => {
    const preview = await (await waiting(tool, input)).preview();
    return preview.type === 'settled' ? preview.outcome : undefined;
  };

  test.each([
    ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'x' }, /has not been read/],
    ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'one' }, /are the same/],
    ['Edit', { file_path: 'b.txt', old_string: 'one', new_string: 'x' }, /does not exist\. Did you mean/],
    ['Edit', { file_path: '.', old_string: 'one', new_string: 'x' }, /is a directory/],
    ['Write', { file_path: 'a.txt', content: 'x' }, /has not been read/],
    ['Write', { file_path: 'a.txt/b', content: 'x' }, /ENOTDIR/],
    ['Write', { file_path: 'round', content: 'x' }, /circle/],
    ['Read', { file_path: '.env' }, /does not exist/],
    ['Read', { file_path: '.' }, /is a directory/],
  ])('%s %j', async (tool, input, expected) => {
    put('a.txt', 'one\n');
    symlinkSync('round', at('round'));
    expect((await settled(tool, input))?.text).toMatch(expected);
  });

  test('the file has changed, is binary, or already has that content', async () => {
    put('a.txt', 'one\n');
    await read('a.txt');
    expect(await settled('Write', { file_path: 'a.txt', content: 'one\n' })).toMatchObject({ status: 'ok' });
    expect(await settled('Write', { file_path: 'a.txt', content: 'two\n' })).toBeUndefined();
    put('a.txt', 'other\n');
    expect((await settled('Write', { file_path: 'a.txt', content: 'x' }))?.text).toMatch(/changed on disk/);
  });

  test('similar names of a missing file are listed only inside the project', async () => {
    mkdirSync(at('project'));
    put('a.txt', '');
    await bench.close();
    bench = await openWorkbench({}, { root: at('project') });
    const outcome = await settled('Edit', { file_path: at('b.txt'), old_string: 'x', new_string: 'y' });
    expect(outcome?.text).toBe(`${at('b.txt')} does not exist.`);
    expect(await settled('Read', { file_path: at('b.txt') })).toBeUndefined();
  });
});

describe('while approval is pending', () => {
  /** Replaces a folder by a link to `theirs`. */
  const swap = (folder: string): void => {
    renameSync(at(folder), at('away'));
    symlinkSync(at('theirs'), at(folder));
  };
  beforeEach(() => {
    mkdirSync(at('ours'));
    mkdirSync(at('theirs'));
    put('theirs/a.txt', 'SECRET=1\n');
    put('ours/a.txt', 'one\n');
  });

  test.each([
    ['Write', { file_path: 'ours/new.txt', content: 'x' }],
    ['Write', { file_path: 'ours/deep/new.txt', content: 'x' }],
    ['Write', { file_path: 'ours/a.txt', content: 'x' }],
    ['Edit', { file_path: 'ours/a.txt', old_string: 'one', new_string: 'x' }],
    ['Read', { file_path: 'ours/a.txt' }],
    ['Grep', { pattern: '.', path: 'ours', output_mode: 'content' }],
    ['Grep', { pattern: '.', path: 'ours/a.txt', output_mode: 'content' }],
    ['Glob', { pattern: '*', path: 'ours' }],
  ])('a folder becomes a link: %s %j', async (tool, input) => {
    await read('ours/a.txt');
    const call = await waiting(tool, input);
    await call.preview();
    swap('ours');
    const outcome = await call.run();
    expect(outcome).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/no longer points to the file/),
    });
    expect(outcome.text).not.toContain('SECRET');
    expect([readdirSync(at('theirs')), text('theirs/a.txt')]).toEqual([['a.txt'], 'SECRET=1\n']);
  });

  test.each([
    ['Write', { file_path: 'ours/a.txt', content: 'x' }],
    ['Edit', { file_path: 'ours/a.txt', old_string: 'one', new_string: 'x' }],
    ['Read', { file_path: 'ours/a.txt' }],
    ['Write', { file_path: 'ours/new.txt', content: 'x' }],
  ])('the file becomes a link: %s %j', async (tool, input) => {
    await read('ours/a.txt');
    const call = await waiting(tool, input);
    await call.preview();
    rmSync(at(input.file_path), { force: true });
    symlinkSync(at('theirs/a.txt'), at(input.file_path));
    expect(await call.run()).toMatchObject({ status: 'error', text: expect.not.stringMatching(/SECRET/) });
    expect([readdirSync(at('theirs')), text('theirs/a.txt')]).toEqual([['a.txt'], 'SECRET=1\n']);
  });

  test('a command’s folder becomes a link: the command does not run', async () => {
    await bench.call('Bash', { command: 'cd ours' });
    const call = await waiting('Bash', { command: 'echo x > new.txt' });
    swap('ours');
    expect(await call.run()).toMatchObject({
      status: 'error',
      text: expect.stringMatching(/no longer points to the file/),
    });
    expect(readdirSync(at('theirs'))).toEqual(['a.txt']);
  });

  test('a link changes its target: the approved file is written', async () => {
    symlinkSync('ours', at('link'));
    const call = await waiting('Write', { file_path: 'link/new.txt', content: 'x' });
    expect(call.access).toMatchObject({ paths: [at('link/new.txt')], realPaths: [at('ours/new.txt')] });
    rmSync(at('link'));
    symlinkSync('theirs', at('link'));
    expect(await call.run()).toMatchObject({ status: 'ok' });
    expect([readdirSync(at('theirs')), text('ours/new.txt')]).toEqual([['a.txt'], 'x']);
  });

  test('the file changes or appears: it is not overwritten', async () => {
    await read('ours/a.txt');
    const edit = await waiting('Edit', { file_path: 'ours/a.txt', old_string: 'one', new_string: 'x' });
    const write = await waiting('Write', { file_path: 'ours/new.txt', content: 'x' });
    expect([(await edit.preview()).type, (await write.preview()).type]).toEqual(['diff', 'diff']);
    put('ours/a.txt', 'one of mine\n');
    put('ours/new.txt', 'mine\n');
    expect((await edit.run()).text).toMatch(/changed on disk/);
    expect((await write.run()).text).toMatch(/has not been read/);
    expect([text('ours/a.txt'), text('ours/new.txt')]).toEqual(['one of mine\n', 'mine\n']);
  });
});

test('a change just before the write is not lost', async () => {
  put('a.txt', 'mine\n');
  const write = (stamp: string | undefined) => writeFileAtomic(at('a.txt'), Buffer.from('x'), stamp);
  await expect(write('another stamp')).rejects.toMatchObject({ name: 'FileChangedError' });
  await expect(write(undefined)).rejects.toMatchObject({ name: 'FileChangedError' });
  expect([text('a.txt'), readdirSync(bench.root)]).toEqual(['mine\n', ['a.txt']]);
});

test('the dialog names the target of a link, even one that does not exist yet', async () => {
  symlinkSync('../elsewhere.txt', at('link.md'));
  const write = await waiting('Write', { file_path: 'link.md', content: 'x\n' });
  expect(await write.preview()).toMatchObject({
    type: 'diff',
    path: at('link.md'),
    realPath: join(bench.root, '../elsewhere.txt'),
    isNew: true,
  });
  const read = await waiting('Read', { file_path: 'link.md' });
  expect(await read.preview()).toEqual({
    type: 'paths',
    verb: 'Read',
    paths: [at('link.md')],
    realPaths: [join(bench.root, '../elsewhere.txt')],
  });
});

const isRoot = process.geteuid?.() === 0;

/** Runs without root's rights; the files of the test belong to that user unless `owns` is false. */
async function asOrdinaryUser(owns: boolean, act: () => Promise<void>): Promise<void> {
  if (!isRoot) return act();
  if (owns) execFileSync('chown', ['-R', '65534', bench.root]);
  chmodSync(bench.root, 0o755);
  process.seteuid?.(65534);
  try {
    await act();
  } finally {
    process.seteuid?.(0);
  }
}

test('a file in a read-only folder of the user is replaced as a whole, and the folder stays read-only', async () => {
  mkdirSync(at('d'));
  put('d/a.txt', 'one\n');
  chmodSync(at('d'), 0o555);
  const { ino } = statSync(at('d/a.txt'));
  await asOrdinaryUser(true, async () => {
    await read('d/a.txt');
    expect(await edit('d/a.txt', 'one', 'two')).toMatchObject({ status: 'ok' });
  });
  expect([text('d/a.txt'), readdirSync(at('d'))]).toEqual(['two\n', ['a.txt']]);
  expect(statSync(at('d')).mode & 0o777).toBe(0o555);
  expect(statSync(at('d/a.txt')).ino).not.toBe(ino);
  chmodSync(at('d'), 0o755);
});

test.skipIf(!isRoot)(
  'a file in a folder of another user is not changed, and the result says why',
  async () => {
    mkdirSync(at('d'));
    put('d/a.txt', 'one\n');
    chmodSync(at('d/a.txt'), 0o666);
    await asOrdinaryUser(false, async () => {
      await read('d/a.txt');
      const { status, text: told } = await edit('d/a.txt', 'one', 'two');
      expect([status, told]).toEqual([
        'error',
        `${at('d/a.txt')} was not modified: its folder is read-only for this user, so the file cannot be replaced (EACCES).`,
      ]);
    });
    expect([text('d/a.txt'), readdirSync(at('d'))]).toEqual(['one\n', ['a.txt']]);
  },
);
