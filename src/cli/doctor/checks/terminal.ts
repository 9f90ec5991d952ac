import type { Finding } from '../../../commands/pages/doctorPage.ts';
import { drawnWidth } from '../../../ui/print/width.ts';
import { isDumbTerminal } from '../../terminal/screenKind.ts';
import type { DoctorPorts } from '../ports.ts';
import { samples, type TerminalAnswers, type TerminalFacts } from '../terminalFacts.ts';

/** Checks the terminal's capabilities, and the locale, which determines the character encoding. */
export function checkTerminal({ terminal, place }: DoctorPorts): readonly Finding[] {
  const locale = checkLocale(place.env);
  if (terminal === undefined) return [locale];
  const { answers } = terminal;
  return [kindOf(terminal, place.env), ...(answers === undefined ? [] : answersOf(answers)), locale];
}

function kindOf(terminal: TerminalFacts, env: DoctorPorts['place']['env']): Finding {
  const { term, program, columns, rows } = terminal;
  const colors = ['no colors', '16 colors', '256 colors', '16.7 million colors'][terminal.colors];
  const parts = [
    ...(program === undefined ? [] : [program]),
    term ?? 'TERM is not set',
    colors ?? '',
    `${columns}×${rows}`,
  ];
  const found = { id: 'terminal', label: 'Terminal', value: parts.filter((part) => part !== '').join(' · ') };
  if (isDumbTerminal(term))
    return {
      ...found,
      state: 'warning',
      fix: 'This terminal can only print lines. If it can do more, set TERM, e.g. TERM=xterm-256color.',
    };
  if (columns < 40 || rows < 10)
    return { ...found, state: 'warning', fix: 'It works, but 80 columns and 24 rows are more comfortable.' };
  if (terminal.colors === 2 && (env.NO_COLOR ?? '') === '')
    return {
      ...found,
      state: 'ok',
      value: `${found.value} (set COLORTERM=truecolor if the terminal supports it)`,
    };
  return { ...found, state: 'ok' };
}

function answersOf(answers: TerminalAnswers): readonly Finding[] {
  const { keyboard, bracketedPaste, synchronized, background, isComplete } = answers;
  if (!isComplete)
    return [
      {
        id: 'terminal.answers',
        label: 'Terminal answers',
        state: 'warning',
        value: 'it did not answer any query within two seconds',
        fix: 'That is normal over a slow connection; otherwise a newer terminal shows more and flickers less.',
      },
    ];
  return [
    widthsOf(answers),
    {
      id: 'terminal.keyboard',
      label: 'Keyboard',
      state: 'ok',
      value: keyboard
        ? 'kitty keyboard protocol: Shift+Enter inserts a new line'
        : 'plain: Shift+Enter may be Enter; Ctrl+J or \\ and Enter insert a new line',
    },
    {
      id: 'terminal.screen',
      label: 'Screen',
      state: 'ok',
      value: [
        synchronized === true ? 'synchronized output' : 'no synchronized output (a frame may flicker)',
        ...(bracketedPaste === false ? ['no bracketed paste'] : bracketedPaste ? ['bracketed paste'] : []),
        background === undefined ? 'background unknown' : `background #${background}`,
      ].join(' · '),
    },
  ];
}

function widthsOf({ widths }: TerminalAnswers): Finding {
  const found = { id: 'terminal.widths', label: 'Wide letters' };
  const wrong = samples.flatMap(({ name, text }, index) => {
    const drawn = widths[index];
    const expected = drawnWidth(text);
    return drawn === undefined || drawn === expected ? [] : [`${name} (${drawn} columns, not ${expected})`];
  });
  if (widths.every((width) => width === undefined))
    return { ...found, state: 'ok', value: 'not reported by this terminal' };
  if (wrong.length === 0)
    return { ...found, state: 'ok', value: 'CJK, accents, emoji and flags have the right width' };
  return {
    ...found,
    state: 'warning',
    value: `drawn with a different width than in Unicode: ${wrong.join(', ')}`,
    fix: 'Lines with these characters may be off by a column. A newer terminal helps, or in tmux a newer tmux.',
  };
}

function checkLocale(env: DoctorPorts['place']['env']): Finding {
  const name = ['LC_ALL', 'LC_CTYPE', 'LANG'].find((one) => (env[one] ?? '') !== '');
  const found = {
    id: 'locale',
    label: 'Locale',
    value: name === undefined ? 'none is set' : `${name}=${env[name]}`,
  };
  // macOS and Windows use UTF-8 without setting a variable.
  if (/utf-?8/i.test(env[name ?? ''] ?? '') || (name === undefined && env.TERM_PROGRAM !== undefined))
    return { ...found, state: 'ok' };
  return {
    ...found,
    state: 'warning',
    fix: 'Non-ASCII letters may be garbled: set LANG, e.g. export LANG=C.UTF-8.',
  };
}
