/** Actions that hand over the terminal or read the clipboard. */
import type { Images } from '../input/images.ts';
import type { UiOptions } from '../types.ts';
import { unbrokenEntries } from './replay.ts';
import type { Controller, ScreenPorts, Snapshot } from './types.ts';

export interface TerminalPorts {
  readonly options: UiOptions;
  snapshot(): Snapshot;
  screen(): ScreenPorts | undefined;
  /** Images of the open session. */
  images(): Images | undefined;
  readonly showNotice: Controller['showNotice'];
  /** Shows a hint in place of the status line, for a moment. */
  showHint(hint: string): void;
}

/** Opens the draft in the user's editor. The result replaces the draft; undo restores the old text. */
export async function editDraft({ options, screen, showNotice, showHint }: TerminalPorts): Promise<void> {
  const ports = screen();
  const composer = ports?.composer();
  const { editText } = options;
  if (editText === undefined || ports === undefined || !composer) return showHint('No editor available.');
  const before = composer.text();
  let outcome: Awaited<ReturnType<typeof editText>> | undefined;
  await ports.suspend(async () => {
    outcome = await editText(before);
  });
  if (outcome?.type === 'failed') showNotice('error', outcome.message);
  else if (outcome?.type === 'edited' && outcome.text !== before) composer.setText(outcome.text);
}

/** Ctrl+Z: hands the terminal back to the shell until `fg`. Running work resumes with the program. */
export async function suspend({ options, screen, showHint }: TerminalPorts): Promise<void> {
  const { stop } = options;
  let outcome: 'continued' | 'unsupported' = 'unsupported';
  if (stop !== undefined)
    await screen()?.suspend(async () => {
      outcome = await stop();
    });
  if (outcome === 'unsupported') showHint('Cannot suspend: there is no shell to resume from.');
}

/** Pastes the image from the clipboard into the composer. If there is none, a message explains why. */
export async function pasteImage({ images, screen, showNotice }: TerminalPorts): Promise<void> {
  const pictures = images();
  if (pictures === undefined)
    return showNotice('info', 'Images can be pasted as soon as the session is open.');
  const label = await pictures.fromClipboard();
  if (label !== undefined) screen()?.composer()?.insertImage?.(label);
}

/** Ctrl+O: shows the whole session unfolded, until the user closes the transcript. */
export async function showTranscript({
  snapshot,
  screen,
  options,
  showNotice,
}: TerminalPorts): Promise<void> {
  const { session } = snapshot();
  const view = screen();
  if (session === undefined || view === undefined) return;
  const { agent, host } = session;
  const { openTranscript } = await import('../transcript/openTranscript.ts');
  await view
    .suspend(() => {
      options.onAlternateScreen?.(true);
      return openTranscript({
        stdin: options.stdin,
        stdout: options.stdout,
        agent,
        entries: unbrokenEntries(agent.entries()),
        theme: snapshot().theme,
        markdown: snapshot().markdown,
        reply: () => snapshot().view.reply,
        tools: () => snapshot().view.tools,
        readBlob: host.readBlob,
        now: options.now,
        keymap: options.keys?.current,
      }).finally(() => options.onAlternateScreen?.(false));
    })
    // The terminal is already handed over, or gone.
    .catch((error: unknown) => showNotice('error', error instanceof Error ? error.message : String(error)));
}
