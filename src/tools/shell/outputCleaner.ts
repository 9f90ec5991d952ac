/** Converts terminal output of programs to plain text as it arrives. */
import { stripVTControlCharacters } from 'node:util';

/** An unfinished line longer than this is passed on as is. */
const MAX_HELD = 64 * 1024;
/** Escape sequences are short; a longer tail is not the beginning of one. */
const MAX_SEQUENCE = 256;

interface OutputCleaner {
  /** Returns complete lines; holds an unfinished line until it is complete. */
  push(chunk: Uint8Array): string;
  /** Returns the held text as is: a prompt without a line feed, or the end of the output. */
  flush(): string;
}

/**
 * Decodes UTF-8 across chunk boundaries, removes escape sequences, and keeps only the last version of a line that was
 * rewritten with carriage returns (a progress bar).
 */
export function createOutputCleaner(): OutputCleaner {
  const decoder = new TextDecoder('utf-8');
  let held = '';
  return {
    push(chunk) {
      const text = held + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      held = text.slice(end);
      if (held.length <= MAX_HELD) return cleaned(text.slice(0, end));
      // No line feed for a long time: keep only the last version of a progress bar, pass on anything else.
      const rewritten = held.lastIndexOf('\r', held.length - 2);
      const safe = Math.max(rewritten + 1, 0);
      const passed = held.length - safe > MAX_HELD ? held.length - unfinishedSequence(held) : safe;
      const whole = text.slice(0, end) + (passed > safe ? held.slice(safe, passed) : '');
      held = held.slice(passed);
      return cleaned(whole);
    },
    flush() {
      const rest = cleaned(held);
      held = '';
      return rest;
    },
  };
}

/** The same for the screen: immediately, with every version of a rewritten line on its own line. */
export function createLiveCleaner(): (chunk: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8');
  let held = '';
  return (chunk) => {
    const text = held + decoder.decode(chunk, { stream: true });
    const keep = text.endsWith('\r') ? 1 : unfinishedSequence(text);
    held = text.slice(text.length - keep);
    return withoutSequences(text.slice(0, text.length - keep)).replace(/\r+\n?/g, '\n');
  };
}

function cleaned(text: string): string {
  const plain = withoutSequences(text);
  if (!plain.includes('\r')) return plain;
  return plain
    .split('\n')
    .map((line) => {
      if (!line.includes('\r')) return line;
      return line.split('\r').findLast((version) => version !== '') ?? '';
    })
    .join('\n');
}

function withoutSequences(text: string): string {
  return /[\x1b\x9b]/.test(text) ? stripVTControlCharacters(text) : text;
}

/** Length of an incomplete escape sequence at the end of the text. */
function unfinishedSequence(text: string): number {
  const tail = text.slice(-MAX_SEQUENCE);
  const start = tail.lastIndexOf('\x1b');
  if (start === -1) return 0;
  const sequence = tail.slice(start);
  const ended = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[^[\]])/.test(sequence);
  return ended ? 0 : sequence.length;
}
