import { describe, expect, test } from 'vitest';
import { createCompleter, findTrigger, type Trigger } from '../../../src/ui/input/completion.ts';
import { type Unit, unitsOf } from '../../../src/ui/input/units.ts';
import { cpuClock } from '../../cpuTime.ts';

const fold = { label: '[Pasted text #1 +9 lines]', text: 'x' };

describe('what can be completed', () => {
  /** `|` is the cursor, `§` a folded paste. */
  const triggerOf = (marked: string): string => {
    const units: Unit[] = unitsOf(marked.replace('|', '')).map((unit) => (unit === '§' ? fold : unit));
    const trigger = findTrigger(units, unitsOf(marked.slice(0, marked.indexOf('|'))).length);
    return trigger === undefined ? '' : `${trigger.kind} ${trigger.query} ${trigger.from}-${trigger.to}`;
  };

  test.each([
    ['/|', 'command  0-1'],
    ['/he|', 'command he 0-3'],
    ['/he|lp now', 'command he 0-5'],
    ['|/help', ''],
    ['/help |', ''],
    ['/usr/bin|', ''],
    ['say /he|', ''],
    ['one\n/he|', ''],
    ['@|', 'file  0-1'],
    ['read @src/a|', 'file src/a 5-11'],
    ['read @sr|c/a.ts please', 'file sr 5-14'],
    ['read @"my fi|', 'file my fi 5-12'],
    ['read @"my fi|le.ts" and', 'file my fi 5-18'],
    ['read @"my file.ts"|', ''],
    ['read @src/a |', ''],
    ['me@example|', ''],
    ['看@src|', 'file src 1-5'],
    ['(@src|', 'file src 1-5'],
    ['@a\nb|', ''],
    ['@§|', ''],
    ['/§|', ''],
    ['/help @s|', 'file s 6-8'],
    ['@src/a.ts#L1|', ''],
  ])('at %j is %j', (marked, expected) => {
    expect(triggerOf(marked)).toBe(expected);
  });
});

test('files with control or invisible characters in their names are not suggested', async () => {
  const good = ['a.ts', 'ä.ts', '日本語.txt', '9.41\u202fAM.png', '👩‍👩‍👧.md'];
  const hidden = ['\u001b]8;;http://x\u0007', '\u001b[31mx', 'x\ny', 'x\u202ey', 'x\u{e0041}', 'x\u200b/y'];
  const completer = createCompleter({ commands: () => [], files: async () => [...good, ...hidden] });
  await completer.load('file');
  const found = completer.suggest({ kind: 'file', query: '', from: 0, to: 0 }) ?? [];
  expect(found.map(({ label }) => label).toSorted()).toEqual(good.toSorted());
});

describe('suggestions', () => {
  const completer = createCompleter({
    commands: () =>
      ['help', 'compact', 'context', 'cost', 'clear'].map((name) => ({ name, description: `the ${name}` })),
    files: async () => [
      'README.md',
      'src/ui/input/Composer.tsx',
      'src/ui/theme.ts',
      'src/my notes/a b.md',
      'docs/x.md',
    ],
  });
  const suggest = async (kind: Trigger['kind'], query: string): Promise<string[]> => {
    await completer.load(kind);
    return (completer.suggest({ kind, query, from: 0, to: 0 }) ?? []).map(({ insert }) => insert);
  };

  test('are undefined until loaded', () => {
    const fresh = createCompleter({ commands: () => [], files: async () => [] });
    expect(fresh.suggest({ kind: 'command', query: '', from: 0, to: 1 })).toBeUndefined();
  });

  test('include all commands in their order, or the best match first', async () => {
    expect(await suggest('command', '')).toEqual(['/help ', '/compact ', '/context ', '/cost ', '/clear ']);
    expect((await suggest('command', 'com'))[0]).toBe('/compact ');
    expect(await suggest('command', 'ctx')).toEqual(['/context ']);
    expect(await suggest('command', 'nothing')).toEqual([]);
  });

  test('go folder by folder, folders first and left open', async () => {
    expect(await suggest('file', '')).toEqual(['@docs/', '@src/', '@README.md ']);
    expect(await suggest('file', 'src/')).toEqual(['@"src/my notes/', '@src/ui/']);
    expect(await suggest('file', 'src/ui/')).toEqual(['@src/ui/input/', '@src/ui/theme.ts ']);
    expect(await suggest('file', './docs/')).toEqual(['@docs/x.md ']);
  });

  test('match files by any letters of their path, quoted if they contain a space', async () => {
    expect((await suggest('file', 'compo'))[0]).toBe('@src/ui/input/Composer.tsx ');
    expect((await suggest('file', 'uitheme'))[0]).toBe('@src/ui/theme.ts ');
    expect((await suggest('file', 'a b'))[0]).toBe('@"src/my notes/a b.md" ');
  });

  test('say whether the typed text is already complete', async () => {
    await completer.load('file');
    const isComplete = (kind: Trigger['kind'], query: string): boolean | undefined =>
      completer.suggest({ kind, query, from: 0, to: 0 })?.[0]?.isComplete;
    expect(isComplete('command', 'help')).toBe(true);
    expect(isComplete('command', 'hel')).toBe(false);
    expect(isComplete('file', 'README.md')).toBe(true);
  });

  test('are empty if files cannot be listed', async () => {
    const failing = createCompleter({ commands: () => [], files: () => Promise.reject(new Error('no')) });
    await failing.load('file');
    expect(failing.suggest({ kind: 'file', query: 'a', from: 0, to: 1 })).toEqual([]);
  });

  test('a hundred thousand files are ranked while typing', { tags: 'long' }, async () => {
    const large = createCompleter({
      commands: () => [],
      files: async () => Array.from({ length: 100_000 }, (_, at) => `src/module${at % 97}/file${at}.ts`),
    });
    await large.load('file');
    const spentMs = cpuClock();
    for (const query of ['f', 'fi', 'file9', 'mod9file99']) {
      expect(large.suggest({ kind: 'file', query, from: 0, to: 1 })?.length).toBeGreaterThan(0);
    }
    expect(spentMs()).toBeLessThan(4000);
  });
});

test('a fully typed alias selects its command, not another that contains its letters', async () => {
  const commands = [
    { name: 'permissions', aliases: [], description: 'rules' },
    { name: 'tasks', aliases: ['bashes', 'ps'], description: 'what runs' },
  ];
  const completer = createCompleter({ commands: () => commands, files: async () => [] });
  await completer.load('command');
  const trigger: Trigger = { kind: 'command', query: 'ps', from: 0, to: 3 };
  expect(completer.suggest(trigger)).toEqual([
    { label: '/ps', description: 'what runs', insert: '/ps ', isComplete: true },
    { label: '/permissions', description: 'rules', insert: '/permissions ', isComplete: false },
  ]);
});
