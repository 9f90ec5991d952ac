import type { Deed } from './types.ts';

/** The deed of a key that needs a session: pressed while that is being opened, it waits for it. */
export function afterOpening(deed: Deed): Deed {
  return (ports, at) => ports.whenOpen(() => deed(ports, at));
}

/** The same for what takes the keyboard: it would stand in the way of what has been typed since. */
export function dialogAfterOpening(deed: Deed): Deed {
  return (ports, at) =>
    ports.whenOpen(() => {
      const isTyping = at.empty && (ports.screen()?.composer()?.text() ?? '') !== '';
      return isTyping ? undefined : deed(ports, at);
    });
}
