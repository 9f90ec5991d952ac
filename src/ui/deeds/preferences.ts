/** Keys that change how the screen behaves. */
import type { Deed } from './types.ts';

/** Vim keys on or off, kept in the user's settings. */
export const toggleVim: Deed = async ({ snapshot, set, house, say, showHint }) => {
  const { preferences } = snapshot();
  const vim = preferences.vim !== true;
  set({ preferences: { ...preferences, vim } });
  const saved = await house()?.saveSetting(['vim'], vim);
  if (saved?.type === 'refused')
    say('warning', `Vim keys are ${vim ? 'on' : 'off'} for now. ${saved.message}`);
  else showHint(vim ? 'Vim keys on: Esc leaves writing, i begins it' : 'Vim keys off');
};

/** Whether what the model reasons is printed, from now on and until it ends. */
export const toggleReasoning: Deed = ({ snapshot, set, showHint }) => {
  const { preferences } = snapshot();
  const showReasoning = !preferences.showReasoning;
  set({ preferences: { ...preferences, showReasoning } });
  showHint(showReasoning ? 'Reasoning is shown' : 'Reasoning is hidden');
};
