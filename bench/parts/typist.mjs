// Types while something else goes on, and notes how long each character took to the screen.
import { setTimeout as pause } from 'node:timers/promises';

/** Characters in the composer before it is emptied again. */
const LINE = 40;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const EMPTY_THE_LINE = '\u0015';

/** Sends a prompt as somebody does: typed, seen, then Enter. Gives the moment of Enter, when the composer is empty. */
export async function submit(terminal, prompt) {
  terminal.write(prompt);
  await terminal.until(() => inComposer(terminal) === prompt, `“${prompt}” in the composer`);
  const sentAt = performance.now();
  terminal.write('\r');
  await terminal.until(() => inComposer(terminal) !== prompt, 'an empty composer');
  return sentAt;
}

/** Starts typing, a key every `everyMs`; `stop()` gives the milliseconds from key to screen of each. */
export function startTyping(terminal, everyMs) {
  const latencies = [];
  let isStopped = false;
  const inComposer = () =>
    terminal
      .text()
      .match(/^❯ (.*)$/gm)
      ?.at(-1)
      ?.slice(2) ?? '';
  const typing = (async () => {
    for (let typed = ''; !isStopped; ) {
      const letter = LETTERS[latencies.length % LETTERS.length];
      typed += letter;
      const pressedAt = performance.now();
      terminal.write(letter);
      const expected = typed;
      const shownAt = await terminal.until(
        () => inComposer(terminal) === expected,
        `“${expected}” in the composer`,
      );
      latencies.push(shownAt - pressedAt);
      if (typed.length === LINE) {
        terminal.write(EMPTY_THE_LINE);
        typed = '';
        await terminal.until(() => inComposer(terminal) !== expected, 'an empty composer');
      }
      await pause(Math.max(0, everyMs - (performance.now() - pressedAt)));
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await typing;
      return latencies;
    },
  };
}

function inComposer(terminal) {
  return (
    terminal
      .text()
      .match(/^❯ (.*)$/gm)
      ?.at(-1)
      ?.slice(2) ?? ''
  );
}
