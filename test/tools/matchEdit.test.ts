import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchEdit, nearestRegion } from '../../src/tools/files/matchEdit.ts';

const edited = (text: string, oldText: string, newText: string, all = false) => {
  const result = matchEdit(text, oldText, newText, all);
  return result.type === 'changed' ? { text: result.text, stage: result.stage } : result;
};

describe('one edit', () => {
  test.each([
    ['replaces the only match', 'a b c', 'b', 'X', 'a X c', 'exact'],
    ['takes $& and $1 literally', 'f(x)', 'x', '$&$1$$', 'f($&$1$$)', 'exact'],
    ['deletes', 'a\nb\nc\n', 'b\n', '', 'a\nc\n', 'exact'],
    ['gives new lines the file’s line endings', 'a\r\nb\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\n', 'exact'],
    [
      'finds several lines in a file with CRLF',
      'a\r\nb\r\nc\r\n',
      'a\nb',
      'a\nx',
      'a\r\nx\r\nc\r\n',
      'line ends',
    ],
    [
      'finds CRLF from the model in a file with LF',
      'a\nb\nc\n',
      'a\r\nb',
      'a\r\nx',
      'a\nx\nc\n',
      'line ends',
    ],
    ['includes a complete line ending', 'a\r\nb', '\nb', '', 'a', 'line ends'],
    ['changes line endings that the old text shows', 'a\r\nb\r\n', 'a\r\n', 'a\n', 'a\nb\r\n', 'exact'],
    [
      'keeps other line endings of a mixed file',
      'a\nb\r\nc\r\nd\n',
      'b\nc',
      'X\nY',
      'a\nX\r\nY\r\nd\n',
      'line ends',
    ],
    [
      'ignores trailing space in the file',
      'a  \nb\t\nc\n',
      'a\nb\n',
      'x\ny\n',
      'x\ny\nc\n',
      'trailing space',
    ],
    ['ignores trailing space in the old text', 'a\nb\nc\n', 'a  \nb', 'x\nb', 'x\nb\nc\n', 'trailing space'],
    [
      'starts in the middle of a line',
      'if (a) {  \n  b\n}',
      '{\n  b',
      '{\n  c',
      'if (a) {\n  c\n}',
      'trailing space',
    ],
    [
      'is not misled by a partly correct indentation',
      'f() {\n    a;\n    b;\n}\n',
      'a;\n b;',
      'a;\n c;',
      'f() {\n    a;\n    c;\n}\n',
      'indentation',
    ],
    ['does not guess if one indentation can mean two', '  a\n    b\n', 'a\nb', 'c', undefined, undefined],
    [
      'adds the indentation that the old text left out',
      '{\n    if (a) {\n      b;\n    }\n}\n',
      'if (a) {\n  b;\n}\n',
      'if (a) {\n  b;\n  c;\n}\n',
      '{\n    if (a) {\n      b;\n      c;\n    }\n}\n',
      'indentation',
    ],
    [
      'removes the indentation that the old text has too much',
      'a:\n  b\n',
      '    a:\n      b',
      '    a:\n      c\n        d',
      'a:\n  c\n    d\n',
      'indentation',
    ],
    [
      'turns spaces into the file’s tabs',
      'f {\n\tif x {\n\t\ty\n\t}\n}\n',
      '  if x {\n    y\n  }',
      '  if x {\n    if z {\n      y\n    }\n  }',
      'f {\n\tif x {\n\t\tif z {\n\t\t\ty\n\t\t}\n\t}\n}\n',
      'indentation',
    ],
    [
      'turns tabs into the file’s spaces',
      'f {\n    a\n}\n',
      'f {\n\ta\n}',
      'f {\n\ta\n\t\tb\n}',
      'f {\n    a\n        b\n}\n',
      'indentation',
    ],
    [
      'keeps typographic quotes around the change',
      'say “hello” – now',
      'say "hello" - now',
      'say "hello" - later',
      'say “hello” – later',
      'quotes and dashes',
    ],
    ['ignores no-break spaces', 'a\u00A0b c', 'a b', 'a b!', 'a\u00A0b! c', 'quotes and dashes'],
  ])('%s', (_name, text, oldText, newText, expected, stage) => {
    const result = edited(text, oldText, newText);
    if (expected === undefined) expect(result).toEqual({ type: 'none' });
    else expect(result).toEqual({ text: expected, stage });
  });

  test('names the lines on which an ambiguous text occurs', () => {
    expect(matchEdit('x\na\nx\nb x', 'x', 'y', false)).toEqual({
      type: 'ambiguous',
      lines: [1, 3, 4],
      stage: 'exact',
    });
  });

  test('is also ambiguous in a tolerant stage', () => {
    const result = matchEdit(
      '  if (a) {\n    b\n  }\n\n      if (a) {\n        b\n      }\n',
      'if (a) {\n  b\n}',
      'x',
      false,
    );
    expect(result).toMatchObject({ type: 'ambiguous', lines: [1, 5], stage: 'indentation' });
  });

  test('finds nothing in an empty text', () => {
    expect(matchEdit('abc', 'xyz', 'q', false)).toEqual({ type: 'none' });
    expect(matchEdit('a\n\n\nb', '  \n ', 'q', false)).toEqual({ type: 'none' });
  });
});

const line = fc.constantFrom('a', ' a', '  a', '\ta', 'b', 'b ', '', ' ', '"q"', '“q”', '$&', '.*', '😀');
const lines = fc.array(line, { maxLength: 12 }).map((all) => all.join('\n'));

describe('any edit', () => {
  test('that matches exactly equals split and join', { tags: 'long' }, () => {
    fc.assert(
      fc.property(
        lines,
        lines.filter((text) => text !== ''),
        lines,
        (text, oldText, newText) => {
          fc.pre(text.includes(oldText));
          const pieces = text.split(oldText);
          const all = matchEdit(text, oldText, newText, true);
          expect(all).toEqual({
            type: 'changed',
            text: pieces.join(newText),
            replacements: pieces.length - 1,
            stage: 'exact',
          });
          expect(matchEdit(text, oldText, newText, false).type).toBe(
            pieces.length === 2 ? 'changed' : 'ambiguous',
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('in a file with CRLF has the same result as in the file with LF', () => {
    fc.assert(
      fc.property(
        lines,
        lines.filter((text) => text !== ''),
        lines,
        (text, oldText, newText) => {
          fc.pre(text.includes('\n'));
          const unix = matchEdit(text, oldText, newText, true);
          const dos = matchEdit(text.replaceAll('\n', '\r\n'), oldText, newText, true);
          expect(dos.type).toBe(unix.type);
          if (dos.type === 'changed' && unix.type === 'changed') {
            expect(dos.text).toBe(unix.text.replaceAll('\n', '\r\n'));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('of a block with an unindented copy of itself leaves the block unchanged', () => {
    const body = fc.array(fc.constantFrom('x = 1', 'if y:', '  z()', '    w()', ''), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(body, fc.constantFrom('  ', '    ', '\t'), (block, prefix) => {
        fc.pre(block.some((text) => text !== ''));
        const indented = block.map((text) => (text === '' ? '' : prefix + text));
        const text = ['top', ...indented, 'end', ''].join('\n');
        const result = matchEdit(text, block.join('\n'), block.join('\n'), true);
        expect(result).toMatchObject({ type: 'changed', text });
      }),
    );
  });
});

describe('the nearest region', () => {
  const text = Array.from({ length: 100 }, (_, index) => `const value${index} = compute(${index});`).join(
    '\n',
  );

  test('is where most of the wanted lines are', () => {
    const region = nearestRegion(
      text,
      'const value40 = compute(40);\nconst valu41 = other(41);\nconst value42 = compute(42);',
    );
    expect(region?.split('\n')[0]).toBe('    39\tconst value38 = compute(38);');
    expect(region).toContain('    42\tconst value41');
  });

  test('is the most similar line if none is equal', () => {
    expect(
      nearestRegion('alpha\nfunction readFileSync(path) {\nomega', 'function readFile(path) {'),
    ).toContain('     2\tfunction readFileSync(path) {');
  });

  test('stays small, and is empty if nothing is similar', { tags: 'long' }, () => {
    const huge = Array.from({ length: 500 }, (_, index) => `line ${index} ${'x'.repeat(5000)}`).join('\n');
    expect(nearestRegion(huge, huge.replaceAll('x', 'y').slice(0, 400_000))?.length ?? 0).toBeLessThan(
      10_000,
    );
    expect(nearestRegion('abc\ndef', '12345')).toBeUndefined();
  });
});
