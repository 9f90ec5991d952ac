import { expect, test } from 'vitest';
import type { Snapshot } from '../../../src/ui/controller/types.ts';
import { keepTheme } from '../../../src/ui/theme/describeTheme.ts';
import { chooseTheme, type ThemeSetting } from '../../../src/ui/theme/theme.ts';
import type { AppServices } from '../../../src/ui/types.ts';

type SavedSetting = Awaited<ReturnType<AppServices['saveSetting']>>;

const terminal = {
  noColor: false,
  term: 'xterm-256color',
  colorTerm: 'truecolor',
  background: 'light',
} as const;

async function keep(setting: ThemeSetting, saved: SavedSetting | undefined) {
  const asked: unknown[] = [];
  const told: string[] = [];
  let theme = chooseTheme('dark', terminal);
  const services = saved && {
    saveSetting: async (path: readonly string[], value: unknown) => {
      asked.push([path, value]);
      return saved;
    },
  };
  await keepTheme(
    {
      snapshot: () => ({ theme }) as Snapshot,
      adjust: (change) => {
        theme = change.theme ?? theme;
      },
      services: () => services as AppServices | undefined,
      showNotice: (level, text) => told.push(`${level}: ${text}`),
    },
    setting,
  );
  return { name: theme.name, asked, told };
}

const file = '~/.clawdcode/config.json';

test.each([
  ['daltonized', 'daltonized', 'light-daltonized'],
  ['auto', undefined, 'light'],
  ['default', undefined, 'light'],
  ['ansi', 'ansi', 'ansi'],
] as const)('%s is saved as %j and is %s immediately', async (setting, value, name) => {
  const done = await keep(setting, { type: 'saved', file });
  expect(done).toMatchObject({ name, asked: [[['theme'], value]] });
  expect(done.told).toEqual([
    expect.stringMatching(/^info: Theme: .* Saved to ~\/\.clawdcode\/config\.json\.$/),
  ]);
});

test('a theme that cannot be saved applies to this session, and the error is reported', async () => {
  const { name, told } = await keep('light', { type: 'refused', message: 'The disk is full.' });
  expect(name).toBe('light');
  expect(told).toEqual(['warning: Theme: light. Applied to this session, but not saved: The disk is full.']);
});

test('before the settings are read, it applies without being saved', async () => {
  expect(await keep('light', undefined)).toEqual({ name: 'light', asked: [], told: ['info: Theme: light.'] });
});
