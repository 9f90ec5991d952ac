import { parseThemeSetting, themeSettings } from '../protocol/settings/themeNames.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine, textLines } from './pages/page.ts';
import type { Command, KeysInfo } from './types.ts';

/** Lists every key with its action, and the action's name for changing the key. */
export const keys: Command = {
  name: 'keys',
  aliases: ['keybindings', 'hotkeys'],
  description: 'show the keys and how to change them',
  run: async (_args, host) => {
    const info = await host.keys?.();
    if (info !== undefined) return { type: 'page', page: keysPage(info) };
    return { type: 'notice', text: 'Keyboard shortcuts need a terminal.' };
  },
};

/** Toggles vim mode; saved in the user's settings. */
export const vim: Command = {
  name: 'vim',
  aliases: [],
  description: 'toggle vim mode',
  run: () => ({ type: 'toggle_vim' }),
};

/** Switches the theme by name, or opens a list with samples. */
export const theme: Command = {
  name: 'theme',
  aliases: ['themes', 'colors'],
  description: 'choose a theme',
  argumentHint: '[name]',
  run: (args) => {
    if (args === '') return { type: 'set_theme' };
    const setting = parseThemeSetting(args);
    if (setting !== undefined) return { type: 'set_theme', setting };
    const text = `There is no theme "${args}". There are: ${themeSettings.join(', ')}.`;
    return { type: 'notice', level: 'error', text };
  },
};

// The page of `/keys`: each key with its action, grouped by context, and how to change them.

/** Keys wider than this share of the screen get their own line. */
const KEYS_SHARE = 0.3;

function keysPage({ file, groups, problems }: KeysInfo): Page {
  return (columns) => [
    ...groups.flatMap(({ title, context, rows }) => [
      heading(`${title} (${context})`),
      ...rows.flatMap((row) => rowLines(row, columns)),
      blankLine,
    ]),
    ...textLines(`Change them in ${file}, for example:`, 0),
    ...textLines('{ "Chat": { "ctrl+e": "chat:externalEditor", "ctrl+s": null } }', 2),
    ...problems.flatMap((problem) => textLines(problem, 0, 'warning')),
  ];
}

function rowLines(
  { keys, description, action, isFixed }: KeysInfo['groups'][number]['rows'][number],
  columns: number,
): readonly PageLine[] {
  const room = Math.max(8, Math.floor(columns * KEYS_SHARE));
  const indent = ' '.repeat(2);
  const names = keys.length === 0 ? 'no key' : keys.join(', ');
  const rest = [description, { text: `  ${action}${isFixed ? ', fixed' : ''}`, role: 'dim' } as const];
  if (names.length <= room) {
    const line = pageLine(indent, { text: names.padEnd(room), role: 'accent' }, '  ', ...rest);
    return [hanging(line, room + 4)];
  }
  const left = ' '.repeat(room + 4);
  return [pageLine(indent, { text: names, role: 'accent' }), pageLine(left, ...rest)];
}

/** Asks the model to write and set up a status line command; both need approval as usual. */
export const statusline: Command = {
  name: 'statusline',
  aliases: [],
  description: 'set up a custom status line',
  argumentHint: '[text]',
  run: (args) => {
    if (args === '') return { type: 'notice', text: USAGE };
    return { type: 'op', op: { type: 'prompt', text: promptOf(args), display: `/statusline ${args}` } };
  },
};

const USAGE =
  'Your own command can print the status line: set "statusLine": { "command": "…" } in ~/.clawdcode/config.json (docs/status-line.md). Or type /statusline and what it should show, and the model writes one.';

function promptOf(request: string): string {
  return `Set up the status line of this program (ClawdCode) for me. What it should show: ${request}

How it works:
- A shell command gets one JSON object on its standard input and prints one line, at most three, within one second; exit code 0. Colors by ANSI SGR are kept, every other escape is removed. COLUMNS has the width.
- The JSON: hook_event_name ("Status"), session_id, session_name (or null), transcript_path, cwd, version, model {id, display_name}, workspace {current_dir, project_dir, added_dirs}, cost {total_cost_usd (or null), total_duration_ms, total_api_duration_ms, total_lines_added, total_lines_removed}, context_window {context_window_size, used_percentage (or null), remaining_percentage, current_usage {input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens} (or null)}, permission_mode, output_style {name}.
- The setting is "statusLine": {"command": "…", "padding": 0} in config.json in CLAWDCODE_HOME, by default ~/.clawdcode. Add "refreshMs" (at least 1000) only if it shows a clock.

What to do:
1. Write a script (sh, or node where jq is missing) to that folder. Null values, a folder without git and a missing program must not make it fail.
2. Try it with a sample object.
3. Read config.json first and change nothing in it but this setting; it may hold comments, and secrets that must not be repeated.
4. Say in a sentence or two what it shows, and that it takes effect at the next start.`;
}
