import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import { madeUpNewEntry } from '../../madeUpEntry.ts';

/** Writes a log by hand: each method appends what its name says; ids, order and times are filled in. */
export class LogMaker {
  readonly entries: JSONLEntry[] = [];
  #calls = 0;

  add(draft: NewEntry): this {
    const seq = this.entries.length;
    const stamp = { v: 1, seq, uuid: `e${seq}`, parentUuid: seq === 0 ? null : `e${seq - 1}` };
    const timestamp = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
    this.entries.push({
      ...stamp,
      sessionId: 's',
      timestamp,
      cwd: '/',
      version: '1',
      ...draft,
    } as JSONLEntry);
    return this;
  }

  prompt(content: string): this {
    return this.add({ type: 'user', subtype: 'prompt', message: { role: 'user', content } });
  }

  note(subtype: string, content: string): this {
    return this.add(madeUpNewEntry({ type: 'user', subtype, message: { role: 'user', content } }));
  }

  reply(content: string): this {
    return this.add({ type: 'assistant', message: { role: 'assistant', content } });
  }

  /** A reply with one call per output, and all its results. */
  step(content: string, ...outputs: readonly string[]): this {
    const ids = outputs.map(() => `call${this.#calls++}`);
    this.reply(content);
    for (const id of ids) this.#use(id);
    for (const [index, id] of ids.entries()) {
      const output = outputs[index];
      this.add({ type: 'tool_result', message: { role: 'user', content: '' }, toolResult: { id, output } });
    }
    return this;
  }

  /** A reply with a call that has no result yet. */
  open(content: string): this {
    this.reply(content);
    return this.#use(`call${this.#calls++}`);
  }

  #use(id: string): this {
    const message = { role: 'assistant', content: '' } as const;
    return this.add({ type: 'tool_use', message, tool: { id, name: 'Read', input: {} } });
  }
}
