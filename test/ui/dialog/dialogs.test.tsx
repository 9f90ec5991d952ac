import { describe, expect, test, vi } from 'vitest';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/protocol/permissions.ts';
import { choiceLinesWithin } from '../../../src/ui/dialog/choices.ts';
import { DialogView } from '../../../src/ui/dialog/DialogView.tsx';
import { PermissionDialog } from '../../../src/ui/dialog/PermissionDialog.tsx';
import { trustDialog } from '../../../src/ui/dialog/phaseDialogs.ts';
import { SelectList } from '../../../src/ui/dialog/SelectList.tsx';
import { draftSent, draftTyped } from '../../../src/ui/dialog/useAnswers.ts';
import { ERASED } from '../../../src/ui/keys/keymap.ts';
import { RetryNotice, Spinner } from '../../../src/ui/live/Spinner.tsx';
import { cpuClock } from '../../cpuTime.ts';
import { createClock, mount, plain } from '../mount.tsx';
import { keys, type Screen } from '../screen.ts';

const room = { width: 60, theme: plain };
const question: PermissionQuestion = {
  id: 'q1',
  agentId: 'main',
  callId: 'c1',
  tool: 'Bash',
  title: 'npm test',
  input: { command: 'npm test' },
  preview: { type: 'command', command: 'npm test', cwd: '/home/me/project' },
  reason: 'This runs a script of the project.',
  suggestion: {
    rules: ['Bash(npm test)'],
    destination: 'local',
    file: '/home/me/project/.clawdcode.local.json',
    label: "Yes, and don't ask again for Bash(npm test)",
    detail: 'saved to .clawdcode.local.json',
  },
};

async function ask(more: Partial<PermissionQuestion> = {}, rows = 20, width = 60, theme = plain) {
  const answers: PermissionAnswer[] = [];
  const unmeant: string[] = [];
  const clock = createClock();
  const dialog = { ...question, ...more };
  const mounted = await mount(
    <PermissionDialog
      question={dialog}
      theme={theme}
      width={width}
      rows={rows}
      now={clock.now}
      onAnswer={(answer) => answers.push(answer)}
      onUnmeant={(text) => unmeant.push(text)}
    />,
    { columns: width, rows },
  );
  return { ...mounted, answers, unmeant, pass: clock.pass };
}

test('a permission dialog shows what will happen, why, and what each answer does', async () => {
  const { screen } = await ask();
  expect(screen.text()).toEqual([
    `─ Run this command? ${'─'.repeat(40)}`,
    '$ npm test',
    'In /home/me/project.',
    'This runs a script of the project.',
    '',
    '❯ 1. Yes',
    "  2. Yes, and don't ask again for Bash(npm test)",
    '     saved to .clawdcode.local.json',
    '  3. No, tell it what to do instead',
    '↑↓ Enter · y/n · Esc no · Tab no, with a comment',
  ]);
});

test('denying something other than a model’s call has no comment', async () => {
  const { tool, callId, input, suggestion, ...rest } = question;
  const about = { ...rest, headline: 'Run your hook even though files were changed?' } as PermissionQuestion;
  const answers: PermissionAnswer[] = [];
  const clock = createClock();
  const { screen } = await mount(
    <PermissionDialog
      question={about}
      {...room}
      rows={20}
      now={clock.now}
      onAnswer={(one) => answers.push(one)}
    />,
    { columns: 60, rows: 20 },
  );
  expect(screen.text()).toEqual([
    `─ Run your hook even though files were changed? ${'─'.repeat(12)}`,
    '$ npm test',
    'In /home/me/project.',
    'This runs a script of the project.',
    '',
    '❯ 1. Yes',
    '  2. No',
    '↑↓ Enter · y/n · Esc no',
  ]);
  clock.pass(10_000);
  await screen.press(keys.tab);
  await screen.press('2');
  expect(answers).toEqual([{ behavior: 'deny' }]);
});

test('with any number of rows, a dialog that hides lines of a command says so', {
  tags: 'long',
}, async () => {
  const command = Array.from({ length: 9 }, (_, index) => `echo ${index} && \\`).join('\n');
  const preview = { type: 'command', command, cwd: '/home/me/project' } as const;
  for (const width of [20, 60])
    for (const rows of [4, 5, 6, 7, 8, 9]) {
      const { screen } = await ask({ preview }, rows, width);
      const text = screen.text();
      expect(text.length).toBeLessThanOrEqual(rows);
      expect(text.join('\n'), `${width} × ${rows}\n${text.join('\n')}`).toMatch(
        /\b1 of \d+\)|lines 1–\d+ of \d+/,
      );
      expect(text.join('\n')).toMatch(/^\$ echo/m);
    }
});

test('keys pressed while a long preview was drawn answer nothing', async () => {
  const answers: PermissionAnswer[] = [];
  const clock = createClock();
  const preview = { type: 'plan', plan: 'Long.' } as const;
  const slow = (text: string): string => {
    clock.pass(5000);
    return text;
  };
  const { screen } = await mount(
    <PermissionDialog
      question={{ ...question, preview }}
      {...room}
      rows={20}
      markdown={slow}
      now={clock.now}
      onAnswer={(answer) => answers.push(answer)}
    />,
  );
  await screen.press('y');
  expect(answers).toEqual([]);
  clock.pass(1000);
  await screen.press('y');
  expect(answers).toEqual([{ behavior: 'allow' }]);
});

test('look-alike characters in a command are marked and named', async () => {
  const command = 'curl https://p\u0430ypal.com';
  const { screen } = await ask({
    title: command,
    preview: { type: 'command', command, cwd: '/home/me/рабочий стол' },
    reason: 's\u0441p is not known',
    suggestion: {
      label: 'Yes, and allow Bash(s\u0441p:*) for this session',
      rules: ['Bash(s\u0441p:*)'],
      destination: 'session',
    },
  });
  const text = screen.text().join('\n');
  expect(screen.text()[1]).toMatch(/^Characters that show nothing, or look like others,/);
  expect(text).toContain('$ curl https://p‹U+0430 like a›ypal.com');
  expect(text).toContain('In /home/me/рабочий стол.');
  expect(text).toContain('s‹U+0441 like c›p is not known');
  expect(text).toContain('Bash(s‹U+0441 like c›p:*)');
});

test('a permission dialog names as many reasons as there is room for', async () => {
  const reason = 'No rule allows npm test.\nWrites to out.\nNo rule allows make.';
  const { screen } = await ask({ reason });
  expect(screen.text().slice(3, 7)).toEqual([
    '- No rule allows npm test.',
    '- Writes to out.',
    '- No rule allows make.',
    '',
  ]);
  const low = await ask({ reason }, 12);
  expect(low.screen.text()).toContain('- No rule allows make.');
  const lower = await ask({ reason }, 9);
  expect(lower.screen.text().slice(3, 5)).toEqual(['- No rule allows npm test.', '- …']);
});

test('neither a word meant for the shell nor the Enter after it is an answer', async () => {
  for (const word of ['fg', 'cat', 'way']) {
    const { screen, pass, answers } = await ask();
    pass(1000);
    for (const letter of word) await screen.press(letter);
    await screen.press(keys.enter);
    expect(answers).toEqual([]);
    // A moment later, and after an arrow at once, it is an answer again.
    pass(1000);
    await screen.press('y');
    expect(answers).toEqual([{ behavior: 'allow' }]);
  }
  const { screen, pass, answers } = await ask();
  pass(1000);
  for (const key of ['q', keys.down, keys.up, keys.enter]) await screen.press(key);
  expect(answers).toEqual([{ behavior: 'allow' }]);
});

test('a key that edits a draft neither ends a word nor lets the Enter after it answer', async () => {
  for (const key of ['\u0017', '\u001B[D', '\u001B[F', '\u001B[3~']) {
    const { screen, pass, answers } = await ask();
    pass(1000);
    await screen.press('q');
    pass(300);
    for (const pressed of [key, keys.enter]) await screen.press(pressed);
    expect(answers).toEqual([]);
  }
});

test('on a short screen, details of answers are dropped before the tool and the call', async () => {
  const { screen } = await ask({}, 6);
  expect(screen.text()).toEqual([
    `─ Run this command? ${'─'.repeat(40)}`,
    '$ npm test',
    'In /home/me/project.',
    '❯ 1. Yes',
    "  2. Yes, and don't ask again for Bash(npm test)",
    '  3. No, tell it what to do instead',
  ]);
});

test('on a narrow screen, the change is visible even if answers are shortened', async () => {
  const lines = ['@@ -1,2 +1,2 @@', '-const a = 1;', '+const a = 2;', ' const b = 漢字;'];
  const preview = { type: 'diff', path: '/home/me/project/src/a.js', diff: lines.join('\n'), isNew: false };
  const asked = { tool: 'Edit', title: 'src/a.js', preview: preview as PermissionQuestion['preview'] };
  const { screen, pass } = await ask(asked, 9, 20);
  expect(screen.text()).toEqual([
    '─ Edit src/a.js? … ─',
    '1 - const a = 1;',
    '1 + const a = 2;',
    '2   const b = 漢字;',
    'This runs a script',
    'of the project.',
    '❯ 1. Yes',
    "  2. Yes, and don't…",
    '  3. No, tell it wh…',
  ]);
  pass(1000);
  await screen.press(keys.down);
  expect(screen.text().join('\n')).toContain("❯ 2. Yes, and don't\n  ask again for");
  // A path that does not fit into the title is shown below it, in full.
  const long = await ask({ ...asked, title: 'packages/app/src/a.js' }, 12, 20);
  expect(long.screen.text().slice(0, 3)).toEqual(['─ Edit packages/a… ─', '/home/me/project/src', '/a.js']);
});

test('on a tiny screen, the selected answer is shown in full and each other one on one row', async () => {
  const { screen, pass } = await ask({}, 8, 20);
  expect(screen.text()).toEqual([
    '─ Run this comman… ─',
    '$ npm test',
    'In /home/me/project.',
    'This runs a script',
    'of the project.',
    '❯ 1. Yes',
    "  2. Yes, and don't…",
    '  3. No, tell it wh…',
  ]);
  pass(1000);
  await screen.press(keys.down);
  expect(screen.text()).toEqual([
    '─ Run this comman… ─',
    '$ npm test',
    'In /home/me/project.',
    '  1. Yes',
    "❯ 2. Yes, and don't",
    '  ask again for',
    '  Bash(npm test)',
    '  3. No, tell it wh…',
  ]);
});

test.each([
  ['1', [keys.enter], { behavior: 'allow' }],
  ['y', ['y'], { behavior: 'allow' }],
  ['2', ['2'], { behavior: 'allow', remember: true }],
  ['a and Enter: a letter alone saves nothing', ['a', keys.enter], { behavior: 'allow', remember: true }],
  ['a, then y', ['a', 'y'], { behavior: 'allow' }],
  ['down and Enter', [keys.down, keys.enter], { behavior: 'allow', remember: true }],
  ['up wraps around to no', [keys.up, keys.enter, keys.enter], { behavior: 'deny' }],
  ['n', ['n'], { behavior: 'deny' }],
  ['Esc', [keys.escape], { behavior: 'deny' }],
  ['Ctrl+C', [keys.ctrl('c')], { behavior: 'deny' }],
  ['a comment by Tab', [keys.tab, ...'use 中文', keys.enter], { behavior: 'deny', comment: 'use 中文' }],
  ['a comment by 3', ['3', ...'no 1y', keys.enter], { behavior: 'deny', comment: 'no 1y' }],
  [
    'a pasted comment',
    ['3', keys.paste('two\rlines'), keys.enter],
    { behavior: 'deny', comment: 'two\nlines' },
  ],
  ['a comment that is abandoned', [keys.tab, 'x', keys.escape, 'y'], { behavior: 'allow' }],
  ['keys without a meaning', [keys.left, keys.ctrl('l'), 'y'], { behavior: 'allow' }],
] as [string, string[], PermissionAnswer][])('answers by %s', async (_, pressed, expected) => {
  const { screen, answers, pass } = await ask();
  pass(200);
  await screen.press(...pressed);
  expect(answers).toEqual([expected]);
});

test('a pasted comment shows its line breaks, and is folded if it is long', async () => {
  const { screen, answers, pass } = await ask();
  pass(200);
  await screen.press(keys.tab, keys.paste('two\rlines'), ' ', keys.paste('line\r'.repeat(50)));
  expect(screen.text().join('\n')).toContain('What instead? two↵lines [Pasted text #1 +50 lines]');
  await screen.press(keys.enter);
  expect(answers).toEqual([{ behavior: 'deny', comment: `two\nlines ${'line\n'.repeat(50).trimEnd()}` }]);
});

test('Shift+Tab accepts edits where that is offered, and does nothing elsewhere', async () => {
  const shiftTab = '\u001B[Z';
  const edits = { rules: [], destination: 'mode', label: 'Yes, allow all edits' } as const;
  for (const [suggestion, expected] of [
    [edits, [{ behavior: 'allow', remember: true }]],
    [{ ...edits, mode: 'default' }, []],
    [question.suggestion, []],
  ] as const) {
    const { screen, answers, pass } = await ask(suggestion && { suggestion }, 20, 90);
    pass(200);
    expect(screen.text().at(-1)?.includes('Shift+Tab accept edits')).toBe(expected.length > 0);
    await screen.press(shiftTab);
    expect(answers).toEqual(expected);
    expect(screen.text().join('\n')).not.toContain('What instead?');
  }
});

test('typing that continues when the dialog appears approves nothing', async () => {
  const { screen, answers, unmeant, pass } = await ask();
  for (const key of [...'yes 1 a', keys.enter, keys.backspace, 'y']) {
    pass(199); // slow typing, but typing
    await screen.press(key);
  }
  await screen.press(keys.paste('pasted'));
  expect(answers).toEqual([]);
  expect(unmeant.join('')).toBe(`yes 1 a${ERASED}ypasted`);
  pass(1000);
  await screen.press('y');
  expect(answers).toEqual([{ behavior: 'allow' }]);
});

test.each([
  ['Enter', keys.enter],
  ['a letter', 'y'],
  ['a number', '1'],
])('a sentence that a question interrupts does not approve it after a short pause: %s', async (_, key) => {
  const { screen, answers, pass } = await ask();
  await screen.press(...'and then');
  pass(999);
  await screen.press(key);
  expect(answers).toEqual([]);
  pass(1000);
  await screen.press(key);
  expect(answers).toEqual([{ behavior: 'allow' }]);
});

test('text pasted while a question is open does not approve it with the Enter that sends it', async () => {
  const { screen, answers, pass } = await ask();
  pass(1000);
  await screen.press(keys.paste('a stack trace'));
  pass(999);
  await screen.press(keys.enter);
  expect(answers).toEqual([]);
});

test('a draft that was typed just before the question belongs to another text, unless it was sent', async () => {
  const opened = async (clock: ReturnType<typeof createClock>) => {
    const onAnswer = vi.fn();
    const { screen } = await mount(
      <PermissionDialog {...{ question, onAnswer }} theme={plain} width={60} rows={20} now={clock.now} />,
    );
    clock.pass(200);
    await screen.press('y');
    return onAnswer;
  };
  const clock = createClock();
  draftTyped(clock.now);
  expect(await opened(clock)).not.toHaveBeenCalled();
  draftSent(clock.now);
  expect(await opened(clock)).toHaveBeenCalledOnce();
});

test('Esc denies immediately', async () => {
  const { screen, answers } = await ask();
  await screen.press(keys.escape);
  expect(answers).toEqual([{ behavior: 'deny' }]);
});

test('a chunk with an answer and more keys starts a comment, not an approval', async () => {
  const { screen, answers, pass } = await ask();
  pass(200);
  screen.stdin.write('3');
  await screen.settle();
  screen.stdin.write('do less\r');
  await screen.settle();
  expect(answers).toEqual([{ behavior: 'deny', comment: 'do less' }]);
});

test('a preview taller than the screen scrolls, and the choices stay', async () => {
  const diff = `--- a\n+++ a\n@@ -0,0 +1,40 @@\n${Array.from({ length: 40 }, (_, index) => `+line ${index + 1}`).join('\n')}\n`;
  const { screen } = await ask({ preview: { type: 'diff', path: '/p/a', diff, isNew: true } }, 16);
  expect(screen.text()).toHaveLength(16);
  expect(screen.text()).toContain('❯ 1. Yes');
  expect(screen.text().join('\n')).toContain('lines 1–');
  for (let page = 0; page < 8; page += 1) await screen.press(keys.pageDown);
  expect(screen.text().join('\n')).toContain('+ line 40');
  expect(screen.text().join('\n')).toContain('of 40');
  expect(screen.text()).toHaveLength(16);
});

describe('lines that were not on screen are not approved', () => {
  const command = [...Array.from({ length: 20 }, (_, index) => `echo ${index} && \\`), 'rm -rf ~'].join('\n');
  const preview = { type: 'command', command, cwd: '/p' } as const;
  const diff = `--- a\n+++ a\n@@ -0,0 +1,40 @@\n${Array.from({ length: 40 }, (_, index) => `+line ${index + 1}`).join('\n')}\n`;
  const change = { type: 'diff', path: '/p/a', diff, isNew: true } as const;
  const shown = (screen: Screen): string => screen.text().join('\n');

  test('what the first run of a command has changed must be on the screen, too', async () => {
    const changed = Array.from(
      { length: 30 },
      (_, index) => `${index}\u202e.sh was changed during the first run.`,
    );
    const { screen, answers, pass } = await ask(
      { preview: { type: 'command', command: 'sh b.sh', cwd: '/p', changed } },
      24,
      80,
    );
    expect(shown(screen)).toContain('✎ 0‹U+202E›.sh was changed during the first run.');
    expect(shown(screen)).toContain('read to the end to approve');
    pass(1000);
    await screen.press('y');
    expect(answers).toEqual([]);
  });

  test.each([
    ['syllables of forty letters, which some terminals add up', `${'ᄀ'.repeat(40)}ᅡ`, 3],
    ['circled numbers that some terminals draw wide', '㉈', 70],
  ])('a command counts the rows that it takes on the screen: %s', async (_, text, many) => {
    const lines = ['rm -rf ~', ...Array.from({ length: 10 }, () => `# ${text.repeat(many)}`)];
    const { screen, answers, pass } = await ask(
      { preview: { type: 'command', command: lines.join('\n'), cwd: '/p' } },
      24,
      80,
    );
    expect(shown(screen)).toContain('read to the end to approve');
    pass(1000);
    await screen.press('y');
    expect(answers).toEqual([]);
  });

  test.each([
    ['y', 'y', { behavior: 'allow' }],
    ['Enter', keys.enter, { behavior: 'allow' }],
    ['a digit', '1', { behavior: 'allow' }],
    ['the digit of a lasting choice', '2', { behavior: 'allow', remember: true }],
  ])('%s shows the next lines of a command until all were shown', async (_, key, answer) => {
    const { screen, answers, pass } = await ask({ preview }, 16);
    expect(shown(screen)).toContain('lines 1–7 of 22 · PgUp/PgDn · read to the end to approve');
    for (const lines of ['lines 8–14 of 22', 'lines 15–21 of 22', 'lines 16–22 of 22']) {
      pass(1000);
      await screen.press(key);
      expect(shown(screen)).toContain(lines);
      expect(answers).toEqual([]);
    }
    expect(shown(screen)).toContain('rm -rf ~');
    pass(1000);
    await screen.press(key);
    expect(answers).toEqual([answer]);
  });

  test('a key that is held down shows one page, and pages that were not drawn are shown first', async () => {
    const { screen, answers, pass } = await ask({ preview }, 16);
    pass(1000);
    for (let times = 0; times < 20; times++) {
      await screen.press('y');
      pass(30);
    }
    expect(shown(screen)).toContain('lines 8–14 of 22');
    expect(answers).toEqual([]);
    const again = await ask({ preview }, 16);
    again.screen.stdin.write(keys.pageDown.repeat(3));
    await again.screen.settle();
    expect(shown(again.screen)).toContain('lines 16–22 of 22');
    again.pass(1000);
    await again.screen.press('y');
    expect(shown(again.screen)).toContain('lines 8–14 of 22');
    expect(again.answers).toEqual([]);
  });

  test('lines shown with PgDn count', async () => {
    const { screen, answers, pass } = await ask({ preview }, 16);
    await screen.press(keys.pageDown, keys.pageDown, keys.pageDown, keys.pageUp);
    pass(1000);
    await screen.press('y');
    expect(answers).toEqual([{ behavior: 'allow' }]);
  });

  test('a long call can be denied at once', async () => {
    const { screen, answers, pass } = await ask({ preview }, 16);
    pass(1000);
    await screen.press('n');
    expect(answers).toEqual([{ behavior: 'deny' }]);
  });

  test('a change to an ordinary file can be approved once the user was told what was not shown', async () => {
    const { screen, answers, pass } = await ask({ preview: change, canSkim: true }, 16);
    expect(shown(screen)).toContain('lines 1–7 of 40 · PgUp/PgDn\n');
    pass(1000);
    await screen.press('y');
    expect(shown(screen)).toContain('33 lines not shown · again approves · PgUp/PgDn');
    pass(100);
    await screen.press('y');
    expect(answers).toEqual([]);
    pass(1000);
    await screen.press('y');
    expect(answers).toEqual([{ behavior: 'allow' }]);
  });

  test('any other change must be read to the end', async () => {
    const { screen, answers, pass } = await ask({ preview: change }, 16);
    for (let pages = 0; pages < 5; pages++) {
      pass(1000);
      await screen.press('y');
      expect(answers).toEqual([]);
    }
    expect(shown(screen)).toContain('+ line 40');
    pass(1000);
    await screen.press('y');
    expect(answers).toEqual([{ behavior: 'allow' }]);
  });

  test('with room for one line, a change is read line by line, whatever its background', async () => {
    const blue = (text: string): string => `\u001B[44m${text}\u001B[49m`;
    const tinted = { ...plain, addedLine: blue };
    const { screen, answers, pass } = await ask({ preview: change }, 2, 60, tinted);
    for (let line = 1; line <= 40; line++) {
      expect(shown(screen)).toContain(`+ line ${line} (${line} of 40)`);
      expect(answers).toEqual([]);
      pass(1000);
      await screen.press('y');
    }
    expect(answers).toEqual([{ behavior: 'allow' }]);
  });

  test.each([12, 24, 60])(
    'with one row and %s columns, wide lines are shown in full, and then approved',
    async (width) => {
      const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
      const wide = { type: 'command', command: `echo ${words.join(' ')}`, cwd: '/p' } as const;
      const { screen, answers, pass } = await ask({ preview: wide }, 2, width);
      let seen = '';
      for (let press = 0; press < 200 && answers.length === 0; press++) {
        const [line = ''] = screen.text();
        if (width > 20) expect(line).toMatch(/ \(\d+ of \d+\)$/);
        seen += line.replace(/ \(\d+ of \d+\)$/, '').trim();
        pass(1000);
        await screen.press('y');
      }
      expect(answers).toEqual([{ behavior: 'allow' }]);
      expect(seen.replaceAll(' ', '')).toContain(words.join(''));
    },
  );

  test('on few rows, choices make room for a line of the preview', async () => {
    for (const rows of [2, 3, 4]) {
      const { screen } = await ask({ preview }, rows);
      expect(shown(screen)).toContain('$ echo 0');
      expect(shown(screen)).toContain('❯ 1. Yes');
    }
  });
});

test('the cursor is in the comment field', async () => {
  const { screen, pass } = await ask();
  pass(200);
  await screen.press(keys.tab, 'é', '中');
  const row = screen.text().findIndex((line) => line.includes('instead? é中'));
  expect(screen.cursor()).toEqual({ x: '  What instead? '.length + 3, y: row });
  expect(screen.isCursorVisible()).toBe(true);
});

test('a list of 10,000 items filters as you type and draws only the visible ones', async () => {
  const picked = vi.fn();
  const items = Array.from({ length: 10_000 }, (_, index) => `item ${index} 文字`);
  const spentMs = cpuClock();
  const { screen } = await mount(
    <SelectList
      title="Pick"
      items={items}
      textOf={(item) => item}
      {...room}
      rows={8}
      onPick={picked}
      onCancel={() => {}}
    />,
    { columns: 60, rows: 8 },
  );
  expect(screen.text()).toEqual([
    `─ Pick ${'─'.repeat(53)}`,
    'Filter:',
    '❯ item 0 文字',
    '  item 1 文字',
    '  item 2 文字',
    '  item 3 文字',
    '  item 4 文字',
    '1 of 10000 · ↑↓ Enter · type to filter · Esc closes',
  ]);
  await screen.press(...'99文', keys.down);
  expect(screen.text()).toContain('Filter: 99文');
  await screen.press(keys.backspace, keys.down);
  expect(screen.text()).toContain('❯ item 199 文字');
  await screen.press(keys.pageDown, keys.enter);
  expect(picked).toHaveBeenCalledExactlyOnceWith('item 699 文字');
  expect(spentMs()).toBeLessThan(5000);
});

test('a list that is redrawn with more or other items keeps its row and filter', async () => {
  const picked = vi.fn();
  const list = (names: readonly string[]) => (
    <SelectList
      title="Pick"
      items={names.map((name) => ({ name }))}
      textOf={({ name }) => name}
      {...room}
      rows={8}
      onPick={picked}
      onCancel={() => {}}
    />
  );
  const { screen, update } = await mount(list(['a1', 'b', 'a2', 'a3']));
  await screen.press('a', keys.down);
  await update(list(['a0', 'a1', 'b', 'a2', 'a3']));
  await screen.press(keys.enter);
  expect(picked).toHaveBeenCalledExactlyOnceWith({ name: 'a2' });
});

test('an empty filter result is reported, and Enter picks nothing', async () => {
  const [picked, left] = [vi.fn(), vi.fn()];
  const { screen } = await mount(
    <SelectList
      title="Pick"
      items={['a']}
      textOf={(item) => item}
      {...room}
      rows={8}
      onPick={picked}
      onCancel={left}
    />,
  );
  await screen.press('z', keys.enter);
  expect(screen.text().join('\n')).toContain('Nothing matches.');
  await screen.press(keys.escape);
  expect([picked.mock.calls.length, left.mock.calls.length]).toEqual([0, 1]);
});

test.each([
  ['Enter', [keys.enter], true],
  ['1', ['1'], true],
  ['y and Enter', ['y', keys.enter], true],
  ['2', ['2'], false],
  ['down and Enter', [keys.down, keys.enter], false],
  ['Esc', [keys.escape], false],
  ['Ctrl+C, which leaves', [keys.ctrl('c')], 'quit'],
  ['Ctrl+D, which leaves', [keys.ctrl('d')], 'quit'],
])('the trust dialog is answered by %s', async (_, pressed, expected) => {
  const answered = vi.fn();
  const clock = createClock();
  const { screen } = await mount(
    <DialogView
      dialog={trustDialog({ folder: '/home/me/repo', effects: ['run `make hook` after each edit'] })}
      {...room}
      rows={12}
      now={clock.now}
      onAnswer={answered}
    />,
  );
  expect(screen.text()).toEqual([
    `─ Do you trust this folder? ${'─'.repeat(32)}`,
    '/home/me/repo',
    'What its settings would do:',
    '  • run `make hook` after each edit',
    '',
    '❯ 1. Yes, I trust this folder',
    '  2. No, continue without its settings',
  ]);
  clock.pass(200);
  await screen.press(...pressed);
  expect(answered).toHaveBeenCalledExactlyOnceWith(expected);
});

test.each([
  [[], ['Your own hooks and status line may run code from this', 'folder:'], 'No, run them in the sandbox'],
  [
    ['f: Runs make'],
    [
      'What its settings would do:',
      '  • f: Runs make',
      'Your own hooks and status line may run code from this',
      'folder:',
    ],
    'No, ignore its settings, and run mine in the sandbox',
  ],
])('the trust dialog lists the user’s own programs apart from %j', async (effects, above, no) => {
  const dialog = trustDialog({ folder: '/home/me/repo', effects, own: ['hook: npx prettier --write\n.'] });
  const { screen } = await mount(<DialogView dialog={dialog} {...room} rows={14} onAnswer={vi.fn()} />, {
    columns: 60,
    rows: 14,
  });
  expect(screen.text()).toEqual([
    `─ Do you trust this folder? ${'─'.repeat(32)}`,
    '/home/me/repo',
    ...above,
    '  • hook: npx prettier --write‹U+000A›.',
    '',
    '❯ 1. Yes, I trust this folder',
    `  2. ${no}`,
  ]);
});

test('a prompt typed at the trust dialog does not answer it', async () => {
  const answered = vi.fn();
  const clock = createClock();
  const dialog = trustDialog({ folder: '/home/me/repo', effects: [] });
  const { screen } = await mount(
    <DialogView dialog={dialog} {...room} rows={12} now={clock.now} onAnswer={answered} />,
  );
  clock.pass(200);
  await screen.press(...'yarn test', keys.enter);
  expect(answered).not.toHaveBeenCalled();
  clock.pass(1000);
  await screen.press(keys.enter);
  expect(answered).toHaveBeenCalledExactlyOnceWith(true);
});

test.each([
  [
    { isRecorded: true, gone: ['f: Runs Bash(make)'], added: 1, removed: 1 },
    [
      `─ Do you trust what has changed in this folder? ${'─'.repeat(12)}`,
      '/home/me/repo',
      'Changed since you trusted it: 1 new, 1 gone.',
      '  + f: Runs Bash(cu‹U+200B›rl)',
      '  - f: Runs Bash(make)',
      '',
      '❯ 1. Yes, apply the changes',
      '  2. No, continue without the changes',
    ],
  ],
  [
    { isRecorded: false, gone: [], added: 1, removed: 0 },
    [
      `─ Do you still trust this folder? ${'─'.repeat(26)}`,
      '/home/me/repo',
      'You trusted it in an earlier version, which did not record',
      'these settings:',
      '  • f: Runs Bash(cu‹U+200B›rl)',
      '',
      '❯ 1. Yes, I trust this folder',
      '  2. No, continue without its settings',
    ],
  ],
])('earlier trust (%j) leads to a question about what was added', async (before, expected) => {
  const question = { folder: '/home/me/repo', effects: ['f: Runs Bash(cu\u200Brl)'], before };
  const { screen } = await mount(
    <DialogView dialog={trustDialog(question)} {...room} rows={12} onAnswer={vi.fn()} />,
  );
  expect(screen.text()).toEqual(expected);
});

test('a folder can be trusted only after everything that its settings do was on screen', async () => {
  const gone = Array.from({ length: 40 }, (_, index) => `f: Runs Bash(old-${index})`);
  const effects = [`f: Runs true${' '.repeat(1500)}; touch pwned`, ...gone.map((text) => `${text} again`)];
  const before = {
    isRecorded: true,
    gone,
    added: 41,
    removed: 40,
    changes: ['f: hooks: true[was: ] [now: ; x]'],
  };
  const clock = createClock();
  const answered = vi.fn();
  const { screen } = await mount(
    <DialogView
      dialog={trustDialog({ folder: '/home/me/repo', effects, before })}
      {...room}
      rows={14}
      now={clock.now}
      onAnswer={answered}
    />,
  );
  const start = screen.text();
  expect(start.slice(0, 4)).toEqual([
    `─ Do you trust what has changed in this folder? ${'─'.repeat(12)}`,
    '/home/me/repo',
    'Changed since you trusted it: 41 new, 40 gone.',
    '  + f: Runs true ‹1500 spaces› ; touch pwned',
  ]);
  expect(start.at(-4)).toBe('  lines 1–7 of 82 · PgUp/PgDn · read to the end to accept');
  expect(start.length).toBeLessThanOrEqual(14);
  clock.pass(200);
  const seen = new Set(start);
  for (let page = 1; page < 12; page++) {
    await screen.press('1', keys.enter, 'y');
    expect(answered).not.toHaveBeenCalled();
    clock.pass(2000);
    await screen.press(keys.pageDown);
    for (const line of screen.text()) seen.add(line);
  }
  for (const text of gone) expect(seen).toContain(`  - ${text}`);
  expect(seen).toContain('  • Changed in f: hooks: true[was: ] [now: ; x]');
  expect(screen.text().at(-4)).toBe('  lines 76–82 of 82 · PgUp/PgDn');
  clock.pass(2000);
  await screen.press('1');
  expect(answered).toHaveBeenCalledExactlyOnceWith(true);
});

test('a folder can be rejected before the end of the list', async () => {
  const effects = Array.from({ length: 40 }, (_, index) => `f: Runs Bash(${index})`);
  const answered = vi.fn();
  const clock = createClock();
  const dialog = trustDialog({ folder: '/f', effects });
  const { screen } = await mount(
    <DialogView dialog={dialog} {...room} rows={14} now={clock.now} onAnswer={answered} />,
  );
  clock.pass(200);
  await screen.press('n');
  expect(answered).toHaveBeenCalledExactlyOnceWith(false);
});

test('the spinner counts seconds while mounted, and stops after that', async () => {
  let time = 65_000;
  const { screen, update } = await mount(
    <Spinner verb="Working" startedAt={0} tokens={1234} {...room} now={() => time} />,
  );
  expect(screen.text()[0]).toMatch(/^\S Working… \(1m 05s · 1\.2k tokens · esc to interrupt\)$/);
  time = 66_400;
  await screen.waitFor((rows) => rows[0]?.includes('1m 06s') === true);
  await update(null);
  const before = screen.output().length;
  await new Promise((done) => setTimeout(done, 300));
  expect(screen.output().length).toBe(before);
});

test.each([
  ['Compacting the conversation', 20, '● Compacting…'],
  ['Compacting the conversation', 10, '● Compact…'],
  ['Preparing Bash', 17, '● Preparing Bash…'],
  ['書く 漢字を', 10, '● 書く…'],
])('on a narrow screen %s is shortened to its first word (%i columns)', async (verb, width, row) => {
  const { screen } = await mount(
    <Spinner verb={verb} startedAt={0} {...room} width={width} reducedMotion now={() => 0} />,
    { columns: width },
  );
  expect(screen.text()).toEqual([row]);
});

test('with reduced motion, the symbol does not move', async () => {
  const { screen } = await mount(
    <Spinner verb="Working" startedAt={0} {...room} width={14} reducedMotion now={() => 3000} />,
  );
  expect(screen.text()).toEqual(['● Working…']);
});

test('a retry counts down and says how to stop it', async () => {
  let time = 0;
  const error = { kind: 'rate_limit' as const, message: 'Too many requests (429).', retryable: true };
  const { screen } = await mount(
    <RetryNotice attempt={2} maxAttempts={10} error={error} until={12_000} {...room} now={() => time} />,
  );
  expect(screen.text()).toEqual([
    'Too many requests (429).',
    'Retrying in 12s (attempt 2 of 10) · Esc cancels',
  ]);
  time = 9500;
  await screen.waitFor((rows) => rows[1]?.includes('in 3s') === true);
});

test('on a narrow screen, a retry shows as much of its reason as fits and marks the cut', async () => {
  const message = 'mock-1 is rate limiting requests. It said: "もう少し". Wait a little.';
  const error = { kind: 'rate_limit' as const, message, retryable: true };
  const notice = (rows: number) => (
    <RetryNotice
      attempt={2}
      maxAttempts={10}
      error={error}
      until={12_000}
      {...room}
      width={20}
      rows={rows}
      now={() => 0}
    />
  );
  const { screen, update } = await mount(notice(10), { columns: 20, rows: 12 });
  const reason = ['mock-1 is rate', 'limiting requests.', 'It said: "もう少し".', 'Wait a little.'];
  expect(screen.text()).toEqual([...reason, 'Retrying in 12s', '(attempt 2 of 10) ·', 'Esc cancels']);
  await update(notice(3));
  expect(screen.text()).toEqual(['mock-1 is rate', 'limiting requests. …', 'Retrying in 12s']);
});

test('details are dropped before labels are cut; then all labels except the selected one are cut', () => {
  const choices = [
    { label: 'Search again for local servers', detail: 'on their usual ports' },
    { label: 'Quit' },
    { label: '説明を読む', detail: 'here' },
  ];
  const within = (rows: number) => choiceLinesWithin(choices, 0, 20, rows, plain);
  const label = ['❯ 1. Search again', '  for local servers'];
  const detail = ['     on their usual', '     ports'];
  expect(within(7)).toEqual([...label, ...detail, '  2. Quit', '  3. 説明を読む', '     here']);
  expect(within(6)).toEqual([...label, ...detail, '  2. Quit', '  3. 説明を読む']);
  expect(within(4)).toEqual([...label, '  2. Quit', '  3. 説明を読む']);
  expect(choiceLinesWithin(choices, 1, 20, 3, plain)).toEqual([
    '  1. Search again f…',
    '❯ 2. Quit',
    '  3. 説明を読む',
  ]);
});

test('a plan is approved by choosing how to continue, even in a few columns', async () => {
  const { screen, answers, pass } = await ask(
    { tool: 'ExitPlanMode', title: 'Plan', preview: { type: 'plan', plan: '1. 読む' } },
    12,
    20,
  );
  expect(screen.text()[0]).toBe('─ Start this plan? ─');
  pass(1000);
  await screen.press('n');
  expect(answers).toHaveLength(1);
});

test.each([
  [20, '  What? もう一度'],
  [60, '  What instead? もう一度'],
])('a comment for the model is visible in %i columns', async (width, row) => {
  const { screen, pass } = await ask({}, 20, width);
  pass(1000);
  await screen.press(keys.tab, 'もう一度');
  expect(screen.text()).toContain(row);
});

test('a change is shown in full: hidden characters by number, a long rule to its end', async () => {
  const diff = '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-one\n+o\u200bne\r\u001b[8m\n';
  const rule = `Bash(node ${'x'.repeat(150)} END\u009b31m)`;
  const { screen } = await ask({
    preview: { type: 'diff', path: 'a', diff, isNew: false },
    suggestion: {
      rules: [rule],
      destination: 'local',
      file: '/f',
      label: `Yes, and don't ask again: ${rule}`,
    },
  });
  const text = screen.text().join('\n');
  expect(text).toContain('o‹U+200B›ne‹U+000D›‹U+001B›[8m');
  expect(text).toContain('END‹U+009B›31m)');
});
