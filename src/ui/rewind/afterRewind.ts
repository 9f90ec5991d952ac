import type { AgentEvent } from '../../protocol/events.ts';
import type { ComposerHandle } from '../input/Composer.tsx';

/** Shows the conversation as it is now, and gives the prompt that was gone back to back to whoever typed it. */
export function afterRewind(
  event: AgentEvent,
  {
    redraw,
    composer,
  }: {
    readonly redraw: () => void;
    readonly composer: Pick<ComposerHandle, 'prependText'> | null | undefined;
  },
): void {
  if (event.type !== 'rewind_ended' || !event.report.conversation) return;
  redraw();
  const { prompt } = event.report;
  if (prompt !== undefined) composer?.prependText(prompt.text);
}
