/** Keys that change how the screen behaves. */
import type { Deed } from './types.ts';

/** Vim keys on or off, kept in the user's settings. */
export const toggleVim: Deed = async ({ snapshot, set, house, say, showHint }) => {
  const { preferences } = snapshot();
  const vim = preferences.vim !== true;
  set({ preferences: { ...preferences, vim } });
  const saved = await house()?.saveSetting(['vim'], vim);
  if (saved?.type === 'refused')
    say('warning', `Vim mode is ${vim ? 'on' : 'off'} for this session. ${saved.message}`);
  else showHint(vim ? 'Vim mode on: Esc for normal, i for insert' : 'Vim mode off');
};

/** Whether what the model reasons is printed, from now on and until it ends. */
export const toggleReasoning: Deed = ({ snapshot, set, showHint }) => {
  const { preferences } = snapshot();
  const showReasoning = !preferences.showReasoning;
  set({ preferences: { ...preferences, showReasoning } });
  showHint(showReasoning ? 'Reasoning shown' : 'Reasoning hidden');
};
