import fc from 'fast-check';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { type MadeUpFields, madeUpEntry } from '../../madeUpEntry.ts';

/** A log in memory: entries with id, order and working directory, as the store would write them. */
export class Log {
  readonly entries: JSONLEntry[] = [];
  readonly #cwd: string;

  constructor(cwd = '/repo') {
    this.#cwd = cwd;
  }

  prompt(content: unknown): number {
    return this.#add({ type: 'user', subtype: 'prompt', message: { role: 'user', content } });
  }

  reply(content: string): number {
    return this.#add({ type: 'assistant', message: { role: 'assistant', content } });
  }

  /** One call and its result; returns the `seq` of the result. */
  call(input: unknown, result: Partial<NonNullable<JSONLEntry['toolResult']>> = {}, name = 'Bash'): number {
    const id = `call_${this.entries.length % 3}`;
    this.#add({ type: 'tool_use', message: { role: 'assistant', content: '' }, tool: { id, name, input } });
    return this.#add({
      type: 'tool_result',
      message: { role: 'user', content: '' },
      toolResult: { id, name, output: '', status: 'ok', ...result },
    });
  }

  /** A command as Bash reports it. */
  command(command: string, output: string, exitCode = 0): number {
    const text = exitCode === 0 ? output : `${output}\nexit code ${exitCode}`;
    return this.call({ command }, { output: text, kind: 'command', status: exitCode === 0 ? 'ok' : 'error' });
  }

  change(path: string, kind: 'created' | 'modified' | 'deleted' = 'modified', extra = {}): number {
    return this.call({ file_path: path }, { filesChanged: [{ path, kind, ...extra }] }, 'Edit');
  }

  summary(content: string): number {
    return this.#add({ type: 'user', message: { role: 'user', content }, isCompactSummary: true });
  }

  raw(fields: MadeUpFields): number {
    return this.#add(fields);
  }

  #add(fields: MadeUpFields): number {
    const seq = this.entries.length;
    const parentUuid = seq === 0 ? null : `u${seq - 1}`;
    const timestamp = '2026-01-05T10:00:00.000Z';
    this.entries.push(
      madeUpEntry({ seq, uuid: `u${seq}`, parentUuid, timestamp, cwd: this.#cwd, ...fields }),
    );
    return seq;
  }
}

/** Arbitrary UTF-16 code units, including lone surrogates. (fast-check's own `binary` unit takes seconds to build.) */
export const anyText = fc
  .array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff)), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units));
