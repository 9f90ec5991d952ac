import { unbrokenEntries } from '../replay.ts';
import type { Deed } from './types.ts';

/** Ctrl+O: everything that happened in this session, unfolded, until it is left. */
export const showTranscript: Deed = async ({ snapshot, screen, options, say }) => {
  const { session, phase } = snapshot();
  const view = screen();
  if (session === undefined || view === undefined || phase.type !== 'session') return;
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
    // The terminal is given away already, or gone.
    .catch((error: unknown) => say('error', error instanceof Error ? error.message : String(error)));
};
