import type { Controller } from '../controller/types.ts';
import { type ThemeSetting, withSetting } from '../theme.ts';
import { describeTheme } from './describeTheme.ts';

/** Takes a theme from now on and keeps it in the user's own settings; says what came of both. */
export async function keepTheme(
  controller: Pick<Controller, 'adjust' | 'house' | 'say' | 'snapshot'>,
  setting: ThemeSetting,
): Promise<void> {
  const theme = withSetting(controller.snapshot().theme, setting);
  controller.adjust({ theme });
  const isDefault = setting === 'auto' || setting === 'default';
  const saved = await controller.house()?.saveSetting(['theme'], isDefault ? undefined : setting);
  const kept =
    saved === undefined
      ? ''
      : saved.type === 'saved'
        ? ` Saved to ${saved.file}.`
        : ` Applied to this session, but not saved: ${saved.message}`;
  controller.say(saved?.type === 'refused' ? 'warning' : 'info', describeTheme(theme) + kept);
}
