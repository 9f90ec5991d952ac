/**
 * What is known about the shell at one point of a command: the possible values of variables that the command itself
 * sets, and how often it has changed directory.
 */

import type { Argument, Pipeline } from './argument.ts';
import { isOfShell } from './assignments.ts';
import type { Piece } from './word.ts';
import { alternativesOf, anything, join, type Variables, valuesOf } from './wordValues.ts';

export class ShellState {
  #variables: Variables = new Map();
  #moves = 0;

  /** The variables now; the map never changes. */
  get variables(): Variables {
    return this.#variables;
  }

  /** Sets earlier variables again, as after a subshell. */
  restore(variables: Variables): void {
    this.#variables = variables;
  }

  /** The variables have either their current or their earlier values: what ran since then may not have run. */
  orElse(before: Variables): void {
    this.#variables = join(before, this.#variables);
  }

  assign(name: string, values: readonly Argument[]): void {
    const next = new Map(this.#variables);
    next.set(name, isOfShell(name) ? [anything] : values);
    this.#variables = next;
  }

  /** Any values are possible, even for variables of the shell. */
  forget(names: readonly string[]): void {
    const next = new Map(this.#variables);
    for (const name of names) next.set(name, [anything]);
    this.#variables = next;
  }

  /**
   * `read` fills variables, unless it fails. A secret that it could read counts as read where it comes from. `by`: the
   * commands that have printed the line.
   */
  fill(names: readonly string[], hasSucceeded: boolean, by?: Pipeline): void {
    const before = this.#variables;
    const line: Argument = {
      type: 'output',
      loose: true,
      ...(by && { printed: { by, after: '', use: 'word', moves: this.#moves } }),
    };
    for (const name of names) this.assign(name, [line]);
    if (!hasSucceeded) this.orElse(before);
  }

  /** The command has changed directory, so patterns match other files. */
  noteMove(): void {
    this.#moves += 1;
  }

  /** The argument lists that one word may become; undefined = unknown. */
  alternatives(pieces: readonly Piece[]): readonly (readonly Argument[])[] | undefined {
    return alternativesOf(pieces, this.#variables, this.#moves);
  }

  /** The values that a word may give a variable. */
  values(pieces: readonly Piece[]): readonly Argument[] {
    return valuesOf(pieces, this.#variables, this.#moves);
  }

  /** The files that a word with variables may name for writing; null = unknown. */
  writtenFiles(pieces: readonly Piece[]): readonly (string | null)[] {
    const lists = this.alternatives(pieces) ?? [[]];
    const paths = lists.flatMap((list) => list.map((one) => (one.type === 'text' ? one.text : null)));
    return lists.every((list) => list.length === 1) ? paths : [null];
  }

  /** The files that may be read if this word names one; null = unknown. `value`: the word as the source has it. */
  readFiles(value: string | null, pieces: readonly Piece[]): readonly (string | null)[] {
    const lists = this.alternatives(pieces);
    const known = lists?.flatMap((list) =>
      list.map((one) =>
        one.type === 'text' ? one.text : one.type === 'files' && one.single ? one.pattern : null,
      ),
    );
    if (known === undefined || lists?.some((list) => list.length !== 1)) return [null];
    return value === null ? known : [value, ...known.filter((one) => one !== value && one !== null)];
  }
}
