/** Describes a theme setting and its effect, and saves a chosen one. */
import type { Controller } from '../controller/types.ts';
import { followsTerminal, type Theme, type ThemeSetting, withSetting } from './theme.ts';

const words: Readonly<Record<ThemeSetting, string>> = {
  auto: 'light or dark, matching the terminal',
  dark: 'for dark terminals',
  light: 'for light terminals',
  'high-contrast': 'high contrast, matching the terminal',
  'dark-high-contrast': 'high contrast, for dark terminals',
  'light-high-contrast': 'high contrast, for light terminals',
  daltonized: 'blue and orange instead of green and red, matching the terminal',
  'dark-daltonized': 'blue and orange instead of green and red, for dark terminals',
  'light-daltonized': 'blue and orange instead of green and red, for light terminals',
  ansi: 'the terminal’s own 16 colors',
  plain: 'no colors',
  default: 'the same as auto',
};

/** A short description for lists. */
export function shortDescription(setting: ThemeSetting): string {
  return words[setting];
}

/** Describes the theme in use, and why it differs from the setting if it does. */
function describeTheme({ setting, name, terminal }: Theme): string {
  const head = `Theme: ${setting}`;
  if (name === 'plain' && setting !== 'plain') return `${head}. ${whyPlain(terminal)}`;
  if (name === 'ansi' && setting !== 'ansi')
    return `${head}. The terminal has 16 colors, so its own are used. Set COLORTERM=truecolor if it has more.`;
  if (!followsTerminal(setting)) return `${head}.`;
  return `${head}. ${whyBackground(terminal)}, so it is ${name}.`;
}

function whyPlain({ forceColor, noColor, term }: Theme['terminal']): string {
  const cause =
    forceColor !== undefined
      ? `FORCE_COLOR is ${forceColor}`
      : noColor
        ? 'NO_COLOR is set'
        : `TERM is ${term}`;
  return `${cause}, so no colors are shown.`;
}

function whyBackground({ background, colorFgBg = '' }: Theme['terminal']): string {
  if (background !== undefined) return `The terminal reports its background as ${background}`;
  if (/;\d+$/.test(colorFgBg)) return `COLORFGBG is ${colorFgBg}`;
  return 'The terminal does not report its background';
}

/** Applies a theme, saves it in the user's own settings, and reports both results. */
export async function keepTheme(
  controller: Pick<Controller, 'adjust' | 'services' | 'showNotice' | 'snapshot'>,
  setting: ThemeSetting,
): Promise<void> {
  const theme = withSetting(controller.snapshot().theme, setting);
  controller.adjust({ theme });
  const isDefault = setting === 'auto' || setting === 'default';
  const saved = await controller.services()?.saveSetting(['theme'], isDefault ? undefined : setting);
  const kept =
    saved === undefined
      ? ''
      : saved.type === 'saved'
        ? ` Saved to ${saved.file}.`
        : ` Applied to this session, but not saved: ${saved.message}`;
  controller.showNotice(saved?.type === 'refused' ? 'warning' : 'info', describeTheme(theme) + kept);
}
