import { describe, expect, test } from 'vitest';
import { gitIncludes } from '../../../src/protocol/files/gitIncludes.ts';

const included = (texts: Record<string, string>): readonly string[] =>
  gitIncludes(['/p/.git/config'], '/home/u', (path) => texts[path]);

describe('files included by git settings', () => {
  test.each([
    ['[include]\n\tpath = ../a', '/p/a'],
    ['[include] path=/abs/a', '/abs/a'],
    ['[Include]\nPATH = ~/a # mine', '/home/u/a'],
    ['\uFEFF[includeIf "gitdir:[x\\"]/"]\n  path = "with blank; #"', '/p/.git/with blank; #'],
    ['[core]\npath = no\n[include]\r\n\tpath = a\\\\b\r\n', '/p/.git/a\\b'],
    ['[include]\npath = a\\\nb', '/p/.git/ab'],
    ['[include]\npath = a\\"b', '/p/.git/a"b'],
  ])('%j', (text, path) => expect(included({ '/p/.git/config': text })).toEqual([path]));

  test('nothing is included from other sections or comments', () => {
    expect(
      included({ '/p/.git/config': '[core]\npath = a\n[include]\n# path = b\n[x "include"]\npath = c' }),
    ).toEqual([]);
  });

  test('nested includes, each file once', () => {
    const texts = {
      '/p/.git/config': '[include]\npath = ../conf/a\n[include]\npath = ../conf/gone',
      '/p/conf/a': '[include]\npath = b\npath = a',
    };
    expect(included(texts)).toEqual(['/p/conf/a', '/p/conf/gone', '/p/conf/b']);
  });

  test('an endless chain is followed up to a limit', () => {
    expect(
      gitIncludes(['/0'], '/h', (path) => `[include]\npath = /${Number(path.slice(1)) + 1}`),
    ).toHaveLength(50);
  });
});
