/**
 * Values of the `theme` setting and `/theme`. Themes without a background in their name adapt to the terminal's;
 * `default` is an alias of `auto`; `ansi` uses the terminal's own sixteen colors, `plain` none.
 */
export const themeSettings = [
  'auto',
  'dark',
  'light',
  'high-contrast',
  'dark-high-contrast',
  'light-high-contrast',
  'daltonized',
  'dark-daltonized',
  'light-daltonized',
  'ansi',
  'plain',
  'default',
] as const;

export type ThemeSetting = (typeof themeSettings)[number];

/** Parses a typed theme name: ignores case, and accepts spaces or underscores for hyphens. */
export function parseThemeSetting(text: string): ThemeSetting | undefined {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  return themeSettings.find((setting) => setting === name);
}
