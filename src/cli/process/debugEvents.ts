import type { Agent } from '../../agent/types.ts';
import type { DebugLog } from './debugLog.ts';

/** Writes what becomes of the context to the debug log: each measurement, each reduction, each compaction. */
export function logContext(agent: Agent, debug: DebugLog): void {
  if (debug.file === undefined) return;
  agent.subscribe((event) => {
    if (event.type === 'context_measured') debug.write(`context ${JSON.stringify(event.measure)}`);
    if (event.type === 'compaction_ended') debug.write(`compaction ${JSON.stringify(event.report)}`);
    if (event.type !== 'entry') return;
    const { subtype, seq, data } = event.entry;
    if (subtype === 'reduction' || subtype === 'summary_failed')
      debug.write(`${subtype} #${seq} ${JSON.stringify(factsOf(data))}`);
  });
}

/** Sizes and reasons; the texts are in the session's own log. */
function factsOf(data: Readonly<Record<string, unknown>> = {}): object {
  const { kind, reason, strategy, preTokens, postTokens } = data;
  return { kind, reason, strategy, preTokens, postTokens };
}
