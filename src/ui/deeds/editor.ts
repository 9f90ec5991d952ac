import type { Deed } from './types.ts';

/** Gives the draft to the user's own editor; what comes back replaces it, and undo brings the old one back. */
export const editDraft: Deed = async ({ options, screen, say, showHint }) => {
  const ports = screen();
  const composer = ports?.composer();
  if (options.editText === undefined || ports === undefined || !composer) {
    showHint('No editor available.');
    return;
  }
  const { editText } = options;
  const before = composer.text();
  let outcome: Awaited<ReturnType<typeof editText>> | undefined;
  await ports.suspend(async () => {
    outcome = await editText(before);
  });
  if (outcome?.type === 'failed') say('error', outcome.message);
  else if (outcome?.type === 'edited' && outcome.text !== before) composer.setText(outcome.text);
};
