import type { Intent } from '../input/keys.ts';
import { nextMode } from '../modeCycle.ts';
import { afterOpening, dialogAfterOpening } from './afterOpening.ts';
import { moveToBackground } from './background.ts';
import { pickModel, showKeys } from './dialogs.ts';
import { editDraft } from './editor.ts';
import { onEscape } from './escape.ts';
import { createStopOrLeave } from './leaving.ts';
import { pasteImage } from './pasteImage.ts';
import { toggleReasoning, toggleVim } from './preferences.ts';
import { suspend } from './suspend.ts';
import { toggleTodos } from './todos.ts';
import { showTranscript } from './transcript.ts';
import type { Deed } from './types.ts';

/** What each key that is not text does. Made once per screen: some count presses. */
export function createDeeds(): Readonly<Record<Intent, Deed>> {
  const stopOrLeave = createStopOrLeave();
  return {
    escape: onEscape,
    clear_or_exit: (ports, { empty }) => stopOrLeave(ports, empty, 'Ctrl+C'),
    eof: (ports, { empty }) => stopOrLeave(ports, empty, 'Ctrl+D'),
    cycle_mode: afterOpening(cycleMode),
    help: dialogAfterOpening(showKeys),
    suspend,
    background: moveToBackground,
    todos: toggleTodos,
    paste_image: pasteImage,
    edit_draft: editDraft,
    pick_model: dialogAfterOpening(pickModel),
    toggle_reasoning: toggleReasoning,
    toggle_vim: toggleVim,
    transcript: dialogAfterOpening(showTranscript),
    redraw: ({ snapshot, show }) => show(snapshot().session?.agent.liveEntries() ?? []),
  };
}

const cycleMode: Deed = ({ snapshot }) => {
  const agent = snapshot().session?.agent;
  if (agent === undefined) return;
  const { mode, modes } = agent.state();
  agent.submit({ type: 'set_mode', mode: nextMode(mode, modes.cycle) });
};
