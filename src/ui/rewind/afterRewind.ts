import type { Agent } from '../../agent/types.ts';
import { type JSONLEntry, topicOf } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { ComposerHandle } from '../input/Composer.tsx';

export interface AfterRewindPorts {
  readonly agent: Pick<Agent, 'liveEntries'>;
  /** Empties the visible screen and prints the end of these. */
  readonly show: (entries: readonly JSONLEntry[]) => void;
  readonly composer: Pick<ComposerHandle, 'prependText'> | null | undefined;
}

/** Shows the conversation as it is now, and gives the prompt that was gone back to back to whoever typed it. */
export function afterRewind(event: AgentEvent, { agent, show, composer }: AfterRewindPorts): void {
  if (event.type !== 'rewind_ended' || !event.report.conversation) return;
  const entries = agent.liveEntries();
  // What was just done is told behind all this, with what was not done.
  const told = entries.findLast((entry) => topicOf(entry) === 'rewind');
  show(entries.filter((entry) => entry !== told));
  const { prompt } = event.report;
  if (prompt !== undefined) composer?.prependText(prompt.text);
}
