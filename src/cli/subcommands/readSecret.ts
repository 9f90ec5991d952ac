/** Reads a secret that must appear neither on screen nor in the arguments of a process. */
import type { ReadStream } from 'node:tty';

const MAX_CHARACTERS = 20_000;

/** From the keyboard without echo, or everything from standard input; undefined if the user cancelled. */
export async function readSecret(
  stdin: NodeJS.ReadStream,
  ask: (text: string) => void,
  question: string,
): Promise<string | undefined> {
  if (!stdin.isTTY) return readAll(stdin);
  ask(question);
  const typed = await readHidden(stdin as ReadStream);
  ask('\n');
  return typed;
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > MAX_CHARACTERS) break;
  }
  return text.slice(0, MAX_CHARACTERS + 1).trim();
}

function readHidden(stdin: ReadStream): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    stdin.setRawMode(true);
    stdin.setEncoding('utf8');
    const end = (result: string | undefined): void => {
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      stdin.setRawMode(false);
      stdin.pause();
      resolve(result);
    };
    const onEnd = (): void => end(undefined);
    const onData = (chunk: string): void => {
      const done = read(chunk);
      if (done !== undefined) end(done.text);
    };
    /** Undefined until the line is complete. */
    const read = (chunk: string): { readonly text: string | undefined } | undefined => {
      // A terminal may mark pasted text.
      for (const character of chunk.replace(/\x1b\[20[01]~/g, '')) {
        if (character === '\r' || character === '\n') return { text: text.trim() };
        if (character === '\x03' || character === '\x04') return { text: undefined };
        if (character === '\x7f' || character === '\b') text = text.slice(0, -1);
        else if (character === '\x15') text = '';
        else if (text.length <= MAX_CHARACTERS) text += character;
      }
      return undefined;
    };
    stdin.on('data', onData);
    stdin.once('end', onEnd);
    stdin.resume();
  });
}
